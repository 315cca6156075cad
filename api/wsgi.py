"""What the web server loads: api.wsgi:app, with the settings of the environment."""

import ctypes
import os
import signal

from api.app import create_app
from leaderboard.settings import Settings

PR_SET_PDEATHSIG = 1

# A killed server would leave its worker processes behind, and they would go on answering.
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
app = create_app(Settings.from_environment(os.environ))
