/** Scroll the lines of a record that are shown so far that the token in question is in sight: on a phone they are long. */
export function inSight(root) {
  for (const mark of root.querySelectorAll(".excerpt mark")) {
    const lines = mark.closest(".excerpt");
    const beyond = mark.getBoundingClientRect().right - lines.getBoundingClientRect().right;
    if (beyond > 0) lines.scrollLeft += beyond + lines.clientWidth / 3;
  }
}
