"""What organisers send and read (marshmallow)."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from api import i18n
from api.schemas import STATES, Digits, Name, Paged, Submission, Truth, Whole, _text, _words, about
from leaderboard import notices
from leaderboard.contests import DESCRIPTION, TITLE
from leaderboard.organising import ACTS
from verifier.verdict import CODES

WHY = "Why. The public may read it, unless it tells of a result that is not public."


def _texts(name: str, longest: int) -> type[Schema]:
    """A text in each of our languages; English is needed."""
    checks: list[Any] = [validate.Length(max=longest), _words]
    return Schema.from_dict(
        {code: fields.String(required=code == "en", validate=checks) for code in i18n.LANGUAGES}, name=name
    )


Title, Description, NoticeText = (
    _texts(name, longest)
    for name, longest in (("Title", TITLE), ("Description", DESCRIPTION), ("NoticeText", notices.LENGTH))
)


class Reason(Schema):
    """Why something is done."""

    reason = fields.String(required=True, validate=[validate.Length(min=1, max=500), _text], metadata=about(WHY))


class Terms(Schema):
    """What a contest of a game asks of matches."""

    per_pair = Whole(allow_none=True, load_default=1, validate=validate.Range(1, 10_000))
    answer_days = Whole(load_default=7, validate=validate.Range(1, 365))
    invited = Truth(load_default=False)


class NewContest(Schema):
    """A contest to be held."""

    slug = fields.String(required=True, validate=validate.Regexp("^[a-z0-9]+(-[a-z0-9]+)*$"))
    titles = fields.Nested(Title, required=True)
    descriptions = fields.Nested(Description, allow_none=True, load_default=None, metadata=about("Markdown."))
    puzzle = fields.String(required=True)
    setups = fields.List(
        fields.String(validate=[validate.Length(max=1000), _text]),
        load_default=[],
        validate=validate.Length(max=100),
        metadata=about("Written as in a record, such as `deal: 7`."),
    )
    opens_at = fields.AwareDateTime(required=True)
    freezes_at = fields.AwareDateTime(allow_none=True, load_default=None)
    closes_at = fields.AwareDateTime(required=True)
    publishes_at = fields.AwareDateTime(allow_none=True, load_default=None, metadata=about("null: at closes_at."))
    quota = Whole(allow_none=True, load_default=None, validate=validate.Range(1, 10**6))
    keeps_records = Truth(
        load_default=True, metadata=about("false: results leave the board with the account of who handed them in.")
    )
    league = fields.Nested(Terms, allow_none=True, load_default=None, metadata=about("Of a game."))


class Times(Reason):
    """Other times for a contest; those left out stay."""

    opens_at = fields.AwareDateTime()
    freezes_at = fields.AwareDateTime(allow_none=True, metadata=about("null: it does not freeze."))
    closes_at = fields.AwareDateTime()
    publishes_at = fields.AwareDateTime()


class Now(Reason):
    """What is to happen at once."""

    act = fields.String(required=True, validate=validate.OneOf(list(ACTS)))


class Disqualification(Reason):
    """Whether a submission is off the board."""

    disqualified = Truth(required=True)


class Hiding(Reason):
    """Whether the public reads a neutral text in the place of a name."""

    hidden = Truth(required=True)


class Invitation(Schema):
    """Who may play."""

    name = fields.String(required=True, validate=[validate.Length(min=1, max=200), _text])


class NoticeTexts(Schema):
    """What a notice says."""

    texts = fields.Nested(
        NoticeText, required=True, allow_none=True, metadata=about("Markdown; null: take the notice back.")
    )


class Notice(Schema):
    """What organisers tell everybody."""

    number = fields.Integer(required=True)
    texts = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    posted_at = fields.AwareDateTime(required=True)
    edited_at = fields.AwareDateTime(required=True, allow_none=True)


class Notices(Schema):
    """Notices, the newest first."""

    notices = fields.List(fields.Nested(Notice), required=True)


class SubmissionsOf(Paged):
    """Which submissions of a contest."""

    state = fields.String(validate=validate.OneOf(STATES))
    code = fields.String(validate=validate.OneOf(sorted(CODES)), metadata=about("Of the error of a rejected one."))
    contestant = fields.UUID()
    late = Digits(validate=validate.Range(0, 1), metadata=about("1: late ones; 0: those in time."))
    disqualified = Digits(validate=validate.Range(0, 1))
    since = fields.AwareDateTime(metadata=about("Received then or later."))


class Alike(Schema):
    """Submissions of several contestants that play the same way."""

    submissions = fields.List(fields.Nested(Submission), required=True)


class AllAlike(Schema):
    """Groups of submissions that play alike, the newest first."""

    groups = fields.List(fields.Nested(Alike), required=True)


class AuditOf(Schema):
    """Which part of the log."""

    limit = Digits(load_default=50, validate=validate.Range(1, 200), metadata=about("How many at most."))
    before = Digits(
        validate=validate.Range(0, 10**18 - 1), metadata=about("The id of the last entry of the page before.")
    )


class AuditEntry(Schema):
    """What was done."""

    id = fields.Integer(required=True)
    at = fields.AwareDateTime(required=True)
    action = fields.String(required=True)
    reason = fields.String(required=True)
    detail = fields.Dict(required=True, metadata=about("What was changed: a field's name to [before, after]."))
    whom = fields.String(required=True, allow_none=True, metadata=about("The contestant whom it concerns."))
    actor = fields.String(metadata=about("Who did it; for organisers."))
    object = fields.String(metadata=about("What it was done to; for organisers."))


class Audit(Schema):
    """A part of the log, the newest first."""

    entries = fields.List(fields.Nested(AuditEntry), required=True)
    next = fields.Integer(required=True, allow_none=True, metadata=about("`before` of the next page."))


class Contestant(Name):
    """A contestant and how the public reads the name."""

    hidden = fields.Boolean(required=True)
    shown = fields.String(required=True)


class Invitations(Schema):
    """Who may play in a contest that is by invitation."""

    invitations = fields.List(fields.Nested(Contestant), required=True)
