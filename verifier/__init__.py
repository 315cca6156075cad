"""The door: verify, Verdict, RULES, VERSION."""

from verifier.record import Allowed
from verifier.registry import RULES
from verifier.replay import Film, Replay, Step, setup_of, steps, verify
from verifier.rules import Setup
from verifier.verdict import Rejected, Verdict
from verifier.view import View

VERSION = "1"
"""The verifier's version: a verdict belongs to one. A test pins it to the hash of this package's sources."""

__all__ = [
    "RULES",
    "VERSION",
    "Allowed",
    "Film",
    "Rejected",
    "Replay",
    "Setup",
    "Step",
    "Verdict",
    "View",
    "setup_of",
    "steps",
    "verify",
]
