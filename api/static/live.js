// Keeps the parts of a page marked [data-live] as the server has them: asks for the page again with its ETag, and where it
// has changed puts the new parts in place of the old ones. Without this script the page is the same, as of when it was loaded.
// It runs before page.js, so that it knows the parts as they came.
import { inSight } from "./excerpts.js";
import { localTimes } from "./times.js";

const EVERY = 4000;
const WITH_EVENTS = 30000; // while the server tells by itself that something has happened
const html = new Map([...document.querySelectorAll("[data-live]")].map((part) => [part.id, part.innerHTML]));
let shown = null; // the ETag of what was last looked at

async function look() {
  const answer = await fetch(location.href, { cache: "no-cache", headers: { Accept: "text/html" } });
  const tag = answer.headers.get("ETag");
  if (!answer.ok || !tag || tag === shown) return;
  shown = tag;
  put(new DOMParser().parseFromString(await answer.text(), "text/html"));
}

function put(page) {
  const rows = new Map([...document.querySelectorAll("[data-row]")].map((row) => [row.dataset.row, row.dataset.version]));
  let changed = false;
  for (const [id, before] of html) {
    const part = document.getElementById(id);
    const fresh = page.getElementById(id);
    if (!fresh || fresh.innerHTML === before) continue;
    html.set(id, fresh.innerHTML);
    const href = part.contains(document.activeElement) && document.activeElement.getAttribute("href");
    localTimes(fresh);
    part.replaceWith(fresh);
    inSight(fresh);
    if (href) [...fresh.querySelectorAll("a")].find((link) => link.getAttribute("href") === href)?.focus();
    changed = true;
  }
  for (const row of document.querySelectorAll("[data-row]")) {
    if (rows.size && rows.get(row.dataset.row) !== row.dataset.version) row.classList.add("changed");
  }
  const state = document.getElementById("live-state");
  if (changed && state) state.textContent = state.dataset.words;
}

// The server tells by itself where it has a thread for that; where it has none it answers 503, and looking must do.
let events = null;
function listen() {
  const path = document.querySelector("[data-events]")?.dataset.events;
  if (!path || events) return;
  events = new EventSource(path);
  for (const kind of ["standing", "verdict", "failed", "disqualified", "reinstated", "phase", "dates", "name", "notice"]) events.addEventListener(kind, wake);
}

let timer = 0;
let woken = false;
function plan(time) {
  clearTimeout(timer);
  timer = setTimeout(again, time);
}
function wake() {
  woken = true;
  plan(300);
}
async function again() {
  woken = false;
  if (document.hidden) return;
  await look().catch(() => {}); // the server is away for a moment: the next look finds it
  plan(woken ? 300 : period());
}
function period() {
  const stated = Number(document.querySelector("[data-every]")?.dataset.every ?? 0) * 1000;
  return stated || (events?.readyState === EventSource.OPEN ? WITH_EVENTS : EVERY);
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    events?.close(); // a page that nobody looks at holds no thread
    events = null;
  } else {
    listen();
    again();
  }
});
if (!document.hidden) listen();
plan(period());
