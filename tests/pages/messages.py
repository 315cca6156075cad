"""Every message that the pages and the verifier can show, read out of their sources."""

from pathlib import Path

from babel.messages.extract import extract_from_dir

from api.i18n import WORDS
from verifier.verdict import WHERE

ROOT = Path(__file__).parents[2]
PAGES = {"_": None, "ngettext": (1, 2)}
VERIFIER = {"Rejected": (2,), "_malformed": (1,), "_ending": (2,), "Note": (1,)}
"""Functions that take a template, and where: `Rejected(code, template)` and the verifier's helpers around it."""

Message = str | tuple[str, ...]


def wanted() -> dict[Message, str]:
    """Each message (singular and plural as a pair) with the file that it was first found in."""
    found: dict[Message, str] = dict.fromkeys((*WHERE.values(), *WORDS), "verifier")
    for folder, files, keywords in (
        ("api", [("**.py", "python"), ("**/templates/**.html", "jinja2")], PAGES),
        ("verifier", [("**.py", "python")], VERIFIER),
    ):
        for name, line, message, _comments, _context in extract_from_dir(ROOT / folder, files, keywords=keywords):
            found.setdefault(message, f"{folder}/{name}:{line}")
    return found
