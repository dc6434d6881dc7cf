/**
 * The file tree as a value: which folders are known and open, and the rows they give.
 *
 * Every function returns a new tree; nothing here touches the page or the network.
 */

import { fold } from "maia/lib/visible";

/**
 * @typedef {{name: string, path: string, dir: boolean, size: number, modTime: number, link?:
 *   boolean}} Entry
 */
/**
 * @typedef {{state: "loading" | "ready" | "error", entries: Entry[], shown: number, error?:
 *   string}} Folder
 */
/** @typedef {{folders: Map<string, Folder>, open: Set<string>}} Tree */
/**
 * @typedef {object} Row
 * @property {"entry" | "more" | "loading" | "error" | "empty"} kind
 * @property {string} key unique in the tree, stable between two renderings
 * @property {string} folder the folder this row belongs to
 * @property {number} level 1 for the workspace's own entries
 * @property {Entry} [entry]
 * @property {boolean} [open]
 * @property {number} [position] from 1, among its siblings
 * @property {number} [siblings]
 * @property {number} [left] entries not shown yet, for `more`
 * @property {string} [error]
 */

/** Entries of a folder shown at once; "show more" adds as many. */
const PAGE = 200;

/** @returns {Tree} */
export const emptyTree = () => ({ folders: new Map(), open: new Set([""]) });

/** @param {string} path @returns {string} the folder that holds `path`; "" is the workspace */
export const parentOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** @param {string} path */
export const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);

/** @param {string} folder @param {string} name */
export const join = (folder, name) => (folder ? `${folder}/${name}` : name);

/** @param {Tree} tree @param {string} path @param {Folder} folder @returns {Tree} */
function withFolder(tree, path, folder) {
  return { ...tree, folders: new Map(tree.folders).set(path, folder) };
}

/**
 * Marks a folder as being read; what it showed before stays.
 * @param {Tree} tree
 * @param {string} path
 */
export function reading(tree, path) {
  const known = tree.folders.get(path);
  if (known?.state === "ready") return tree;
  return withFolder(tree, path, { state: "loading", entries: [], shown: PAGE });
}

/** @param {Tree} tree @param {string} path @param {Entry[]} entries */
export function received(tree, path, entries) {
  const shown = tree.folders.get(path)?.shown ?? PAGE;
  return pruned(withFolder(tree, path, { state: "ready", entries, shown }), path, entries);
}

/** @param {Tree} tree @param {string} path @param {string} error */
export function failed(tree, path, error) {
  const known = tree.folders.get(path);
  return withFolder(tree, path, {
    state: "error",
    entries: known?.entries ?? [],
    shown: known?.shown ?? PAGE,
    error,
  });
}

/**
 * Forgets the folders below `path` that are no longer there, and their expansion.
 * @param {Tree} tree @param {string} path @param {Entry[]} entries @returns {Tree}
 */
function pruned(tree, path, entries) {
  const alive = new Set(entries.filter((e) => e.dir).map((e) => e.path));
  const prefix = path ? `${path}/` : "";
  const gone = (/** @type {string} */ known) => {
    if (known === path || !known.startsWith(prefix)) return false;
    return !alive.has(prefix + known.slice(prefix.length).split("/")[0]);
  };
  return {
    folders: new Map([...tree.folders].filter(([known]) => !gone(known))),
    open: new Set([...tree.open].filter((known) => !gone(known))),
  };
}

/**
 * @param {Tree} tree
 * @param {string} path
 * @param {boolean} [open] the opposite of now when left out
 */
export function toggled(tree, path, open = !tree.open.has(path)) {
  const now = new Set(tree.open);
  if (open) now.add(path);
  else now.delete(path);
  return { ...tree, open: now };
}

/**
 * Opens every folder above `path`, so that its row can be shown.
 * @param {Tree} tree
 * @param {string} path
 */
export function revealed(tree, path) {
  const open = new Set(tree.open);
  for (let folder = parentOf(path); folder; folder = parentOf(folder)) open.add(folder);
  open.add("");
  return { ...tree, open };
}

/** @param {Tree} tree @param {string} path */
export function showMore(tree, path) {
  const folder = tree.folders.get(path);
  return folder ? withFolder(tree, path, { ...folder, shown: folder.shown + PAGE }) : tree;
}

/**
 * Returns the rows in reading order, closed folders without their content.
 * @param {Tree} tree
 * @returns {Row[]}
 */
export function rows(tree) {
  /** @type {Row[]} */
  const out = [];
  collect(tree, "", 1, out);
  return out;
}

/** @param {Tree} tree @param {string} path @param {number} level @param {Row[]} out */
function collect(tree, path, level, out) {
  const folder = tree.folders.get(path);
  const note = (/** @type {Row["kind"]} */ kind, extra = {}) =>
    out.push({ kind, key: `${kind}:${path}`, folder: path, level, ...extra });
  if (!folder || folder.state === "loading") return void note("loading");
  if (folder.state === "error") return void note("error", { error: folder.error });
  if (!folder.entries.length) return void note("empty");
  const shown = folder.entries.slice(0, folder.shown);
  shown.forEach((entry, index) => {
    const open = entry.dir && tree.open.has(entry.path);
    out.push({
      kind: "entry",
      key: entry.path,
      folder: path,
      level,
      entry,
      open,
      position: index + 1,
      siblings: folder.entries.length,
    });
    if (open) collect(tree, entry.path, level + 1, out);
  });
  if (folder.entries.length > shown.length)
    note("more", { left: folder.entries.length - shown.length });
}

/**
 * Returns the open or known folders that a change of `paths` makes worth reading again.
 * @param {Tree} tree
 * @param {readonly string[]} paths folders; none means "anything may have changed"
 */
export function stale(tree, paths) {
  const known = [...tree.folders.keys()];
  if (!paths.length) return known;
  const named = new Set(paths.map((path) => path.replace(/^\.?\/+|\/+$/g, "").replace(/^\.$/, "")));
  return known.filter((path) => named.has(path));
}

/**
 * Returns the paths that appeared or were written between two listings of a folder.
 * @param {readonly Entry[]} before @param {readonly Entry[]} after
 */
export function touched(before, after) {
  const old = new Map(before.map((e) => [e.path, e]));
  return after
    .filter((e) => {
      const was = old.get(e.path);
      return !was || (!e.dir && (was.modTime !== e.modTime || was.size !== e.size));
    })
    .map((e) => e.path);
}

/**
 * Returns the index of the row a key leads to, or -1 where the key does nothing (the tree pattern
 * of WAI-ARIA). Right on a closed folder and Left on an open one are the caller's to carry out.
 * @param {readonly Row[]} list @param {number} at @param {string} key
 */
export function moved(list, at, key) {
  const last = list.length - 1;
  switch (key) {
    case "ArrowDown":
      return Math.min(last, at + 1);
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "Home":
      return last < 0 ? -1 : 0;
    case "End":
      return last;
    case "ArrowRight":
      return list[at]?.open && list[at + 1]?.level > list[at].level ? at + 1 : -1;
    case "ArrowLeft":
      return parentRow(list, at);
    default:
      return -1;
  }
}

/** @param {readonly Row[]} list @param {number} at */
function parentRow(list, at) {
  for (let i = at - 1; i >= 0; i -= 1) if (list[i].level < list[at].level) return i;
  return -1;
}

/**
 * Returns the next row whose name starts with `typed`, from `at` on and around; -1 without one.
 * A letter typed again moves on to the next name that starts with it.
 * @param {readonly Row[]} list @param {number} at @param {string} typed
 */
export function typeAhead(list, at, typed) {
  const same = [...typed].every((c) => c === typed[0]);
  const wanted = fold(same ? typed[0] : typed);
  const first = same || typed.length === 1 ? 1 : 0;
  for (let step = first; step <= list.length; step += 1) {
    const i = (at + step) % list.length;
    if (fold(list[i].entry?.name ?? "").startsWith(wanted)) return i;
  }
  return -1;
}
