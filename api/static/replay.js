// Plays a record: fetches its positions as the server draws them, some at a time and ahead of need, and shows one after the
// other. The page is right without this script, which only spares it the way to the server at each step.
const root = document.getElementById("replay");
if (root) start();

function start() {
  const by = (id) => document.getElementById(id);
  const { source, key, csrf } = root.dataset;
  const carried = by("jump").elements.record; // the record, where the page carries it along: it is stored nowhere
  const bytes = carried && Uint8Array.from(atob(carried.value.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
  const sent = carried && { method: "POST", body: bytes, headers: { "Content-Type": "application/octet-stream", "X-CSRF-Token": csrf } };
  const chunk = Number(root.dataset.chunk);
  const boards = Number(root.dataset.boards);
  const totals = new Map([[Number(root.dataset.board), Number(root.dataset.total)]]);
  const at = { board: Number(root.dataset.board), number: Number(root.dataset.number), seat: Number(root.dataset.seat) };
  const to = { ...at }; // where the last wish leads: the next one goes on from there, also while positions are on their way
  const stretches = new Map(); // the last some answers, each a promise
  const KEPT = 12;
  let timer = 0;
  let asked = 0; // rises with each wish, so that a late answer does not undo a later one

  function address(board, number) {
    const parts = boards > 1 ? [`board=${board}`] : [];
    parts.push(`${key}=${number}`);
    if (at.seat) parts.push(`seat=${at.seat}`);
    return `?${parts.join("&")}`;
  }

  function stretch(board, first) {
    const name = `${at.seat}/${board}/${first}`;
    let found = stretches.get(name);
    if (!found) {
      const query = new URLSearchParams({ board, first, limit: chunk, seat: at.seat, pictures: "true" });
      found = fetch(`${source}?${query}`, sent ?? {}).then((answer) => {
        if (!answer.ok) throw new Error(String(answer.status));
        return answer.json();
      });
      found.catch(() => stretches.delete(name));
    }
    stretches.delete(name); // and to the end, as the latest used
    stretches.set(name, found);
    if (stretches.size > KEPT) stretches.delete(stretches.keys().next().value);
    return found;
  }

  // The step at a board and number; a number past the end is the last.
  async function stepAt(board, number) {
    if (!totals.has(board)) totals.set(board, (await stretch(board, 0)).total);
    const n = Math.max(0, Math.min(number, totals.get(board) - 1));
    const found = await stretch(board, n - (n % chunk));
    return found.steps.find((step) => step.number === n);
  }

  async function go(board, number, { speak = true } = {}) {
    const wish = ++asked;
    Object.assign(to, { board, number: Math.max(0, number) });
    let step;
    try {
      step = await stepAt(board, number);
    } catch {
      if (wish === asked) leave(board, number);
      return false;
    }
    if (wish !== asked || !step) return false;
    at.board = board;
    at.number = to.number = step.number;
    show(step, speak);
    ahead();
    return true;
  }

  // Let the server's own page say what is wrong.
  function leave(board, number) {
    if (!carried) return location.assign(address(board, number));
    if (by("board")) by("board").value = board;
    by("move").value = Number.isFinite(number) ? number : by("move").max;
    by("jump").submit();
  }

  function ahead() {
    const { board, number } = at;
    const next = number - (number % chunk) + chunk;
    if (next < totals.get(board)) stretch(board, next).catch(() => {});
    else if (board < boards && timer) stretch(board + 1, 0).catch(() => {});
  }

  function show(step, speak) {
    const last = totals.get(at.board) - 1;
    by("stage").innerHTML = step.picture;
    by("now").innerHTML = step.now;
    by("record").innerHTML = step.record;
    if (speak) by("said").textContent = step.said;
    point("to-first", at.board, 0, at.number === 0);
    point("to-previous", at.board, at.number - 1, at.number === 0);
    point("to-next", at.board, at.number + 1, at.number === last);
    point("to-last", at.board, last, at.number === last);
    point("to-previous-board", at.board - 1, 0, at.board === 1);
    point("to-next-board", at.board + 1, 0, at.board === boards);
    by("slider").max = last;
    by("slider").value = at.number;
    by("slider").setAttribute("aria-valuetext", by("slider").dataset.words.replace("{n}", at.number).replace("{m}", last));
    by("of").textContent = by("of").textContent.replace(/[0-9]+/, last);
    by("move").max = last;
    by("move").value = at.number;
    if (by("board")) by("board").value = at.board;
    for (const link of root.querySelectorAll("[data-seat]:is(a, button)")) {
      const query = new URLSearchParams(address(at.board, at.number));
      query.delete("seat");
      if (Number(link.dataset.seat)) query.set("seat", link.dataset.seat);
      lead(link, `?${query}`);
    }
    if (!carried) history.replaceState(null, "", address(at.board, at.number));
  }

  function lead(link, query) {
    if (carried) link.value = query;
    else link.href = query;
  }

  function point(id, board, number, off) {
    const link = by(id);
    if (!link) return;
    lead(link, off ? address(at.board, at.number) : address(board, number));
    if (off) link.setAttribute("aria-disabled", "true");
    else link.removeAttribute("aria-disabled");
  }

  // --- playing ---

  function pause() {
    clearTimeout(timer);
    timer = 0;
    by("play").textContent = by("play").dataset.play;
  }

  async function play() {
    if (timer) {
      pause();
      return go(at.board, at.number);
    }
    by("play").textContent = by("play").dataset.pause;
    timer = setTimeout(tick, 0);
    if (at.board === boards && at.number === totals.get(at.board) - 1) await go(at.board, 0);
  }

  async function tick() {
    const due = performance.now() + Number(by("speed").value);
    const atEnd = at.number === totals.get(at.board) - 1;
    if (atEnd && at.board === boards) return pause();
    const speak = Number(by("speed").value) >= 1000; // faster than that nobody could be told
    const came = atEnd ? await go(at.board + 1, 0, { speak }) : await go(at.board, at.number + 1, { speak });
    if (!timer) return;
    if (at.board === boards && at.number === totals.get(at.board) - 1) {
      pause();
      return go(at.board, at.number);
    }
    timer = setTimeout(tick, came ? Math.max(0, due - performance.now()) : 200);
  }

  const moves = {
    "to-first": () => go(to.board, 0),
    "to-previous": () => go(to.board, to.number - 1),
    "to-next": () => go(to.board, to.number + 1),
    "to-last": () => go(to.board, Infinity),
    "to-previous-board": () => go(Math.max(1, to.board - 1), 0),
    "to-next-board": () => go(Math.min(boards, to.board + 1), 0),
  };
  for (const [id, move] of Object.entries(moves)) {
    by(id)?.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new window is theirs
      event.preventDefault();
      pause();
      move();
    });
  }
  by("play").addEventListener("click", play);
  by("slider").addEventListener("input", () => {
    pause();
    go(at.board, Number(by("slider").value));
  });
  by("jump").addEventListener("submit", (event) => {
    event.preventDefault();
    pause();
    const board = Math.max(1, Math.min(boards, Number(by("board")?.value || 1)));
    go(board, board === at.board ? Number(by("move").value) : 0);
  });

  const keys = {
    ArrowLeft: moves["to-previous"], ArrowRight: moves["to-next"], Home: moves["to-first"], End: moves["to-last"],
    ...(boards > 1 ? { PageUp: moves["to-previous-board"], PageDown: moves["to-next-board"] } : {}),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target.closest("input, select, textarea, .head, .foot")) return;
    const pressed = event.target.closest("a, button, summary, pre");
    if (event.key === " " && !pressed) {
      event.preventDefault();
      play();
    } else if (keys[event.key] && !event.target.closest("pre")) {
      event.preventDefault();
      pause();
      keys[event.key]();
    }
  });

  for (const id of ["play", "sliders", "keys"]) by(id).hidden = false;
  ahead();
  stretch(at.board, at.number - (at.number % chunk)).catch(() => {});
}
