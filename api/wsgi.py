"""What the web server loads: api.wsgi:app, with the settings of the environment."""

import ctypes
import logging
import os
import signal

import structlog

from api.app import create_app
from leaderboard.settings import Settings

PR_SET_PDEATHSIG = 1

# A killed server would leave its worker processes behind, and they would go on answering.
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
settings = Settings.from_environment(os.environ)

# One JSON object a line, with the id of its request. The lines of an upload and of its verdict share its submission.
structlog.configure(
    wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[settings.log_level.upper()]),
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(),
    ],
)
app = create_app(settings)
