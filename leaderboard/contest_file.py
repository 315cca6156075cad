"""A contest written down as TOML. deploy/contest.toml is an example with every key explained."""

import re
import tomllib
from datetime import datetime
from typing import Any

from leaderboard.contests import BadContest, League

KEYS = {
    "slug": str,
    "puzzle": str,
    "title": dict,
    "description": dict,
    "opens_at": datetime,
    "freezes_at": datetime,
    "closes_at": datetime,
    "publishes_at": datetime,
    "quota": int,
    "keeps_records": bool,
    "setups": list,
    "league": dict,
}
NEEDED = ("slug", "puzzle", "title", "opens_at", "closes_at")
TERMS = {"per_pair": int, "answer_days": int, "invited": bool}
CALLED = {
    str: "a text",
    dict: "a table",
    datetime: "a time",
    int: "a whole number",
    list: "a list",
    bool: "true or false",
}


def read(data: bytes) -> dict[str, Any]:
    """The fields that organising.create takes. Raises BadContest, whose field is the key at fault.

    Codes: bad-toml, unknown-key, missing-key, bad-type, time-without-zone; whatever else is wrong contests.create says.
    """
    try:
        said = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        at = re.search(r"line (\d+)", str(error))
        raise BadContest(f"line {at[1]}" if at else "file", f"This is not TOML: {error}.", "bad-toml") from None
    for key in NEEDED:
        if key not in said:
            raise BadContest(key, f"{key} is missing.", "missing-key")
    fields = _typed("", said, KEYS)
    for key in ("title", "description"):
        for language, text in fields.get(key, {}).items():
            if not isinstance(text, str):
                raise BadContest(f"{key}.{language}", f"{key}.{language} must be a text.", "bad-type")
    for n, header in enumerate(fields.get("setups", ()), 1):
        if not isinstance(header, str):
            raise BadContest(f"setups[{n}]", 'A setup is a text, such as "deal: 7".', "bad-type")
    for key, time in fields.items():
        if isinstance(time, datetime) and time.tzinfo is None:
            raise BadContest(key, f"{key} needs an offset, such as 2026-12-01T12:00:00Z.", "time-without-zone")
    if "league" in fields:
        terms = _typed("league.", fields["league"], TERMS)
        fields["league"] = League(**{**terms, "per_pair": terms.get("per_pair", 1) or None})
    fields["titles"] = fields.pop("title")
    if "description" in fields:
        fields["descriptions"] = fields.pop("description")
    return fields


def _typed(table: str, said: dict[str, Any], keys: dict[str, type]) -> dict[str, Any]:
    for key, value in said.items():
        if key not in keys:
            known = ", ".join(keys)
            raise BadContest(table + key, f"There is no key {table}{key}; known are {known}.", "unknown-key")
        if type(value) is not keys[key]:
            raise BadContest(table + key, f"{table}{key} must be {CALLED[keys[key]]}.", "bad-type")
    return dict(said)
