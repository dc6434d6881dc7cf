/**
 * Marks of fresh changes: "maia, 8 s ago" beside a file, for 30 s after it was written.
 */

/** How long a mark stays, in milliseconds. */
export const MARK_MS = 30_000;

/** @typedef {{agent: string, at: number}} Mark `at` in milliseconds */

/**
 * Returns the marks with `paths` added and the outdated ones left out.
 * @param {ReadonlyMap<string, Mark>} marks @param {readonly string[]} paths
 * @param {string | null | undefined} agent nothing is marked without one @param {number} now
 */
export function marked(marks, paths, agent, now) {
  const fresh = new Map([...marks].filter(([, mark]) => now - mark.at < MARK_MS));
  if (agent) for (const path of paths) fresh.set(path, { agent, at: now });
  return fresh;
}

/** Returns whole seconds since the mark, at least 1. @param {Mark} mark @param {number} now */
export const secondsSince = (mark, now) => Math.max(1, Math.round((now - mark.at) / 1000));
