"""What the web server loads: api.wsgi:app, with the settings of the environment."""

import os

from api.app import create_app
from leaderboard.settings import Settings

app = create_app(Settings.from_environment(os.environ))
