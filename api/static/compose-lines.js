// All that somebody has tried, as one tree: a position with the pushes made from it, and "/" where the board was turned over.
// Nothing that was pushed is lost before somebody says so: another push from an earlier position begins a branch, going back
// and forth is walking, and two trees are put together by adding what one of them lacks. No page here.
import { LINES, MOST, MOVES, START, isSolved, push } from "./jc-golden-nugget.js";

export const TURN = "/";

/** A position on its way: `move` pushes made on `board`, `before` on the boards before it. `main` is the push last taken. */
class Node {
  children = new Map();
  main = null;

  constructor(parent, edge, board, move, before, position) {
    Object.assign(this, { parent, edge, board, move, before, position, isSolved: isSolved(position, board) });
  }

  /** What would follow a push (or TURN): `{ node }`, or `{ code }` where that is forbidden. */
  step(edge) {
    if (this.children.has(edge)) return { node: this.children.get(edge) };
    if (edge === TURN) {
      if (!this.isSolved) return { code: "unsolved" };
      if (this.board === MOST) return { code: "too-many-boards" };
      return this.#add(edge, new Node(this, edge, this.board + 1, 0, this.before + this.move, this.position));
    }
    if (!LINES[edge]) return { code: "malformed" };
    if (this.move === MOVES) return { code: "too-many-moves" };
    const done = push(this.position, this.board, edge);
    if (done.code) return done;
    return this.#add(edge, new Node(this, edge, this.board, this.move + 1, this.before, done.position));
  }

  #add(edge, node) {
    this.children.set(edge, node);
    return { node };
  }

  /** The nodes from the root to this one. */
  way() {
    const nodes = [];
    for (let node = this; node; node = node.parent) nodes.push(node);
    return nodes.reverse();
  }

  leaf() {
    let node = this;
    while (node.main) node = node.main;
    return node;
  }

  /** Boards that are solved on the way here, and the pushes on them. */
  get solved() {
    return { boards: this.board - (this.isSolved ? 0 : 1), moves: this.before + (this.isSolved ? this.move : 0) };
  }
}

export class Lines {
  constructor({ board = 1, move = 0, position = START } = {}) {
    this.root = this.at = new Node(null, "", board, move, 0, position);
  }

  /** Be at that node; the line shown runs through it from now on. */
  go(node) {
    this.at = node;
    for (let each = node; each.parent; each = each.parent) each.parent.main = each;
  }

  /** Push from a place or turn over; a code where that is forbidden, else null. */
  play(edge) {
    const { node, code } = this.at.step(edge);
    if (code) return code;
    this.go(node);
    return null;
  }

  /** The line through where we are, board by board: `{ board, first, last, nodes }`. */
  boards() {
    const found = [];
    for (const node of this.at.leaf().way()) {
      if (!found.length || node.edge === TURN) found.push({ board: node.board, first: node, nodes: [] });
      found.at(-1).nodes.push(node);
      found.at(-1).last = node;
    }
    return found;
  }

  /** What leaves the line shown, or a branch of it: `{ first, leaf }`, the branches with most boards first. */
  others() {
    const found = [];
    const due = [this.root];
    for (let node; (node = due.pop()); ) {
      for (const child of node.children.values()) {
        if (child !== node.main) found.push({ first: child, leaf: child.leaf() });
        due.push(child);
      }
    }
    return found.sort((a, b) => b.leaf.board - a.leaf.board || b.leaf.move - a.leaf.move);
  }

  /** Cut a branch off; answers what puts it back. */
  forget(first) {
    first.parent.children.delete(first.edge);
    return () => first.parent.children.set(first.edge, first);
  }

  /** The way to where we are, as text. */
  path() {
    return this.at.way().map((node) => node.edge).join("");
  }

  /** The whole tree as text: other branches in parentheses before the one last taken. */
  toString() {
    const told = (start) => {
      let text = start.edge;
      for (let node = start; node; node = node.main) {
        for (const child of node.children.values()) if (child !== node.main) text += `(${told(child)})`;
        text += node.main?.edge ?? "";
      }
      return text;
    };
    return told(this.root);
  }

  /** Add what a text tells; what can't be played is left out. Answers the last node of its main line. */
  graft(text) {
    let node = this.root;
    let isBranch = false;
    const forks = [];
    for (const sign of text) {
      if (sign === "(") {
        forks.push(node);
        isBranch = true;
      } else if (sign === ")") {
        node = forks.pop() ?? this.root;
      } else {
        const next = node?.step(sign).node ?? null;
        if (next && !isBranch) node.main ??= next;
        node = next;
        isBranch = false;
      }
    }
    return node ?? this.root;
  }

  /** Walk along a text as far as it can be played, and be there. */
  walk(text) {
    let node = this.root;
    for (const edge of text) {
      const next = node.step(edge).node;
      if (!next) break;
      node = next;
    }
    this.go(node);
  }
}
