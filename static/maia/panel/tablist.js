/**
 * Arrow keys in a row of tabs (the tabs pattern of WAI-ARIA): one tab stop, arrows inside.
 */

/**
 * Returns the index a key leads to, or -1 where the key does nothing.
 * @param {number} count @param {number} at @param {string} key
 */
export function tabByKey(count, at, key) {
  if (!count) return -1;
  if (key === "ArrowRight") return (at + 1) % count;
  if (key === "ArrowLeft") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return -1;
}

/**
 * Returns the index to show after the tab at `closed` went away; -1 when none is left.
 * @param {number} countAfter @param {number} at the tab shown before @param {number} closed
 */
export function tabAfterClosing(countAfter, at, closed) {
  if (!countAfter) return -1;
  if (closed < at) return at - 1;
  return Math.min(at, countAfter - 1);
}
