// The rules of JC Golden Nugget in the browser: a second implementation beside the verifier's, written from the rules page
// and the description of the formats, to which both must answer alike. No page, no network: values in, values out.
//
// A position is an Array of the 49 block numbers, row by row from the top. Board numbers and moves count from 1; odd boards
// show side A, even ones side B, so turning a board over is looking at the same position under the next number.

export const FEWEST = 20; // boards in a chain
export const MOST = 200;
export const MOVES = 99; // on a board
export const PLACES = [..."1234567ABCDEFGHIJKLMNOPQRSTU"]; // clockwise around the board, from the upper left corner
export const START = Array.from({ length: 49 }, (_, cell) => cell + 1);

const SIDE_A = "ywbwpwr wpwrwgw bwywbwg wgwgwyw ywrwpwy wrwpwbw gwrwpwb".replaceAll(" ", "");
const SIDE_B = "wwwywwy ypwwbwb pgwwrwy wwywgww pwgwgpb grrrwwp bwwrwwb".replaceAll(" ", "");
const LARGEST = 1024 * 1024; // bytes of a record
const DEEPEST = 5; // lists and objects of a JSON record, one in another

/** The colour that a block shows on a board: one of w y b p r g. */
export function colour(block, board) {
  return (board % 2 ? SIDE_A : SIDE_B)[block - 1];
}

/** The seven cells of a place's line, the nearest first. */
export const LINES = Object.fromEntries(PLACES.map((place, at) => {
  const [near, step] = [
    (n) => [n, 7], // 1-7: down the columns, from the left
    (n) => [7 * n + 6, -1], // A-G: left along the rows, from the top
    (n) => [48 - n, -7], // H-N: up the columns, from the right
    (n) => [7 * (6 - n), 1], // O-U: right along the rows, from the bottom
  ][Math.floor(at / 7)](at % 7);
  return [place, Array.from({ length: 7 }, (_, away) => near + away * step)];
}));

/**
 * What a push from that place would do: `{ position, white, line }`, where `white` (2 to 7) says how far from the place the
 * white block lay that is now in front, and `line` lists the cells; or `{ code, white }` where it is forbidden.
 */
export function push(position, board, place) {
  const line = LINES[place];
  const white = line.findLastIndex((cell) => colour(position[cell], board) === "w") + 1;
  if (!white) return { code: "no-white-block", white };
  const moved = line.slice(0, white - 1);
  if (moved.every((cell) => colour(position[cell], board) === "w")) return { code: "no-coloured-block-moves", white };
  const next = [...position];
  next[line[0]] = position[line[white - 1]];
  moved.forEach((cell, away) => { next[line[away + 1]] = position[cell]; });
  return { position: next, white, line };
}

/** Whether the coloured blocks fill the inner 5x5, each of its rows, or each of its columns, in one colour. */
export function isSolved(position, board) {
  const five = [1, 2, 3, 4, 5];
  const seen = (row, column) => colour(position[7 * row + column], board);
  if (five.some((row) => five.some((column) => seen(row, column) === "w"))) return false;
  return five.every((row) => five.every((column) => seen(row, column) === seen(row, 1)))
    || five.every((column) => five.every((row) => seen(row, column) === seen(1, column)));
}

/** The exact mean, in lowest terms: "59", "1181/20". */
export function mean(moves, boards) {
  let [a, b] = [moves, boards];
  while (b) [a, b] = [b, a % b];
  return boards === a ? `${moves / a}` : `${moves / a}/${boards / a}`;
}

/**
 * The record of a chain as formats.md shows it: `boards` lists the places of each board's pushes, in full notation if wished.
 * The position is written below every board that is solved.
 */
export function write(boards, { full = true } = {}) {
  return ["puzzle: jc-golden-nugget\n", ...sections(boards, { full })].join("\n");
}

/** The same board by board. */
export function sections(boards, { full = true } = {}) {
  let position = START;
  return boards.map((places, at) => {
    const moves = places.map((place) => {
      const done = push(position, at + 1, place);
      position = done.position;
      return full ? place + done.white : place;
    });
    const lines = [`board ${at + 1}`];
    for (let first = 0; first < moves.length; first += 20) lines.push(moves.slice(first, first + 20).join(" "));
    if (isSolved(position, at + 1)) {
      lines.push("position");
      for (let row = 0; row < 49; row += 7) {
        lines.push(position.slice(row, row + 7).map((block) => `${block}`.padStart(2)).join(" "));
      }
    }
    return lines.join("\n") + "\n";
  });
}

/**
 * Replay a record, given as bytes (Uint8Array): `{ verdict, boards, fault, text, ends, behind }`. The verdict is the one of
 * formats.md section 3, without its sentence; `boards` lists the places pushed legally on each board up to the end or the
 * error, and `fault` is the place of the push at fault, if that is what is wrong. `ends` says where in `text` the boards of a
 * text record begin and where each ends that was read whole; `behind` lists `{ board, places }` of what stands behind an
 * error, as far as it can be read.
 */
export function replay(bytes) {
  const game = new Chain();
  let text = "";
  try {
    if (bytes.length > LARGEST) throw new Fault("too-large");
    text = decode(bytes);
    if (/^[ \t\r\n]*\{/.test(text)) readJson(text, game);
    else readText(text, game);
    const counts = game.boards.map((places) => places.length);
    const moves = counts.reduce((sum, n) => sum + n, 0);
    const score = { boards: counts.length, moves, mean: mean(moves, counts.length), moves_per_board: counts };
    return { verdict: { puzzle: game.puzzle, accepted: true, score }, boards: game.boards, fault: null, text, ends: game.ends, behind: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, places, place } = error;
    const verdict = { puzzle: game.puzzle, accepted: false, error: { code, ...places } };
    return { verdict, boards: game.boards, fault: place, text, ends: game.ends, behind: behind(game, Boolean(places.move)) };
  }
}

// --- the rules of a record, be it text or JSON ---

/** The first thing wrong with a record. `places` has board, move, line and column as far as they apply. */
class Fault extends Error {
  constructor(code, places = {}, place = null) {
    super(code);
    Object.assign(this, { code, places, place });
  }
}

/** How far a record has been played. Whoever reads it knows where it stands: `at` finds `{ line, column }`, or `{}` in JSON. */
class Chain {
  puzzle = null;
  boards = [];
  position = START;
  tokens = []; // of a text record's body, `next` the one that is due
  next = 0;
  ends = [];
  entries = []; // of a JSON record: its boards

  get board() { return this.boards.length; }

  open() {
    this.boards.push([]);
  }

  play(token, at) {
    const places = this.boards.at(-1);
    const wrong = (code, place = null) => new Fault(code, { board: this.board, move: places.length + 1, ...at() }, place);
    const move = /^([1-7A-U])([1-7])?$/.exec(upper(token));
    if (!move) throw wrong("malformed");
    if (places.length === MOVES) throw wrong("too-many-moves", move[1]);
    const done = push(this.position, this.board, move[1]);
    if (done.code) throw wrong(done.code, move[1]);
    if (move[2] && Number(move[2]) !== done.white) throw wrong("wrong-white-place", move[1]);
    places.push(move[1]);
    this.position = done.position;
  }

  close(hasPosition, at) {
    if (!isSolved(this.position, this.board)) throw new Fault("unsolved", { board: this.board, ...at() });
    if (!hasPosition) throw new Fault("missing-position", { board: this.board, ...at() });
  }

  compare(numbers, at) {
    const wrong = numbers.findIndex((number, cell) => number !== this.position[cell]);
    if (wrong >= 0) throw new Fault("wrong-position", { board: this.board, ...at(wrong) });
  }

  end(at) {
    if (this.board < FEWEST) throw new Fault("too-few-boards", at());
  }
}

/** A-Z of a-z; no other character turns into an ASCII one. */
function upper(text) {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function decode(bytes) {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const rest = bytes.subarray(start);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(rest);
  } catch {
    // As many bytes as can begin a text in UTF-8; the ill-formed sequence begins where the last whole character of them ends.
    let [good, bad] = [0, rest.length + 1];
    const begin = (n) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(rest.subarray(0, n), { stream: true });
    while (bad - good > 1) {
      const n = (good + bad) >> 1;
      try {
        if (n > rest.length) throw new RangeError();
        begin(n);
        good = n;
      } catch {
        bad = n;
      }
    }
    const text = begin(good);
    throw new Fault("malformed", placeIn(text, text.length));
  }
}

/** Line and column, in characters from 1, of an index into a text. */
function placeIn(text, index) {
  const before = text.slice(0, index);
  const line = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: [...before.slice(line)].length + 1 };
}

// --- the record as text ---

const KEYS = new Set(["puzzle", "deal", "layout", "seed", "players", "result", "must-roll", "size"]); // of all puzzles and games

function readText(text, game) {
  const at = (index) => placeIn(text, index);
  const tokens = readBody(text, readHeader(text, game, at));
  const index = () => tokens[game.next]?.index ?? text.length;
  const word = () => (game.next < tokens.length ? upper(tokens[game.next].word) : null);
  const here = () => at(index());
  game.tokens = tokens;
  game.ends.push(index());
  while (word() !== null) {
    const board = game.board + 1;
    if (word() !== "BOARD") throw new Fault("malformed", { board: Math.max(1, game.board), ...here() });
    if (board > MOST) throw new Fault("too-many-boards", { board, ...here() });
    game.next += 1;
    if (word() !== `${board}`) throw new Fault(/^[0-9]+$/.test(word() ?? "") ? "board-order" : "malformed", { board, ...here() });
    game.next += 1;
    game.open();
    for (; word() !== null && word() !== "BOARD" && word() !== "POSITION"; game.next += 1) {
      game.play(tokens[game.next].word, here);
    }
    game.close(word() === "POSITION", here);
    game.next += 1;
    const first = game.next;
    const numbers = [];
    for (; word() !== null && word() !== "BOARD"; game.next += 1) {
      if (numbers.length === 49 || !isBlock(word())) throw new Fault("malformed", { board, ...here() });
      numbers.push(Number(word()));
    }
    if (numbers.length < 49) throw new Fault("malformed", { board, ...here() });
    game.compare(numbers, (wrong) => at(tokens[first + wrong].index));
    game.ends.push(index());
  }
  game.end(here);
}

/** What stands behind the fault: the rest of its board and the boards after it; without the token at fault, if it is a push. */
function behind(game, isPush) {
  const found = [];
  const open = (board) => found.push({ board, places: [] });
  const take = (word) => {
    const move = /^([1-7A-U])[1-7]?$/.exec(upper(word));
    if (move) found.at(-1).places.push(move[1]);
  };
  open(Math.max(1, game.board));
  if (game.entries.length) {
    const words = (entry) => (entry instanceof Map && Array.isArray(entry.get("moves")) ? entry.get("moves") : [])
      .flatMap((move) => `${move}`.split(/[ \t\r\n,]+/).filter((word) => word));
    words(game.entries[Math.max(0, game.board - 1)]).slice((game.boards.at(-1) ?? []).length + (isPush ? 1 : 0)).forEach(take);
    game.entries.slice(Math.max(1, game.board)).forEach((entry, at) => {
      open(Math.max(1, game.board) + 1 + at);
      words(entry).forEach(take);
    });
  } else {
    const isHeading = upper(game.tokens[game.next - 1]?.word ?? "") === "BOARD";
    let isPlaying = isPush || isHeading || !game.board;
    if (isHeading && game.board) open(game.board + 1);
    for (let at = game.next + (isPush || isHeading ? 1 : 0); at < game.tokens.length; at += 1) {
      const word = upper(game.tokens[at].word);
      if (word === "BOARD") {
        open(found.at(-1).board + 1);
        isPlaying = true;
        at += 1; // its number
      } else if (word === "POSITION") isPlaying = false;
      else if (isPlaying) take(word);
    }
  }
  return found.some(({ places }) => places.length) ? found : [];
}

function isBlock(word) {
  return /^([1-9]|[1-4][0-9])$/.test(word);
}

/** Read the lines with a colon before the body's first token; answers where the body begins. */
function readHeader(text, game, at) {
  const seen = new Map(); // key -> where it stands
  let start = 0;
  for (; start < text.length; start = lineEnd(text, start) + 1) {
    const line = text.slice(start, lineEnd(text, start)).replace(/#.*$/s, "");
    if (/^[ \t\r,]*$/.test(line)) continue;
    const colon = line.indexOf(":");
    if (colon < 0) break;
    const [key, keyAt] = trimmed(line.slice(0, colon), start);
    const [value, valueAt] = trimmed(line.slice(colon + 1), start + colon + 1);
    const name = upper(key).toLowerCase();
    const isKnown = KEYS.has(name) && /^[a-z-]+$/i.test(key);
    if (!isKnown || seen.has(name) || (game.puzzle && name !== "puzzle")) throw new Fault("malformed", at(keyAt));
    seen.set(name, keyAt);
    if (name === "layout" && !game.puzzle) throw new Fault("unknown-puzzle", at(keyAt));
    if (name !== "puzzle") continue;
    if (upper(value) !== "JC-GOLDEN-NUGGET") throw new Fault("unknown-puzzle", at(value ? valueAt : keyAt));
    game.puzzle = "jc-golden-nugget";
    for (const [other, otherAt] of seen) if (other !== "puzzle") throw new Fault("malformed", at(otherAt));
  }
  if (!game.puzzle) throw new Fault("unknown-puzzle", { line: 1, column: 1 });
  return start;
}

function lineEnd(text, start) {
  const end = text.indexOf("\n", start);
  return end < 0 ? text.length : end;
}

/** A text without the white space around it, and where it then stands. */
function trimmed(text, index) {
  const inner = text.replace(/^[ \t\r]+/, "");
  return [inner.replace(/[ \t\r]+$/, ""), index + text.length - inner.length];
}

function readBody(text, start) {
  const tokens = [];
  const piece = /#[^\n]*|([^ \t\r\n,#]+)/g;
  piece.lastIndex = start;
  for (let found; (found = piece.exec(text)); ) if (found[1]) tokens.push({ word: found[1], index: found.index });
  return tokens;
}

// --- the record as JSON ---

const nowhere = () => ({});

function readJson(text, game) {
  const record = new Json(text).whole();
  const name = record.get("puzzle");
  if (name === undefined) throw new Fault("unknown-puzzle");
  if (typeof name !== "string") throw new Fault("malformed");
  if (upper(trimmed(name.replaceAll("\n", " "), 0)[0]) !== "JC-GOLDEN-NUGGET") throw new Fault("unknown-puzzle");
  game.puzzle = "jc-golden-nugget";
  if ([...record.keys()].some((key) => key !== "puzzle" && key !== "boards")) throw new Fault("malformed");
  const boards = record.get("boards");
  if (!Array.isArray(boards)) throw new Fault("malformed");
  game.entries = boards;
  boards.forEach((entry, at) => readBoard(entry, at + 1, game));
  game.end(nowhere);
}

function readBoard(entry, board, game) {
  const malformed = () => new Fault("malformed", { board });
  if (board > MOST) throw new Fault("too-many-boards", { board });
  if (!(entry instanceof Map) || [...entry.keys()].some((key) => key !== "moves" && key !== "position")) throw malformed();
  const moves = entry.get("moves");
  if (!Array.isArray(moves) || moves.some((move) => typeof move !== "string")) throw malformed();
  game.open();
  for (const move of moves) {
    const tokens = move.split(/[ \t\r\n,]+/).filter((token) => token);
    for (const token of tokens.length ? tokens : [""]) game.play(token, nowhere);
  }
  game.close(entry.has("position"), nowhere);
  const rows = entry.get("position");
  if (!Array.isArray(rows)) throw malformed();
  const isSeven = rows.length === 7 && rows.every((row) => Array.isArray(row) && row.length === 7);
  const numbers = isSeven ? rows.flat() : rows;
  if (numbers.length !== 49 || !numbers.every((number) => Number.isInteger(number) && number >= 1 && number <= 49)) throw malformed();
  game.compare(numbers, nowhere);
}

/** JSON with what JSON.parse would let pass: keys given twice, and 1.0 taken for 1 (here a number that isn't whole is NaN). */
class Json {
  constructor(text) {
    this.text = text;
    this.next = 0;
    this.depth = 0;
  }

  whole() {
    const value = this.value();
    if (this.skip() !== undefined) throw new Fault("malformed");
    return value;
  }

  /** The next character behind white space, which is not taken; undefined at the end. */
  skip() {
    while (" \t\r\n".includes(this.text[this.next] ?? "x")) this.next += 1;
    return this.text[this.next];
  }

  take(pattern) {
    pattern.lastIndex = this.next;
    const found = pattern.exec(this.text);
    if (!found) throw new Fault("malformed");
    this.next = pattern.lastIndex;
    return found[0];
  }

  value() {
    const first = this.skip();
    if (first === "{") return this.inside("}", new Map(), (map) => this.member(map));
    if (first === "[") return this.inside("]", [], (list) => list.push(this.value()));
    if (first === '"') return this.string();
    const word = this.take(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y);
    if (/^[tfn]/.test(word)) return { true: true, false: false, null: null }[word];
    return /^-?[0-9]+$/.test(word) ? Number(word) : NaN;
  }

  inside(end, whole, part) {
    if (++this.depth > DEEPEST) throw new Fault("malformed");
    this.next += 1;
    if (this.skip() !== end) {
      for (;;) {
        part(whole);
        if (this.skip() === end) break;
        this.take(/,/y);
      }
    }
    this.next += 1;
    this.depth -= 1;
    return whole;
  }

  member(map) {
    this.skip();
    const key = this.string();
    if (map.has(key)) throw new Fault("malformed");
    this.skip();
    this.take(/:/y);
    map.set(key, this.value());
  }

  string() {
    return JSON.parse(this.take(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y));
  }
}
