/**
 * The changes of a conversation, one line per file: the first text before and the last after.
 */

/** @typedef {{path: string, oldText: string, newText: string, newFile?: boolean}} Diff */
/** @typedef {{path: string, diffs: Diff[], agent?: string, at?: string}} Change */
/** @typedef {{path: string, agent?: string, at?: string, diffs: Diff[], mark: 'A' | 'M' | 'D', added: number, removed: number}} FileChange */

/** @param {string} text */
const lines = (text) => (text ? text.replace(/\n$/, '').split('\n') : []);

/**
 * Returns how many lines came and went: a longest common subsequence, after the equal ends are
 * cut off; past 4 million cells the middle counts as replaced.
 * @param {string} before @param {string} after
 */
export function countLines(before, after) {
  let a = lines(before);
  let b = lines(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  a = a.slice(start, a.length - end);
  b = b.slice(start, b.length - end);
  const same = a.length * b.length > 4_000_000 ? 0 : common(a, b);
  return { added: b.length - same, removed: a.length - same };
}

/** @param {string[]} a @param {string[]} b */
function common(a, b) {
  let above = new Uint32Array(b.length + 1);
  for (const line of a) {
    const row = new Uint32Array(b.length + 1);
    for (let j = 1; j <= b.length; j += 1) row[j] = line === b[j - 1] ? above[j - 1] + 1 : Math.max(above[j], row[j - 1]);
    above = row;
  }
  return above[b.length];
}

/** @param {Diff[]} diffs @returns {'A' | 'M' | 'D'} */
function markOf(diffs) {
  if (diffs[0]?.newFile) return 'A';
  const last = diffs[diffs.length - 1];
  return last && last.oldText && !last.newText ? 'D' : 'M';
}

/**
 * Returns one entry per file with something changed, in the order of the list given.
 * @param {readonly Change[]} changes @returns {FileChange[]}
 */
export function byFile(changes) {
  return changes.filter((change) => change.diffs.length).map((change) => {
    const counts = change.diffs.map((d) => countLines(d.oldText ?? '', d.newText ?? ''));
    return {
      path: change.path, agent: change.agent, at: change.at, diffs: change.diffs, mark: markOf(change.diffs),
      added: counts.reduce((sum, c) => sum + c.added, 0),
      removed: counts.reduce((sum, c) => sum + c.removed, 0),
    };
  });
}
