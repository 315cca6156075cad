// The composer: puts the rules, the lines played and the board together on the page, keeps them in the browser, and brings
// records in and out. All its words come from the page.
import { Board } from "./compose-board.js";
import { Lines, TURN } from "./compose-lines.js";
import { Opened } from "./compose-opened.js";
import { FEWEST, LINES, MOVES, PLACES, START, colour, mean, push, write } from "./jc-golden-nugget.js";

const part = (id) => document.getElementById(id);
const page = part("compose");
const words = JSON.parse(page.dataset.words);
const tell = (name, values = {}) => words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
const TREE = "jc-golden-nugget/lines"; // in localStorage: shared by all windows
const AT = "jc-golden-nugget/at"; // in sessionStorage: this window's own; in localStorage: the last window's
const OPENED = "jc-golden-nugget/opened"; // in sessionStorage: the record opened in this window, as it was written
const BEHIND = "jc-golden-nugget/behind"; // and what stands behind its fault
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw"; // the blocks 1 to 49 in a link

let lines = new Lines();
let isShared = false;
let fault = null; // the place of the push that is wrong in an opened record
let opened = null;
let behind = []; // what stands behind its fault: { board, places }
let stored = null; // the tree as this window has last seen it in the browser's storage
const forgotten = [];

// --- keeping ---

function load() {
  const position = linked(location.hash);
  isShared = position !== null;
  lines = new Lines(position ?? {});
  if (isShared) return;
  try {
    stored = localStorage.getItem(TREE);
    lines.graft(stored ?? "");
    lines.walk(sessionStorage.getItem(AT) ?? localStorage.getItem(AT) ?? "");
    const text = sessionStorage.getItem(OPENED);
    behind = JSON.parse(sessionStorage.getItem(BEHIND) ?? "[]");
    if (text !== null && !opened) keep(new Opened(new TextEncoder().encode(text)));
  } catch {
    say("not-saved");
  }
}

/** Write the tree down; what another window has added meanwhile is added here first. */
function save() {
  if (isShared) return;
  try {
    const now = localStorage.getItem(TREE);
    if (now !== stored) lines.graft(now ?? "");
    stored = lines.toString();
    localStorage.setItem(TREE, stored);
    localStorage.setItem(AT, lines.path());
    sessionStorage.setItem(AT, lines.path());
    sessionStorage.setItem(BEHIND, JSON.stringify(behind));
  } catch {
    say("not-saved");
  }
}

addEventListener("storage", (event) => {
  if (event.key !== TREE || isShared) return;
  const path = lines.path();
  lines = new Lines(); // as the other window has it, so that what was forgotten there stays so; where we are is ours
  stored = event.newValue;
  lines.graft(stored ?? "");
  lines.walk(path);
  show();
});

// --- playing ---

function say(name, values) {
  part("said").textContent = tell(name, values);
}

function here(name) {
  say(name, { board: lines.at.board, move: lines.at.move });
}

/** What a push would do, in words. */
function told(place) {
  const { position, board: number, move: made } = lines.at;
  const at = PLACES.indexOf(place);
  const side = Math.floor(at / 7);
  const n = side < 2 ? (at % 7) + 1 : 7 - (at % 7);
  const { white, code } = push(position, number, place);
  const forbidden = made === MOVES ? "too-many-moves" : code;
  const move = forbidden ? place : place + white;
  const [blocks, last] = [LINES[place].slice(0, white - 1), LINES[place][white - 1]];
  const what = forbidden
    ? tell(forbidden)
    : tell("would", { white: position[last], blocks: blocks.map((cell) => position[cell]).join(", ") });
  return { move, words: `${tell(`line-${side}`, { move, n })} ${what}`, isLegal: !forbidden };
}

function play(place) {
  const before = lines.at;
  const left = before.main && before.main.edge !== place ? before.leaf() : null;
  const { move, words: what, isLegal } = told(place);
  fault = null;
  part("fault").hidden = true;
  if (!isLegal) {
    part("said").textContent = what;
    part("said").classList.add("refused");
    return void board.preview(null);
  }
  lines.play(place);
  const { at } = lines;
  const line = [tell("pushed", { move, white: at.position[LINES[place][0]], n: at.move })];
  if (at.isSolved) line.push(at.board < 200 ? tell("solved", { n: at.board }) : tell("solved-last"));
  if (left && left.board > before.board) line.push(tell("kept", { board: left.board }));
  done(line.join(" "));
}

function turn() {
  if (lines.play(TURN)) return say(lines.at.isSolved ? "solved-last" : "not-solved");
  done(tell("turned", { n: lines.at.board }));
  if (document.activeElement === part("turn")) board.focus(); // the button is not there for an unsolved board
}

function undo() {
  if (!lines.at.parent) return say("nothing-back");
  lines.go(lines.at.parent);
  done();
  here("undone");
}

function redo() {
  if (!lines.at.main) return say("nothing-on");
  lines.go(lines.at.main);
  done();
  here("redone");
}

function jump(node) {
  lines.go(node);
  done();
  here("here");
}

function done(text = "") {
  fault = null;
  part("fault").hidden = true;
  part("said").textContent = text;
  save();
  show();
}

// --- showing ---

const faces = [0, 1].map((side) => new Map(
  [...part("faces").content.querySelectorAll(`[data-side="${side}"]`)].map((face) => [Number(face.dataset.block), face]),
));
const board = new Board(part("rim"), faces, {
  say: told,
  push: play,
  look: (place) => {
    part("hint").textContent = place ? told(place).words : "";
    part("hint").parentElement.classList.toggle("hinting", Boolean(place));
  },
});

/** The record's boards, as the options above the buttons have it. */
function chain() {
  const upto = Number(part("upto").value) || Infinity;
  const found = lines.boards().filter(({ last }) => last.isSolved || part("unfinished").checked);
  return found.slice(0, upto).map(({ nodes }) => nodes.slice(1).map((node) => node.edge));
}

function record() {
  const { value } = document.querySelector("[name=notation]:checked");
  return value === "opened" ? opened.write(chain()) : write(chain(), { full: value === "full" });
}

function exact(moves, boards) {
  const fraction = mean(moves, boards);
  if (!fraction.includes("/")) return fraction;
  const thousands = Math.floor((2e4 * moves + boards) / (2 * boards)); // halves up, as on the other pages
  const sign = new Intl.NumberFormat(document.documentElement.lang).format(0.5)[1];
  return `${fraction} = ${Math.floor(thousands / 1e4)}${sign}${`${thousands % 1e4}`.padStart(4, "0")}`;
}

/** How many of the boards alone have the best mean. */
function best(counts) {
  let [moves, found] = [0, null];
  counts.forEach((count, at) => {
    moves += count;
    const now = { boards: at + 1, moves };
    if (now.boards >= FEWEST && (!found || now.moves * found.boards <= found.moves * now.boards)) found = now;
  });
  return found;
}

function show() {
  const { at } = lines;
  const all = lines.boards();
  const solved = all.filter(({ last }) => last.isSolved);
  const now = all.find((each) => each.board === at.board);
  const coloured = [8, 15, 22, 29, 36].flatMap((first) => at.position.slice(first, first + 5)).filter((block) => colour(block, at.board) !== "w");
  part("where").textContent = `${tell("where", { n: at.board })}, ${tell(`side-${at.board % 2}`)}`;
  part("move").textContent = tell("move", { n: at.move });
  part("inside").textContent = at.isSolved ? tell("is-solved") : tell("inside", { n: coloured.length });
  part("play").classList.toggle("solved", at.isSolved);
  part("said").classList.remove("refused");
  part("turn").hidden = !at.isSolved || at.board === 200;
  board.show(at, fault);

  part("boards").replaceChildren(...all.map(({ board: n, last }) => chip({
    text: `${n}`,
    small: `${last.move}`,
    label: tell("board", { board: n, n: last.move, state: tell(last.isSolved ? "is-solved" : "open") }),
    isCurrent: n === at.board,
    act: () => jump(last),
  })));
  part("moves").replaceChildren(...now.nodes.map((node) => {
    const move = node === now.first ? tell("start") : `${node.edge}${push(node.parent.position, node.board, node.edge).white}`;
    return chip({ text: move, label: tell("step", { move, n: node.move }), isCurrent: node === at, act: () => jump(node) });
  }));
  for (const id of ["boards", "moves"]) reveal(part(id));
  if (isShared) part("total").textContent = "";
  else total(solved);
  branches();

  const code = at.position.map((block) => LETTERS[block - 1]).join("");
  part("share").href = `#position=${at.board}.${at.move}.${code}`;
  if (part("text-details").open) part("text").value = record();
  rest();
  part("shared").hidden = !isShared;
  part("record-card").hidden = isShared;
}

/** What stands behind the fault of the opened record, to be taken over. */
function rest() {
  const count = behind.reduce((sum, { places }) => sum + places.length, 0);
  part("rest").hidden = !count || isShared;
  if (!count) return;
  const [{ board: n, places }] = behind.filter((each) => each.places.length);
  part("rest-told").textContent = tell("rest", { n: count, board: behind.at(-1).board });
  part("rest-moves").textContent = `${tell("where", { n })}: ${places.join(" ")}`;
}

function total(solved) {
  const counts = solved.map(({ last }) => last.move);
  const moves = counts.reduce((sum, n) => sum + n, 0);
  part("total").textContent = solved.length ? tell("total", { boards: solved.length, moves, mean: exact(moves, solved.length) }) : tell("none");
  const first = best(counts);
  const isShorter = first && first.boards < solved.length;
  part("need").textContent = solved.length < FEWEST ? tell("need", { n: FEWEST - solved.length })
    : isShorter ? tell("shorter", { n: first.boards, mean: exact(first.moves, first.boards) }) : "";
}

function chip({ text, small, label, isCurrent, act }) {
  const item = document.createElement("li");
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  if (small) button.append(Object.assign(document.createElement("small"), { textContent: small }));
  button.setAttribute("aria-label", label);
  if (isCurrent) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => {
    const list = item.parentElement;
    const index = [...list.children].indexOf(item);
    act();
    (list.children[index] ?? list.lastElementChild)?.querySelector("button").focus();
  });
  item.append(button);
  return item;
}

/** Scroll a list, and only the list, to its current item. */
function reveal(list) {
  const item = list.querySelector("[aria-current]")?.parentElement;
  if (item) list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
}

const MOST_SHOWN = 40;

function branches() {
  const found = lines.others().slice(0, MOST_SHOWN);
  part("others").hidden = !found.length && !forgotten.length;
  part("restore").hidden = !forgotten.length;
  part("lines").replaceChildren(...found.map(({ first, leaf }) => {
    const item = document.createElement("li");
    const { boards, moves } = leaf.solved;
    const from = first.parent;
    const text = tell("line", { board: leaf.board, move: leaf.move, from_board: from.board, from_move: from.move });
    item.append(boards && !isShared ? `${text} ${tell("line-mean", { mean: exact(moves, boards) })} ` : `${text} `);
    for (const [name, act] of [["back", () => { jump(leaf); board.focus(); }], ["forget", () => forget(first)]]) {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "button plain", textContent: tell(name) });
      button.setAttribute("aria-label", `${tell(name)}: ${text}`);
      button.addEventListener("click", act);
      item.append(button, " ");
    }
    return item;
  }));
}

function forget(first) {
  forgotten.push(lines.forget(first));
  done(tell("forgotten"));
  part("restore").focus();
}

function restore() {
  forgotten.pop()?.();
  done(tell("back-again"));
  board.focus();
}

// --- records and links in and out ---

/** Let records be written as that one is, as far as they are played alike. */
function keep(record) {
  opened = record;
  part("as-opened").hidden = false;
  part("as-opened").querySelector("input").checked = true;
}

function open(bytes) {
  if (isShared) leave();
  const found = new Opened(bytes);
  const { verdict, boards, fault: wrong } = found;
  behind = found.behind;
  if (boards.length) {
    keep(found);
    try {
      sessionStorage.setItem(OPENED, found.text);
    } catch {
      say("not-saved");
    }
  }
  let node = lines.root;
  boards.forEach((places, at) => {
    if (at) node = node.step(TURN).node;
    for (const place of places) node = node.step(place).node;
  });
  const isNext = verdict.error?.board === boards.length + 1 && node.isSolved;
  if (isNext) node = node.step(TURN).node ?? node; // the heading of the next board is wrong
  lines.go(node);
  done(tell("opened", { boards: boards.length }));
  if (verdict.error) {
    fault = wrong;
    part("fault").textContent = `${tell("opened-fault")} ${reason(verdict.error)}`;
    part("fault").hidden = false;
    board.show(lines.at, fault);
  }
  part("where").scrollIntoView({ block: "nearest" });
}

/** Play on with what stands behind the fault of the opened record, until something of it can't be played. */
function takeOver() {
  let count = 0;
  let refused = null;
  while (behind.length && !refused) {
    const [{ board: n, places }] = behind;
    if (n !== lines.at.board && (n !== lines.at.board + 1 || lines.play(TURN))) break;
    while (places.length && !refused) {
      const place = places.shift();
      if (lines.play(place)) refused = place;
      else count += 1;
    }
    if (!refused) behind.shift();
  }
  const { board: n, move } = lines.at;
  const line = [tell("took-over", { n: count, board: n, move })];
  if (refused) line.push(told(refused).words);
  else if (behind.length) line.push(tell("not-solved"));
  done(line.join(" "));
  board.show(lines.at, refused);
  board.focus();
}

function dropRest() {
  behind = [];
  save();
  show();
  board.focus();
}

/** Place and reason of a rejected record. */
function reason(error) {
  const places = ["board", "move", "line", "column"].filter((name) => error[name]).map((name) => tell(`at-${name}`, { n: error[name] })).join(", ");
  const text = tell(`code-${error.code}`);
  return places ? `${places[0].toUpperCase()}${places.slice(1)}: ${text}` : text;
}

function linked(hash) {
  const found = /^#position=([1-9]\d{0,2})\.(\d{1,2})\.([A-Za-w]{49})$/.exec(hash);
  if (!found || Number(found[1]) > 200) return null;
  const position = [...found[3]].map((letter) => LETTERS.indexOf(letter) + 1);
  return START.every((block) => position.includes(block)) ? { board: Number(found[1]), move: Number(found[2]), position } : null;
}

/** From a shared position to one's own boards. */
function leave() {
  history.replaceState(null, "", location.pathname);
  load();
}

async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field?.select();
    return false;
  }
}

function answer(name, values) {
  part("answer").textContent = tell(name, values);
}

/** Send the record; the answer as JSON with its status, or null where there is none. */
async function send(path, headers = {}) {
  try {
    const got = await fetch(path, {
      method: "POST",
      body: record(),
      headers: { "Content-Type": "text/plain; charset=utf-8", "X-CSRF-Token": page.dataset.csrf, ...headers },
    });
    return { ok: got.ok, status: got.status, body: await got.json().catch(() => ({})) };
  } catch {
    return null;
  }
}

function refused(got) {
  if (!got) return answer("unanswered");
  const name = got.status === 401 ? "unauthorized" : got.status === 429 && got.body.code !== "quota-used" ? "busy" : got.body.code;
  return answer(words[name] ? name : "refused", { status: got.status });
}

async function check() {
  answer("checking");
  const got = await send(page.dataset.verify);
  if (!got?.ok) return refused(got);
  const { accepted, score, error } = got.body;
  if (accepted) return answer("accepted", { boards: score.boards, moves: score.moves, mean: exact(score.moves, score.boards) });
  part("answer").textContent = `${tell("rejected")} ${reason(error)}`;
}

async function upload() {
  const n = chain().length;
  if (n < FEWEST) return answer("need", { n: FEWEST - n });
  part("upload").disabled = true;
  answer("sending");
  const got = await send(part("contest").value);
  part("upload").disabled = false;
  if (!got?.ok) return refused(got);
  answer("sent");
  location.assign(`/submissions/${got.body.id}`);
}

function download() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([record()], { type: "text/plain" }));
  link.download = "jc-golden-nugget.txt";
  link.click();
  setTimeout(URL.revokeObjectURL, 10_000, link.href);
}

/** Open the submission that the address names, or the record that the page has brought along, once. */
async function fetched() {
  const { record: path, carried } = page.dataset;
  if (carried) open(Uint8Array.from(atob(carried.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0)));
  if (path) {
    const got = await fetch(path).catch(() => null);
    if (!got?.ok) return say("no-record");
    open(new Uint8Array(await got.arrayBuffer()));
  }
  if (path || carried) history.replaceState(null, "", location.pathname);
}

// --- what people do ---

const ACTS = {
  turn,
  undo,
  redo,
  restore,
  restart: () => jump(lines.root),
  "take-over": takeOver,
  "drop-rest": dropRest,
  download,
  check,
  upload,
  copy: async () => {
    part("text-details").open = true;
    part("text").value = record();
    answer((await copy(record(), part("text"))) ? "copied" : "not-copied");
  },
  "copy-link": async () => say((await copy(part("share").href)) ? "copied" : "not-copied"),
  open: () => open(new TextEncoder().encode(part("paste").value)),
};
for (const [id, act] of Object.entries(ACTS)) part(id)?.addEventListener("click", act);
part("file").addEventListener("change", async () => {
  const [file] = part("file").files;
  if (file) open(new Uint8Array(await file.arrayBuffer()));
  part("file").value = "";
});
for (const input of part("record-card").querySelectorAll(".options input")) input.addEventListener("input", () => { part("text").value = record(); });
part("text-details").addEventListener("toggle", () => { part("text").value = record(); });

part("play").addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toUpperCase();
  const act = { Z: undo, Y: redo, W: turn }[key] ?? (PLACES.includes(key) ? () => play(key) : null);
  if (!act) return;
  event.preventDefault();
  act();
});
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("textarea, input")) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) redo();
  else undo();
});
addEventListener("hashchange", () => {
  load();
  show();
});

page.hidden = false;
load();
show();
fetched();
