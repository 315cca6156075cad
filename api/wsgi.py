"""What the web server loads: api.wsgi:app, with the settings of the environment."""

import ctypes
import os
import signal

from api.app import create_app
from leaderboard.settings import Settings
from worker import logs

PR_SET_PDEATHSIG = 1

# A killed server would leave its worker processes behind, and they would go on answering.
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
settings = Settings.from_environment(os.environ)

logs.configure(settings.log_level, "web")
app = create_app(settings)
