/**
 * Marks of fresh changes: "maia, 8 s ago" beside a file, for 30 s after it was written.
 */

/** How long a mark stays, in milliseconds. */
export const MARK_MS = 30_000;

/** @typedef {{agent: string, at: number}} Mark `at` in milliseconds */
/** @typedef {import("maia/panel/changes").Change} Change */

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

/** A change older than this is history that was loaded, not news; in milliseconds. */
const NEWS_MS = 60_000;

/**
 * Returns what an agent changed between two lists of a conversation's changes: the files whose
 * list of edits is new or grew a moment ago.
 * @param {readonly Change[]} before @param {readonly Change[]} after @param {number} now
 * @returns {{path: string, agent: string}[]}
 */
export function newlyChanged(before, after, now) {
  const edits = new Map(before.map((change) => [change.path, change.diffs.length]));
  return after
    .filter((change) => change.agent && change.diffs.length > (edits.get(change.path) ?? 0))
    .filter((change) => Math.abs(now - Date.parse(change.at ?? "")) < NEWS_MS)
    .map((change) => ({
      path: change.path.replace(/^\/workspace\//, ""),
      agent: change.agent ?? "",
    }));
}

/**
 * The marks that stand beside files now. They go by themselves; `onChange` is called each second.
 */
export class FreshMarks {
  /** @type {ReadonlyMap<string, Mark>} */
  all = new Map();
  /** Now, in milliseconds, as it was when they were last looked at. */
  now = 0;
  /** @type {() => void} */ #onChange;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #clock;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  /**
   * @param {readonly string[]} paths
   * @param {string | undefined} agent nothing is marked without one
   */
  add(paths, agent) {
    this.now = Date.now();
    this.all = marked(this.all, paths, agent, this.now);
    if (this.all.size) this.#clock ??= setInterval(() => this.#tick(), 1000);
    this.#onChange();
  }

  #tick() {
    this.now = Date.now();
    this.all = marked(this.all, [], null, this.now);
    if (!this.all.size) this.stop();
    this.#onChange();
  }

  clear() {
    this.all = new Map();
    this.stop();
  }

  /** Stops the clock. */
  stop() {
    clearInterval(this.#clock);
    this.#clock = undefined;
  }
}
