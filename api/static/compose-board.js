// The board of the composer: 49 blocks that slide, and around them the 28 places as buttons. What a push would do is shown
// while its place is pointed at or has the focus; the words come from the page.
import { LINES, PLACES, START, colour } from "./jc-golden-nugget.js";

const STEP = 44; // from one cell to the next, as in the pictures of the other pages
const LEAN = 16; // how far blocks lean towards where a push would take them

export class Board {
  /** `say(place)` tells what a push would do: `{ move, words, isLegal }`; `push(place)` and `look(place or null)` are told. */
  constructor(root, faces, { say, push, look }) {
    Object.assign(this, { root, say, look });
    this.squares = root.querySelector(".blocks");
    this.table = root.querySelector("tbody");
    this.faces = faces;
    this.blocks = new Map(START.map((block) => {
      const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
      group.classList.add("block");
      this.squares.append(group);
      return [block, group];
    }));
    this.buttons = new Map(PLACES.map((place, at) => [place, this.#button(place, at, push)]));
    this.buttons.get(PLACES[0]).tabIndex = 0;
    root.addEventListener("keydown", (event) => this.#arrow(event));
  }

  #button(place, at, push) {
    const button = document.createElement("button");
    const side = Math.floor(at / 7);
    const n = at % 7;
    button.type = "button";
    button.className = "place";
    button.dataset.place = place;
    button.tabIndex = -1;
    const [row, column] = [[1, n + 2], [n + 2, 9], [9, 8 - n], [8 - n, 1]][side];
    button.style.gridArea = `${row} / ${column}`;
    button.addEventListener("click", () => push(place));
    button.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && this.preview(place));
    button.addEventListener("pointerleave", () => this.preview(null));
    button.addEventListener("focus", () => {
      this.rove(place);
      if (button.matches(":focus-visible") && !this.isQuiet) this.preview(place);
    });
    button.addEventListener("blur", () => this.preview(null));
    this.root.append(button);
    return button;
  }

  /** Have the focus on the board, at the place where it was last, without a look at what that would do. */
  focus() {
    this.isQuiet = true;
    this.root.querySelector(".place[tabindex='0']").focus();
    this.isQuiet = false;
  }

  /** Let the Tab key come to that place. */
  rove(place) {
    for (const [name, button] of this.buttons) button.tabIndex = name === place ? 0 : -1;
  }

  /** Arrows go around the rim, clockwise or back, and across to the other end of the line. */
  #arrow(event) {
    const at = PLACES.indexOf(event.target.dataset.place);
    const key = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"].indexOf(event.key);
    if (at < 0 || key < 0) return;
    event.preventDefault();
    const side = Math.floor(at / 7);
    const across = side % 2 ? 34 - at : 20 - at;
    const next = key === side ? at + 1 : key === (side + 2) % 4 ? at - 1 : key === (side + 1) % 4 ? across : at;
    this.buttons.get(PLACES[(next + 28) % 28]).focus();
  }

  /** Draw a node; `fault` is the place of a push that is wrong here. */
  show(node, fault) {
    this.node = node;
    for (const [at, block] of node.position.entries()) {
      const group = this.blocks.get(block);
      this.#put(group, at, 0, 0);
      const face = this.faces[node.board % 2].get(block);
      if (group.firstChild?.dataset.name === face.dataset.name && group.dataset.side === `${node.board % 2}`) continue;
      group.dataset.side = node.board % 2;
      group.replaceChildren(face.cloneNode(true));
    }
    for (const [place, button] of this.buttons) {
      const { move, words, isLegal } = this.say(place);
      button.replaceChildren(place);
      if (move.length > 1) button.append(Object.assign(document.createElement("small"), { textContent: move[1] }));
      button.setAttribute("aria-label", words);
      button.classList.toggle("illegal", !isLegal);
      button.classList.toggle("fault", place === fault);
    }
    for (const [at, cell] of [...this.table.querySelectorAll("td")].entries()) {
      cell.textContent = this.faces[node.board % 2].get(node.position[at]).dataset.name;
    }
    this.preview(null);
  }

  #put(group, at, right, down) {
    group.style.transform = `translate(${(at % 7) * STEP + 2 + right}px, ${Math.floor(at / 7) * STEP + 2 + down}px)`;
  }

  /** Let the line of a place lean as the push would move it, its white block fading; null ends that. */
  preview(place) {
    if (!this.node) return;
    for (const group of this.squares.querySelectorAll(".leaning, .taken")) {
      group.classList.remove("leaning", "taken");
      this.#put(group, this.node.position.indexOf(Number(group.firstChild.dataset.block)), 0, 0);
    }
    this.look(place);
    if (!place) return;
    const line = LINES[place];
    const { move, isLegal } = this.say(place);
    if (!isLegal) return;
    const [right, down] = { 1: [LEAN, 0], 7: [0, LEAN], "-1": [-LEAN, 0], "-7": [0, -LEAN] }[line[1] - line[0]];
    const white = Number(move[1]);
    line.slice(0, white).forEach((cell, away) => {
      const group = this.blocks.get(this.node.position[cell]);
      const isWhite = away === white - 1;
      group.classList.add(isWhite ? "taken" : "leaning");
      group.classList.toggle("coloured", colour(this.node.position[cell], this.node.board) !== "w");
      if (!isWhite) {
        this.squares.append(group); // above the white block
        this.#put(group, cell, right, down);
      }
    });
  }
}
