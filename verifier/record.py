"""Reads a record, text or JSON, into a header and tokens that know their line and column (docs/FORMATS.md).

Places cost time, and only an error needs one: so tokens are plain strings, and the place of one is found by reading the
record once more.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from verifier.chance import Stream
from verifier.rules import LAST_DEAL, SEED, SETUP_HEADERS, Header, Match, Rules, Setup
from verifier.verdict import Rejected, shown

LIMIT = 1024 * 1024
"""The longest record, in bytes."""
DEPTH = 5
"""The deepest nesting of a JSON record."""

Place = tuple[int, int] | None
"""Line and column, both from 1; None in JSON."""

BLANK = " \t\r\n"
_TOKEN = re.compile(r"[^ \t\r\n,]+")
_COMMENT = re.compile(r"#[^\n]*")
_PIECE = re.compile(r"#[^\n]*|([^ \t\r\n,#]+)")
# Lines without a token, then the white space before the first one. Possessive, so that a megabyte of them is read once.
_NOTHING = re.compile(r"(?:[ \t\r,]*+(?:#[^\n]*+)?\n)*+[ \t\r]*+")
_FOLD = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class Allowed(NamedTuple):
    """What a contest takes: one puzzle, and certain setups of it (none named: any)."""

    puzzle: str
    setups: tuple[Setup, ...] = ()


def fold(text: str) -> str:
    """A-Z as a-z, everything else as it is: no other character may turn into an ASCII one."""
    return text.translate(_FOLD)


class Record(ABC):
    """A record whose header is read by `read_header`, and whose body then stands in `tokens` (JSON: or `boards`)."""

    rules: Rules
    """What the record is of; unset while no valid `puzzle` has been read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._token_starts: array[int] | None = None
        self.header = Header()
        self.tokens: Sequence[str] = ()
        self.boards: Any = None
        self._deal: int | None = None
        self._seed: str | None = None

    @property
    def puzzle(self) -> str | None:
        return self.rules.id if hasattr(self, "rules") else None

    @abstractmethod
    def read_header(self, registry: Mapping[str, Rules], allowed: Allowed | None) -> None:
        """Read everything before the body, the setup too; the first error is raised with its place."""

    @abstractmethod
    def place(self, index: int) -> Place:
        """Where the token of that index stands."""

    def places(self, indexes: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Where the tokens of these indexes stand, in JSON too; a replay shows them, no verdict has them."""
        if self._token_starts is None:
            self._token_starts = array("I", self._starts())
        starts = self._token_starts
        return {index: self._place(starts[index]) for index in indexes if index < len(starts)}

    @abstractmethod
    def _starts(self) -> Iterator[int]:
        """Where each token of the body starts in the text."""

    def _place(self, at: int) -> tuple[int, int]:
        return self._text.count("\n", 0, at) + 1, at - self._text.rfind("\n", 0, at)

    @abstractmethod
    def place_of(self, key: str) -> Place:
        """Where the value of a header stands."""

    @abstractmethod
    def last(self) -> Place:
        """Where the last thing read stands: the last token, else a layout's last entry or the last header's value."""

    @abstractmethod
    def end(self) -> Place:
        """Just past the record's last character."""

    # --- what text and JSON have in common ---------------------------------------------------------------------------

    def _named(self, name: str, registry: Mapping[str, Rules], allowed: Allowed | None) -> Rules:
        """The rules of that id, or `unknown-puzzle`."""
        rules = registry.get(fold(name))
        if rules is None:
            raise Rejected("unknown-puzzle", "There is no puzzle or game {name}.", name=shown(name))
        if allowed and rules.id != allowed.puzzle:
            raise Rejected(
                "unknown-puzzle", "This contest is about {due}, not about {found}.", due=allowed.puzzle, found=rules.id
            )
        return rules

    def _read(self, key: str, value: Any) -> None:
        """Take in a header that the puzzle knows, `layout` aside; `value` is text, or of the type that JSON has."""
        rules = self.rules
        match key, rules:
            case "deal", _:
                if not (0 <= value <= LAST_DEAL):
                    raise Rejected("unknown-deal", "A deal is a number from 0 to {last}.", last=LAST_DEAL)
                self._deal = value
            case "seed", _:
                self._seed = fold(value)
                if not SEED.fullmatch(self._seed):
                    raise Rejected(
                        "malformed", "A seed is 1 to 64 hexadecimal digits, not {found}.", found=shown(value)
                    )
            case "players", Match():
                if not all(value):
                    raise Rejected("malformed", "A player's name is empty.")
                self.header.players = rules.read_players(tuple(value))
            case "result", Match():
                self.header.result = rules.read_result(value)
            case _:
                self.header.options[key] = rules.option(key, fold(value) if isinstance(value, str) else value)
        if key in ("players", "result") and self.header.players and self.header.result and isinstance(rules, Match):
            with located(lambda: self.place_of("result")):
                rules.agree(self.header)

    def _dealt(self) -> Setup | None:
        """The setup that the deal or the seed gives; None where neither does."""
        if self._deal is None and self._seed is None:
            return None
        seed = str(self._deal) if self._seed is None else self._seed
        draw, rules = Stream(self.rules.id, seed), self.rules
        if "deal" not in rules.headers:
            self.header.draw = draw
            return None
        start, self.header.draw = rules.deal(draw)
        name = f"deal {seed}" if self._seed is None else f"seed {seed}"
        return Setup(rules.id, start, name, rules.written(start))

    def _lay(self, entries: Sequence[str], place: Callable[[int], Place]) -> Setup:
        """The setup that a layout's entries (folded) give; `place` tells where the entry of an index stands."""
        read, due = 0, self.rules.layout_size

        def judged() -> Iterator[str]:
            nonlocal read
            for entry in islice(entries, due):
                read += 1
                yield entry
            if read < due:
                raise Rejected("malformed", "The layout has {n} entries instead of {due}.", n=read, due=due)

        with located(lambda: place(max(read - 1, 0))):
            rest = judged()
            start = self.rules.lay(rest)
            for _ in rest:
                raise AssertionError(f"{self.rules.id} did not look at the whole layout")
        if len(entries) > due:
            raise Rejected("malformed", "The layout has more than {due} entries.", due=due).at(place(due))
        return Setup(self.rules.id, start, "", self.rules.written(start))

    def _settle(
        self, laid: Setup | None, entries: Sequence[str], place: Callable[[int], Place], allowed: Allowed | None
    ) -> None:
        """The headers have ended: what they say together."""
        rules, first = self.rules, self.first()
        dealt = self._dealt()
        if ("layout" in rules.headers) and not dealt and not laid:
            ways = " or ".join(f"`{key}:`" for key in SETUP_HEADERS if key in rules.headers)
            raise Rejected(
                "unknown-deal", "The record doesn't say what it starts from: {ways} is missing.", ways=ways
            ).at(first)
        if dealt and laid and dealt != laid:
            wrong = rules.differs(entries, dealt.start)
            raise Rejected(
                "wrong-draw",
                "The layout is not the one that the seed gives, from {found} on.",
                found=shown(entries[wrong]),
            ).at(place(wrong))
        self.header.setup = dealt or laid
        if allowed and allowed.setups and self.header.setup not in allowed.setups:
            where = next(key for key in SETUP_HEADERS if key in self._given())
            raise Rejected(
                "unknown-deal",
                "This contest doesn't have that setup, but: {setups}.",
                setups=", ".join(setup.name or "a layout" for setup in allowed.setups),
            ).at(self.place_of(where))
        with located(lambda: first):
            rules.check(self.header)

    def first(self) -> Place:
        """The place of a header that is missing."""
        return (1, 1)

    @abstractmethod
    def _given(self) -> Sequence[str]:
        """The header keys that the record has."""


@contextmanager
def located(place: Callable[[], Place]) -> Iterator[None]:
    """Gives an error raised inside its place, unless it has one."""
    try:
        yield
    except Rejected as error:
        raise error.at(place()) from None


class TextRecord(Record):
    """A record as lines of text."""

    def __init__(self, text: str):
        super().__init__(text)
        self._keys: dict[str, int] = {}  # where each key stands
        self._values: dict[str, int] = {}  # where its value stands, or the key if it has none
        self._entries: list[int] = []  # where the layout's entries stand
        self._last = 0
        self._body = len(text)

    def read_header(self, registry: Mapping[str, Rules], allowed: Allowed | None) -> None:
        waiting: list[tuple[str, str]] = []  # headers that stand before `puzzle:`
        laid: Setup | None = None
        entries: list[str] = []
        at = self._next(0)
        while at < len(self._text):
            stop = self._line_end(at)
            line = self._text[at:stop].partition("#")[0]
            if ":" not in line:
                if _TOKEN.search(line):
                    break
                at = stop
                continue
            key, value = self._key(at, line, registry)
            at = stop
            if key == "puzzle":
                with self._at(key):
                    self.rules = self._named(value, registry, allowed)
                for earlier in waiting:
                    self._header(*earlier)
            elif not self.puzzle and key != "layout":
                waiting.append((key, value))
            elif not self.puzzle:
                self._no_puzzle()
            elif key == "layout":
                self._header(key, value)
                entries, at = self._layout(at)
                laid = self._lay(entries, self._entry)
            else:
                self._header(key, value)
            at = self._next(at)
        if not self.puzzle:
            self._no_puzzle()
        self._settle(laid, entries, self._entry, allowed)
        self._body = at
        body = fold(self._text[at:])
        self.tokens = _TOKEN.findall(_COMMENT.sub("", body) if "#" in body else body)

    def _no_puzzle(self) -> NoReturn:
        raise Rejected("unknown-puzzle", "The record doesn't say what it is of: a line `puzzle: ID` comes first.").at(
            (1, 1)
        )

    def _key(self, at: int, line: str, registry: Mapping[str, Rules]) -> tuple[str, str]:
        """A header line's key, which must be one that some puzzle knows and new, and its value as written."""
        written, _, rest = line.partition(":")
        key, value = fold(written.strip(BLANK)), rest.strip(BLANK)
        self._keys.setdefault(key, at)
        if not (key == "puzzle" or (self.puzzle and key in self.rules.headers) or _known(key, registry)):
            raise Rejected("malformed", "There is no header {key}.", key=shown(written.strip(BLANK))).at(
                self._place(at)
            )
        if key in self._values:
            raise Rejected("malformed", "The header {key} is there twice.", key=key).at(self._place(at))
        self._values[key] = at + len(written) + 1 + rest.index(value) if value else at
        self._last = self._values[key]
        return key, value

    def _header(self, key: str, value: str) -> None:
        """Judge a header, now that the puzzle is known."""
        rules = self.rules
        if key not in rules.headers:
            raise Rejected("malformed", "{puzzle} has no header {key}.", puzzle=rules.id, key=key).at(
                self._place(self._keys[key])
            )
        if _excluded(key, self._before(key)):
            raise _twice().at(self._place(self._keys[key]))
        with self._at(key):
            if key == "layout":
                if value:
                    raise Rejected(
                        "malformed", "The layout starts on the line below `layout:`, nothing else stands here."
                    )
            elif key == "deal":
                self._read(key, _number(value))
            elif key == "players":
                self._read(key, [name.strip(BLANK) for name in value.split(",")])
            else:
                self._read(key, value)

    def _before(self, key: str) -> list[str]:
        """The headers judged or standing before this one."""
        return [other for other, at in self._keys.items() if at < self._keys[key]]

    def _layout(self, at: int) -> tuple[list[str], int]:
        """The entries on whole lines from there on, until there are enough; and where the next line starts."""
        entries: list[str] = []
        stop = len(self._text)
        for piece in _PIECE.finditer(self._text, at):
            if piece.start() >= stop:
                break
            if piece[1]:
                entries.append(fold(piece[1]))
                self._entries.append(piece.start())
                if len(entries) == self.rules.layout_size:
                    stop = self._line_end(piece.end())
                elif len(entries) > self.rules.layout_size:
                    break
        self._last = self._entries[-1] if self._entries else self._last
        return entries, stop

    def _given(self) -> Sequence[str]:
        return list(self._keys)

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _next(self, at: int) -> int:
        """Where the next line starts that has more than separators and a comment (or the record ends)."""
        nothing = _NOTHING.match(self._text, at)
        return nothing.end() if nothing else at

    # --- places ------------------------------------------------------------------------------------------------------

    @contextmanager
    def _at(self, key: str) -> Iterator[None]:
        with located(lambda: self.place_of(key)):
            yield

    def _entry(self, index: int) -> Place:
        return self._place(self._entries[index] if self._entries else self._values["layout"])

    def place_of(self, key: str) -> Place:
        return self._place(self._values[key])

    def place(self, index: int) -> Place:
        return self._place(next(islice(self._starts(), index, None)))

    def _starts(self) -> Iterator[int]:
        return (piece.start(1) for piece in _PIECE.finditer(self._text, self._body) if piece[1])

    def last(self) -> Place:
        return self.place(len(self.tokens) - 1) if self.tokens else self._place(self._last)

    def end(self) -> Place:
        return self._place(len(self._text))


class JsonRecord(Record):
    """A record as one JSON object. Its errors have no line and column."""

    def __init__(self, content: dict[str, Any], text: str):
        super().__init__(text)
        self._content = content

    def read_header(self, registry: Mapping[str, Rules], allowed: Allowed | None) -> None:
        content = dict(self._content)
        if "puzzle" not in content:
            raise Rejected("unknown-puzzle", "The record doesn't say what it is of: the key `puzzle` is missing.")
        self.rules = self._named(_text("puzzle", content.pop("puzzle")), registry, allowed)
        body = self.rules.body
        for key in content:
            if key != body and key not in self.rules.headers:
                raise Rejected("malformed", "{puzzle} has no key {key}.", puzzle=self.rules.id, key=shown(key))
        content.pop(body, None)
        later: Rejected | None = None  # types and forms are judged before ranges
        for key, value in content.items():
            try:
                if key == "layout":
                    strings(key, value)
                else:
                    self._read(key, _typed(key, value))
            except Rejected as error:
                if error.code == "malformed":
                    raise
                later = later or error
        if later:
            raise later
        if any(_excluded(key, content) for key in SETUP_HEADERS if key in content):
            raise _twice()
        entries = list(tokens_of(content["layout"])) if "layout" in content else []
        laid = self._lay(entries, self.place) if "layout" in content else None
        self._settle(laid, entries, self.place, allowed)
        if body not in self._content:
            raise Rejected("malformed", "The key {key} is missing.", key=body)
        if body == "boards":
            self.boards = self._content[body]
        else:
            self.tokens = list(tokens_of(strings(body, self._content[body])))

    def _given(self) -> Sequence[str]:
        return list(self._content)

    def first(self) -> Place:
        return None

    def place(self, index: int) -> Place:
        return None

    def place_of(self, key: str) -> Place:
        return None

    def last(self) -> Place:
        return None

    def end(self) -> Place:
        return None

    def _starts(self) -> Iterator[int]:
        body = self.rules.body
        for at, written in _strings(self._text, ("moves",) if body == "moves" else (body, "moves")):
            string, units = written, None
            if "\\" in written:
                import json

                string, units = json.loads(f'"{written}"'), [unit.start() for unit in _UNIT.finditer(written)]
            tokens = [token.start() for token in _TOKEN.finditer(string)]
            yield from (at + (units[start] if units else start) for start in tokens or [0])


def opened(data: bytes) -> Record:
    """The record in these bytes, nothing read of it yet: of the right size, in UTF-8, and JSON where it is JSON."""
    if len(data) > LIMIT:
        raise Rejected("too-large", "The record is over {limit} bytes long.", limit=LIMIT)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode().removeprefix("\ufeff")
        raise Rejected(
            "malformed", "The record is not UTF-8: the byte {byte} can't stand here.", byte=f"{data[error.start]:02X}"
        ).at((before.count("\n") + 1, len(before) - before.rfind("\n"))) from None
    text = text.removeprefix("\ufeff")
    return JsonRecord(_parsed(text), text) if text.lstrip(BLANK).startswith("{") else TextRecord(text)


def _excluded(key: str, others: Any) -> bool:
    """Whether a setup given by this key can't stand beside what else is given."""
    return (key == "deal" and ("seed" in others or "layout" in others)) or (
        key in ("seed", "layout") and "deal" in others
    )


def _known(key: str, registry: Mapping[str, Rules]) -> bool:
    """Whether some puzzle knows a header of that key; asked only where it is not plain, as it loads them all."""
    return any(key in rules.headers for rules in registry.values())


def _twice() -> Rejected:
    return Rejected(
        "unknown-deal", "The setup is given twice: `deal` stands alone, or `seed`, `layout` or both without it."
    )


def _number(value: str) -> int:
    """A deal's number; one too long to be in range is cut, as Python reads only so many digits."""
    if not re.fullmatch("[0-9]+", value):
        raise Rejected("malformed", "A deal is a whole number, not {found}.", found=shown(value))
    return int(value.lstrip("0")[:20] or "0")


# --- JSON ------------------------------------------------------------------------------------------------------------


def _parsed(text: str) -> dict[str, Any]:
    """The object in the text; whatever JSON or docs/FORMATS.md doesn't allow is `malformed`."""
    import json  # most records are text

    try:
        content = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer)
        _check_depth(content, DEPTH)
    except json.JSONDecodeError as error:
        raise Rejected(
            "malformed",
            "The JSON can't be read from line {line}, column {column} on.",
            line=error.lineno,
            column=error.colno,
        ) from None
    except RecursionError:
        raise _too_deep() from None
    return content  # type: ignore[no-any-return]  # it starts with a brace


def _too_deep() -> Rejected:
    return Rejected("malformed", "The JSON is nested more than {depth} levels deep.", depth=DEPTH)


def _check_depth(value: Any, levels: int) -> None:
    if isinstance(value, dict | list):
        if not levels:
            raise _too_deep()
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict | list):
                _check_depth(inner, levels - 1)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise Rejected("malformed", "The key {key} is there twice.", key=shown(twice))
    return content


_PART = re.compile(r'"((?:[^"\\]++|\\.)*+)"([ \t\r\n]*+:)?|[\[\]{}]')
_UNIT = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\\]")
"""What stands for one character in a string of JSON."""


def _strings(text: str, path: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """The strings of the lists under these keys, each as it is written and where that starts; the JSON can be read."""
    import json

    keys: list[str] = []  # of the lists and objects around, the outermost has none
    key = ""
    for part in _PART.finditer(text):
        match part[0]:
            case "{" | "[":
                keys.append(key)
                key = ""
            case "}" | "]":
                keys.pop()
                key = ""
            case _ if part[2]:
                key = json.loads(f'"{part[1]}"')
            case _ if not key and tuple(filter(None, keys)) == path:
                yield part.start(1), part[1]
            case _:
                key = ""


def _constant(name: str) -> NoReturn:
    raise Rejected("malformed", "{name} is no number.", name=name)


def _integer(digits: str) -> int:
    """A number too long for anything here is cut: it stays out of every range, and costs no time."""
    return int(digits[:25])


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise Rejected("malformed", "{key} is not a string.", key=key)
    return value.strip(BLANK)


def strings(key: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Rejected("malformed", "{key} is not a list of strings.", key=key)
    return value


def _typed(key: str, value: Any) -> Any:
    """A header's value, of the type that JSON must have for it (a result and the puzzle's own keys: any)."""
    match key:
        case "deal":
            if type(value) is not int:
                raise Rejected("malformed", "{key} is not a whole number.", key=key)
            return value
        case "seed":
            return _text(key, value)
        case "players":
            names = [name.strip(BLANK) for name in strings(key, value)]
            if any("," in name for name in names):
                raise Rejected("malformed", "A player's name has a comma.")
            return names
        case "result" if isinstance(value, str) and "," in value:
            raise Rejected("malformed", "Places are a list of whole numbers in JSON, not a string.")
        case _:
            return value.strip(BLANK) if isinstance(value, str) else value


def tokens_of(strings: list[str]) -> Iterator[str]:
    """The tokens of a list of strings, folded; a string without any counts as one that can't be read."""
    for string in strings:
        yield from _TOKEN.findall(fold(string)) or ("",)
