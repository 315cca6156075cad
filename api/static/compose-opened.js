// The record that was opened last, as it was written: its comments, its spacing and its notation stay for the boards that are
// played as they stand in it. No page here.
import { replay, sections, write } from "./jc-golden-nugget.js";

const MARK = "\ufeff"; // a byte-order mark

export class Opened {
  /** From its bytes (Uint8Array). */
  constructor(bytes) {
    Object.assign(this, replay(bytes));
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
      this.text = MARK + this.text;
      this.ends = this.ends.map((end) => end + 1);
    }
  }

  /** The record of a chain (places board by board), with all that can stay of this one. */
  write(chain) {
    let same = 0; // boards at the start that are played alike
    while (same < chain.length && chain[same].join("") === this.boards[same]?.join("")) same += 1;
    if (this.verdict.accepted && same === chain.length && same === this.boards.length) return this.text;
    if (!this.ends.length) return write(chain);
    const kept = Math.min(same, this.ends.length - 1);
    const line = this.text.includes("\r\n") ? "\r\n" : "\n";
    let text = this.text.slice(0, this.ends[kept]);
    const more = sections(chain).slice(kept).join("\n").replaceAll("\n", line);
    if (more && !text.endsWith("\n")) text += line;
    return text + (more && !/\n\r?\n$/.test(text) ? line : "") + more;
  }
}
