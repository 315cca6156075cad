"""What comes in and what goes out (marshmallow)."""

from __future__ import annotations

import re
from typing import Any, get_args

from flask import current_app
from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from api import problems, waiting
from leaderboard import passwords, tokens
from leaderboard import submissions as rows
from leaderboard.matches import Fault
from leaderboard.matches import State as MatchState
from leaderboard.receipts import Signer
from leaderboard.tokens import SCOPES
from verifier.rules import LAST_DEAL
from verifier.verdict import CODES

STATES = ("queued", "verifying", "accepted", "rejected", "failed")
PHASES = ("upcoming", "open", "frozen", "closed", "published")


class _Text(validate.Regexp):
    """Text that can be kept: JSON may smuggle in halves of surrogate pairs, and NUL, which a database refuses."""

    def __call__(self, value: Any) -> Any:
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValidationError("Not valid Unicode text.") from None
        return super().__call__(value)


# As patterns, so that the API's description has them.
_text = _Text(r"^[^\x00]*$", error="There is a NUL in this text.")
_words = _Text(r"^[^\x00]*[^\s\x00][^\x00]*$", error="This says nothing, or there is a NUL in it.")


def _printable(value: str) -> None:
    """Text for one line."""
    if not value.isprintable():
        raise ValidationError("Printable characters only.")


def about(text: str, **more: Any) -> dict[str, Any]:
    """What the API's description says of a field."""
    return {"description": text, **more}


class Digits(fields.Integer):
    """A whole number in a query: ASCII digits and nothing else."""

    def _validated(self, value: Any) -> int:
        if not (isinstance(value, str) and re.fullmatch("[0-9]{1,18}", value)):
            raise self.make_error("invalid")
        return int(value)


class Truth(fields.Boolean):
    """true or false as JSON has them; no word or number stands for either."""

    def _deserialize(self, value: Any, *_args: Any, **_more: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value


class Whole(fields.Integer):
    """A whole number as JSON Schema has them: 3 and 3.0 are one, 3.5 and "3" are none."""

    def _validated(self, value: Any) -> int:
        if isinstance(value, bool) or not (isinstance(value, int) or (isinstance(value, float) and value.is_integer())):
            raise self.make_error("invalid")
        return int(value)


# --- in --------------------------------------------------------------------------------------------------------------


def _name(**more: Any) -> fields.String:
    return fields.String(
        validate=[validate.Length(min=1, max=200), _text],  # before it is composed (NFC)
        metadata=about(
            "1 to 40 printable characters; no comma, # or /; unlike everybody else's.", example="Ada", maxLength=40
        ),
        **more,
    )


def _password(text: str, **more: Any) -> fields.String:
    length = validate.Length(min=passwords.SHORTEST, max=passwords.LONGEST)
    return fields.String(validate=[length, _text], metadata=about(text), **more)


class NewContestant(Schema):
    """Who wants to take part."""

    name = _name(required=True)
    password = _password(
        "For signing in to the pages; without one the token is the only way in.", load_default=None, allow_none=True
    )


def _present() -> fields.String:
    return fields.String(
        validate=[validate.Length(min=1, max=passwords.LONGEST), _text],
        metadata=about("The password so far, needed where there is one."),
    )


class Changes(Schema):
    """What to change about oneself."""

    name = _name()
    password = _password("The new one. The other browsers that are signed in are signed out.")
    present_password = _present()

    @validates_schema
    def something(self, data: dict[str, Any], **_: Any) -> None:
        if not {"name", "password"} & data.keys():
            raise ValidationError("Give a name, a password, or both.")


class Farewell(Schema):
    """That the account is really to be deleted."""

    present_password = _present()
    name = fields.String(
        validate=[validate.Length(min=1, max=200), _text],
        metadata=about("One's own name, as it is written; needed where there is no password."),
    )


class NewToken(Schema):
    """A token that is to be made."""

    label = fields.String(
        load_default="", validate=[validate.Length(max=60), _text, _printable], metadata=about("What it is for.")
    )
    scope = fields.String(
        load_default="all",
        validate=validate.OneOf(SCOPES),
        metadata=about("`read`: look; `submit`: hand in records too; `all`: whatever its owner may."),
    )
    days = Whole(
        load_default=None,
        allow_none=True,
        validate=validate.Range(1, 3650),
        metadata=about("Until it expires; null: never."),
    )


class ReasonToGive(Schema):
    """Why an organiser does it."""

    reason = fields.String(
        required=True, validate=[validate.Length(min=1, max=500), _text], metadata=about("For the audit log.")
    )


class Paged(Schema):
    """Which part of a list."""

    limit = Digits(load_default=50, validate=validate.Range(1, 200), metadata=about("How many at most."))
    cursor = fields.String(
        validate=[validate.Length(min=1, max=500), _text], metadata=about("`next` or `previous` of another page.")
    )


class StandingsOf(Paged):
    """Which part of the standings."""

    setup = Digits(
        validate=validate.Range(1, 1000),
        metadata=about("Only this setup of the contest, by its number from 1; without it the whole contest."),
    )


class Neighbours(Schema):
    """How much of the standings around one contestant."""

    neighbours = Digits(load_default=2, validate=validate.Range(0, 50), metadata=about("How many before and after."))


class ReplayOf(Schema):
    """Which part of a record's play."""

    board = Digits(
        load_default=1,
        validate=validate.Range(1, 1_000_000),
        metadata=about("A board of jc-golden-nugget, from 1; 1 if not stated."),
    )
    first = Digits(
        load_default=0, validate=validate.Range(0, 2_000_000), metadata=about("The step to begin with; 0 is the start.")
    )
    limit = Digits(load_default=100, validate=validate.Range(1, 200), metadata=about("How many steps at most."))
    seat = Digits(
        load_default=0,
        validate=validate.Range(0, 10),
        metadata=about("Only what this player, from 1, has seen, where a game hides something; 0 is all."),
    )
    pictures = fields.Boolean(
        load_default=False,
        truthy={"true", "1"},
        falsy={"false", "0"},
        metadata=about("Each step as a page shows it, in the reader's language, in place of its view."),
    )


class Answer(Schema):
    """What a player says of a match that another one has handed in."""

    confirmed = Truth(required=True, metadata=about("`true`: it was so; `false`: it is disputed."))


class Ruling(Schema):
    """What an organiser decides about a match."""

    counts = Truth(required=True)
    reason = fields.String(
        required=True, validate=[validate.Length(min=1, max=500), _text], metadata=about("For the audit log.")
    )


class MatchesOf(Schema):
    """Which matches of a contest."""

    undecided = Digits(
        load_default=0,
        validate=validate.Range(0, 1),
        metadata=about("1: those that wait for an organiser, for organisers; 0: those that count."),
    )
    limit = Digits(load_default=50, validate=validate.Range(1, 200), metadata=about("How many at most."))
    before = fields.UUID(metadata=about("The last submission of the page before."))


# --- out -------------------------------------------------------------------------------------------------------------


class Error(Schema):
    """The first rule that a record breaks, and where."""

    code = fields.String(required=True, validate=validate.OneOf(CODES))
    message = fields.String(required=True)
    board = fields.Integer(validate=validate.Range(min=1))
    move = fields.Integer(validate=validate.Range(min=1))
    line = fields.Integer(validate=validate.Range(min=1))
    column = fields.Integer(validate=validate.Range(min=1))


class Verdict(Schema):
    """What the verifier says of a record: accepted with a score, or rejected with an error."""

    puzzle = fields.String(required=True, allow_none=True)
    accepted = fields.Boolean(required=True)
    score = fields.Dict(metadata=about("What it is worth, as the puzzle's rules say."))
    error = fields.Nested(Error)


class Receipt(Schema):
    """Proof of what was received, and when."""

    contest = fields.String(required=True)
    submission = fields.UUID(required=True)
    contestant = fields.UUID(required=True)
    sha256 = fields.String(required=True, validate=validate.Regexp("^[0-9a-f]{64}$"))
    received_at = fields.String(required=True, metadata={"format": "date-time"})
    key = fields.String(required=True, metadata=about("The public key that it is signed with, as `GET /api/v1/key`."))
    signature = fields.String(
        required=True,
        metadata=about("Ed25519, in hexadecimal, of the other members as JSON: ASCII, keys sorted, no spaces."),
    )


class Key(Schema):
    """What receipts are signed with."""

    algorithm = fields.String(required=True, validate=validate.OneOf(("Ed25519",)))
    key = fields.String(required=True, metadata=about("32 bytes in hexadecimal."))
    pem = fields.String(required=True, metadata=about("The same as a PEM file."))


class Name(Schema):
    """A contestant, as everybody sees them."""

    id = fields.UUID(required=True)
    name = fields.String(required=True)


class Me(Name):
    """A contestant, as they see themselves."""

    role = fields.String(required=True, validate=validate.OneOf(("contestant", "organiser")))
    hidden = fields.Boolean(required=True, metadata=about("The organisers have hidden the name from everybody else."))
    created_at = fields.AwareDateTime(required=True)


class Token(Schema):
    """What is known of a token. Whoever has it has the secret, which is not kept."""

    id = fields.UUID(required=True)
    label = fields.String(required=True)
    scope = fields.String(required=True, validate=validate.OneOf(SCOPES))
    session = fields.Boolean(required=True, metadata=about("A browser that has signed in."))
    current = fields.Boolean(required=True, metadata=about("It is the one of this request."))
    created_at = fields.AwareDateTime(required=True)
    used_on = fields.Date(allow_none=True, required=True, metadata=about("The UTC day on which it was last shown."))
    expires_at = fields.AwareDateTime(allow_none=True, required=True)


class Tokens(Schema):
    """One's valid tokens and sessions, the newest first."""

    tokens = fields.List(fields.Nested(Token), required=True)


class MadeToken(Token):
    """A new token."""

    token = fields.String(
        required=True, metadata=about("Send it as `Authorization: Bearer ...`. It is shown this once.")
    )


class GivenToken(Schema):
    """A token for somebody who has lost theirs."""

    token = fields.String(required=True, metadata=about("It lasts a week, and is shown this once."))


class Revoked(Schema):
    """How many tokens were revoked."""

    revoked = fields.Integer(required=True)


def token(row: tokens.Token, current: tokens.Token) -> dict[str, Any]:
    """A token as `Token` dumps it."""
    names = ("id", "label", "scope", "session", "created_at", "used_on", "expires_at")
    return {**{name: getattr(row, name) for name in names}, "current": row.id == current.id}


class Registered(Name):
    """A new contestant."""

    token = fields.String(
        required=True, metadata=about("Send it as `Authorization: Bearer ...`. It is shown this once.")
    )


class Submission(Schema):
    """An upload and what became of it."""

    id = fields.UUID(required=True)
    contest = fields.String(required=True)
    contestant = fields.Nested(Name, required=True)
    state = fields.String(required=True, validate=validate.OneOf(STATES))
    position = fields.Integer(
        allow_none=True,
        required=True,
        metadata=about("Its place in the queue, from 1; null once decided, and in the answer to a new upload."),
    )
    expected_wait = fields.Float(
        allow_none=True,
        required=True,
        metadata=about("Seconds until its verdict, by the pace of the last ones; null as `position` is, or not known."),
    )
    received_at = fields.AwareDateTime(required=True)
    late = fields.Boolean(
        required=True, metadata=about("Received when the contest had closed: verified, never ranked.")
    )
    disqualified = fields.Boolean(required=True, metadata=about("It is off the board, whatever its verdict."))
    withdrawn = fields.Boolean(
        required=True,
        metadata=about("Off the board because its contestant has left and the contest keeps no records."),
    )
    size = fields.Integer(required=True, metadata=about("Bytes."))
    sha256 = fields.String(required=True, validate=validate.Regexp("^[0-9a-f]{64}$"))
    verdict = fields.Nested(Verdict, allow_none=True, required=True)
    version = fields.String(allow_none=True, required=True, metadata=about("Of the verifier that gave the verdict."))
    decided_at = fields.AwareDateTime(allow_none=True, required=True)
    receipt = fields.Nested(Receipt, required=True)


def receipt(row: rows.Submission) -> dict[str, str]:
    """The signed receipt of a submission."""
    signer: Signer = current_app.extensions["signer"]
    return signer.sign(rows.receipt(row))


def submission(row: rows.Submission) -> dict[str, Any]:
    """A submission as `Submission` dumps it."""
    names = ("id", "contest", "state", "position", "received_at", "late", "disqualified", "withdrawn", "size", "sha256",
             "verdict", "version", "decided_at")  # fmt: skip
    return {
        **{name: getattr(row, name) for name in names},
        "expected_wait": waiting.expected(row.position),
        "contestant": {"id": row.contestant_id, "name": row.contestant},
        "receipt": receipt(row),
    }


def new_submission(row: rows.Submission) -> dict[str, Any]:
    """A submission that was just kept as JSON: what `Submission` dumps of it, without the way through its fields."""
    return {
        "id": str(row.id),
        "contest": row.contest,
        "contestant": {"id": str(row.contestant_id), "name": row.contestant},
        "state": row.state,
        "position": None,
        "expected_wait": None,
        "received_at": row.received_at.isoformat(),
        "late": row.late,
        "disqualified": False,
        "withdrawn": False,
        "size": row.size,
        "sha256": row.sha256,
        "verdict": None,
        "version": None,
        "decided_at": None,
        "receipt": receipt(row),
    }


class Player(Schema):
    """One side of a match."""

    seat = fields.Integer(required=True, validate=validate.Range(min=1))
    contestant = fields.Nested(Name, required=True)
    points = fields.String(required=True, metadata=about("What the match is worth, an exact fraction."))
    confirmed = fields.Boolean(
        allow_none=True, required=True, metadata=about("`false` is a dispute, null no answer yet.")
    )


class Match(Schema):
    """A match, or why an accepted record is none."""

    submission = fields.UUID(required=True)
    state = fields.String(required=True, validate=validate.OneOf(get_args(MatchState)))
    counts = fields.Boolean(required=True, metadata=about("It is one of those that the table is made of."))
    late = fields.Boolean(required=True)
    fault = fields.String(
        allow_none=True, required=True, validate=validate.OneOf(get_args(Fault)), metadata=about("Of a faulty one.")
    )
    fault_name = fields.String(allow_none=True, required=True, metadata=about("Whose name is the fault."))
    same_as = fields.UUID(allow_none=True, required=True, metadata=about("Of a duplicate: the earlier submission."))
    result = fields.Raw(required=True, metadata=about("As the score has it: `1-0`, or a list of places."))
    received_at = fields.AwareDateTime(required=True)
    answer_by = fields.AwareDateTime(
        required=True, metadata=about("When it waits for an organiser, unless all have answered.")
    )
    players = fields.List(fields.Nested(Player), required=True)


def match(row: Any) -> dict[str, Any]:
    """A match as `Match` dumps it."""
    names = ("submission", "state", "counts", "late", "fault", "fault_name", "same_as", "result", "received_at",
             "answer_by")  # fmt: skip
    players = [
        {
            "seat": each.seat,
            "contestant": {"id": each.contestant_id, "name": each.name},
            "points": each.points,
            "confirmed": each.answer,
        }
        for each in row.players
    ]
    return {**{name: getattr(row, name) for name in names}, "players": players}


class Matches(Schema):
    """Some matches."""

    matches = fields.List(fields.Nested(Match), required=True)
    next = fields.UUID(allow_none=True, required=True, metadata=about("`before` of the page behind this one."))


class Submissions(Schema):
    """A page of submissions, the newest first."""

    submissions = fields.List(fields.Nested(Submission), required=True)
    next = fields.String(allow_none=True, required=True, metadata=about("The cursor of the next page."))


class ContestSetup(Schema):
    """A starting position of a contest."""

    number = fields.Integer(required=True)
    name = fields.String(required=True)
    header = fields.String(
        required=True, metadata=about("As a record writes it: `deal: 7`, or `layout:` and its lines.")
    )


class League(Schema):
    """What a contest of a game asks of matches."""

    per_pair = fields.Integer(
        allow_none=True, required=True, metadata=about("So many matches between the same players count; null: all.")
    )
    answer_days = fields.Integer(
        required=True, metadata=about("So long players have to confirm a match; then it waits for an organiser.")
    )
    invited = fields.Boolean(required=True, metadata=about("Only those who are invited may play."))


class Contest(Schema):
    """A contest as it is now."""

    slug = fields.String(required=True)
    titles = fields.Dict(
        keys=fields.String(), values=fields.String(), required=True, metadata=about("Language code to title.")
    )
    descriptions = fields.Dict(
        keys=fields.String(), values=fields.String(), required=True, metadata=about("Language code to Markdown.")
    )
    puzzle = fields.String(required=True)
    setups = fields.List(fields.Nested(ContestSetup), required=True)
    league = fields.Nested(League, allow_none=True, required=True, metadata=about("Of a game; null for a puzzle."))
    phase = fields.String(required=True, validate=validate.OneOf(PHASES))
    provisional = fields.Boolean(required=True, metadata=about("Closed, but not every timely submission is decided."))
    opens_at = fields.AwareDateTime(required=True)
    freezes_at = fields.AwareDateTime(allow_none=True, required=True)
    closes_at = fields.AwareDateTime(required=True, metadata=about("In time is what came before this."))
    publishes_at = fields.AwareDateTime(required=True)
    quota = fields.Integer(allow_none=True, required=True, metadata=about("Uploads of a contestant in a UTC day."))
    keeps_records = fields.Boolean(
        required=True, metadata=about("false: results leave the board with the account of who handed them in.")
    )
    now = fields.AwareDateTime(required=True, metadata=about("The clock that counts."))


class Contests(Schema):
    """All contests."""

    contests = fields.List(fields.Nested(Contest), required=True)


class Standing(Schema):
    """A place on the board."""

    rank = fields.Integer(required=True, metadata=about("Equal results share it, and the next one skips: 1, 1, 3."))
    contestant = fields.Nested(Name, required=True)
    score = fields.Dict(required=True)
    received_at = fields.AwareDateTime(required=True)
    submission = fields.UUID(required=True, allow_none=True)


def standing(row: Any) -> dict[str, Any]:
    """A place on the board as `Standing` dumps it."""
    return {
        "rank": row.rank,
        "contestant": {"id": row.contestant_id, "name": row.name},
        "score": row.score,
        "received_at": row.received_at,
        "submission": row.submission,
    }


class Standings(Schema):
    """A page of the board."""

    standings = fields.List(fields.Nested(Standing), required=True)
    next = fields.String(allow_none=True, required=True)
    previous = fields.String(allow_none=True, required=True)
    total = fields.Integer(required=True, metadata=about("Places on the whole board."))
    event = fields.Integer(required=True, metadata=about("The contest's last public event."))
    phase = fields.String(required=True, validate=validate.OneOf(PHASES))
    provisional = fields.Boolean(required=True, metadata=about("Closed, but not every timely submission is decided."))


class Around(Schema):
    """One contestant's place, between the neighbours."""

    rank = fields.Integer(required=True)
    standings = fields.List(fields.Nested(Standing), required=True)


class Step(Schema):
    """A position of a play."""

    number = fields.Integer(required=True, metadata=about("Its number, from 0, the start."))
    token = fields.String(required=True, metadata=about("What led to it; empty for the start."))
    turn = fields.Integer(required=True, metadata=about("The number of the move or turn that it belongs to."))
    move = fields.Integer(required=True, metadata=about("The number of the move that is due."))
    seat = fields.Integer(required=True, allow_none=True, metadata=about("Whose token it is, from 1."))
    due = fields.Integer(required=True, allow_none=True, metadata=about("Who is on turn, from 1."))
    line = fields.Integer(required=True, allow_none=True, metadata=about("Where the token stands in the record."))
    column = fields.Integer(required=True, allow_none=True)
    error = fields.Dict(required=True, allow_none=True, metadata=about("Of the last step, why the token is no move."))
    view = fields.Dict(metadata=about("Panels of labelled pieces with marks."))
    picture = fields.String(metadata=about("The view as HTML with SVG, and in words."))
    said = fields.String(metadata=about("What has happened, in words."))
    now = fields.String(metadata=about("The number, the player and the token, as HTML."))
    record = fields.String(metadata=about("The token's place in the record, as HTML."))


class Replay(Schema):
    """Part of a play."""

    boards = fields.Integer(required=True, metadata=about("How many there are; 1 of all but jc-golden-nugget."))
    board = fields.Integer(required=True)
    total = fields.Integer(required=True, metadata=about("Steps of the whole board, the start and an error included."))
    players = fields.List(fields.String(), required=True, metadata=about("The names in seat order, where given."))
    steps = fields.List(fields.Nested(Step), required=True)
    next = fields.Integer(allow_none=True, required=True, metadata=about("`first` of the steps that follow."))


class Puzzle(Schema):
    """A puzzle or game that can be verified."""

    id = fields.String(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(("puzzle", "game")))
    url = fields.String(required=True)
    page = fields.String(required=True, metadata=about("The page with its rules."))


class Puzzles(Schema):
    """Everything that can be verified."""

    puzzles = fields.List(fields.Nested(Puzzle), required=True)
    version = fields.String(required=True, metadata=about("The verifier's version."))
    limit = fields.Integer(required=True, metadata=about("The most bytes of a record."))


class FullPuzzle(Puzzle):
    """A puzzle or game, with what is needed to write a record of it."""

    headers = fields.List(fields.String(), required=True, metadata=about("The header keys of a record."))
    setup = fields.Boolean(required=True, metadata=about("Whether a record starts from a deal, seed or layout."))
    rules = fields.String(required=True, metadata=about("The rules, as text (Markdown)."))
    example = fields.String(required=True, metadata=about("An accepted record."))
    limits = fields.Dict(required=True)


class Deal(Schema):
    """What a deal's number stands for."""

    puzzle = fields.String(required=True)
    deal = fields.Integer(required=True, validate=validate.Range(0, LAST_DEAL))
    layout = fields.List(
        fields.String(), required=True, metadata=about("The setup written out, as `layout` of a JSON record has it.")
    )
    view = fields.Dict(required=True, metadata=about("The position that a play starts from."))


class Place(Schema):
    """What is wrong with one field."""

    detail = fields.String(required=True)
    pointer = fields.String(metadata=about("Where in the body (RFC 6901)."))
    parameter = fields.String(metadata=about("Which parameter of the query."))
    header = fields.String(metadata=about("Which header."))


class Problem(Schema):
    """An error (RFC 9457)."""

    type = fields.String(required=True, metadata=about("A page that explains the code.", format="uri-reference"))
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    code = fields.String(required=True, validate=validate.OneOf(list(problems.PROBLEMS)))
    detail = fields.String()
    request_id = fields.String()
    errors = fields.List(fields.Nested(Place), metadata=about("Each field that isn't valid."))
    verdict = fields.Nested(Verdict, metadata=about("Of a record that is too large."))
    quota = fields.Integer()
    resets_at = fields.String(metadata={"format": "date-time"})
    phase = fields.String(validate=validate.OneOf(PHASES))
