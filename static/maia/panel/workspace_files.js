/**
 * The files of one workspace as the panel shows them: the tree, what is open, what is fresh. Reads
 * them through the API and calls `onChange` whenever there is something new to draw.
 */

import { isImage } from "maia/panel/languages";
import { FreshMarks } from "maia/panel/marks";
import { affected, changedFile, failure, keepOpen, opened, readOpen } from "maia/panel/open_files";
import { tabAfterClosing } from "maia/panel/tablist";
import * as trees from "maia/panel/tree";
import { filesApi } from "maia/panel/workspace_api";

export class WorkspaceFiles {
  #workspace = "";
  /** @type {Set<string>} */ #leaving = new Set();
  /** @type {() => void} */ #onChange;

  tree = trees.emptyTree();
  /** @type {import("maia/panel/open_files").OpenFile[]} */
  files = [];
  /** The path of the file that is shown, "" for none. */
  active = "";

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
    this.marks = new FreshMarks(onChange);
  }

  /** Begins with a workspace, and with what was open in it. @param {string} workspace its id */
  start(workspace) {
    this.#workspace = workspace;
    this.marks.clear();
    this.#grow(trees.emptyTree());
    this.list("");
    this.#reopen();
  }

  /** Opens again what was open before the panel was hidden or the page reloaded. */
  async #reopen() {
    const workspace = this.#workspace;
    const { paths, active } = readOpen(workspace);
    /** @type {WorkspaceFiles["files"]} */ const none = [];
    this.#show(
      paths.reduce((files, path) => opened(files, path, null), none),
      paths.includes(active) ? active : (paths[0] ?? ""),
    );
    await Promise.all(paths.map((path) => this.#read(path)));
    if (workspace !== this.#workspace) return;
    const gone = this.files.filter((file) => file.state === "gone" && paths.includes(file.path));
    for (const { path } of gone) this.close(path);
  }

  /** @param {import("maia/panel/tree").Tree} tree */
  #grow(tree) {
    this.tree = tree;
    this.#onChange();
  }

  /** @param {WorkspaceFiles["files"]} files @param {string} active */
  #show(files, active) {
    this.files = files;
    this.active = active;
    keepOpen(this.#workspace, files, active);
    this.#onChange();
  }

  // ---- the tree -------------------------------------------------------------------------------

  /**
   * Reads a folder; returns the paths that are new or written since it was read before.
   * @param {string} folder
   * @returns {Promise<string[]>}
   */
  async list(folder) {
    const workspace = this.#workspace;
    this.#grow(trees.reading(this.tree, folder));
    const before = this.tree.folders.get(folder);
    try {
      const entries = await filesApi.list(workspace, folder);
      if (workspace !== this.#workspace) return [];
      this.#grow(trees.received(this.tree, folder, entries));
      return before?.state === "ready" ? trees.touched(before.entries, entries) : [];
    } catch (error) {
      if (workspace !== this.#workspace) return [];
      const { status, message } = /** @type {Error & {status?: number}} */ (error);
      if (folder && status === 404) this.#grow(trees.toggled(this.tree, folder, false));
      else this.#grow(trees.failed(this.tree, folder, message));
      return [];
    }
  }

  /** Opens or folds a folder. @param {string} path @param {boolean} open */
  toggle(path, open) {
    this.#grow(trees.toggled(this.tree, path, open));
    if (open && this.tree.folders.get(path)?.state !== "ready") this.list(path);
  }

  /** Shows more entries of a long folder. @param {string} folder */
  showMore(folder) {
    this.#grow(trees.showMore(this.tree, folder));
  }

  /** Unfolds the folders above a file, reading those that are not known. @param {string} path */
  async reveal(path) {
    this.#grow(trees.revealed(this.tree, path));
    const missing = [...this.tree.open].filter(
      (folder) => !this.tree.folders.has(folder) && (path.startsWith(`${folder}/`) || !folder),
    );
    await Promise.all(missing.map((folder) => this.list(folder)));
  }

  // ---- the open files -------------------------------------------------------------------------

  /**
   * Shows a file, at a line where one is given.
   * @param {string} path
   * @param {number | null} line from 1
   */
  async open(path, line) {
    const known = this.files.some((file) => file.path === path);
    this.#show(opened(this.files, path, line), path);
    if (!known) await this.#read(path);
  }

  /** Shows one of the open files. @param {string} path */
  choose(path) {
    this.#show(this.files, path);
  }

  /** @param {string} path */
  close(path) {
    const at = this.files.findIndex((file) => file.path === this.active);
    const closed = this.files.findIndex((file) => file.path === path);
    const left = this.files.filter((file) => file.path !== path);
    this.#show(left, left[tabAfterClosing(left.length, at, closed)]?.path ?? "");
  }

  /** Reads a file again whose reading failed. @param {string} path */
  retry(path) {
    this.#change(path, { state: "loading" });
    this.#read(path);
  }

  /** @param {string} path @param {Partial<import("maia/panel/open_files").OpenFile>} change */
  #change(path, change) {
    this.files = changedFile(this.files, path, change);
    this.#onChange();
  }

  /** @param {string} path */
  async #read(path) {
    const workspace = this.#workspace;
    const change = await read(workspace, path).catch(failure);
    if (workspace === this.#workspace) this.#change(path, change);
  }

  // ---- what changes them ----------------------------------------------------------------------

  /**
   * Reads again what a `workspace:changed` frame is about.
   * @param {{paths?: string[], agent?: string}} frame
   */
  async changed(frame) {
    const paths = (frame.paths ?? []).map((path) =>
      path.replace(/^\.?\/+|\/+$/g, "").replace(/^\.$/, ""),
    );
    for (const { path } of affected(this.files, paths))
      if (![...this.#leaving].some((one) => isWithin(path, one))) this.#read(path);
    const lists = await Promise.all(
      trees.stale(this.tree, paths).map((folder) => this.list(folder)),
    );
    const hidden = paths
      .filter((path) => path && !this.tree.folders.has(path))
      .map((path) => this.#nearestKnown(path));
    this.marks.add([...lists.flat(), ...hidden], frame.agent);
  }

  /** Returns the closed folder that hides `path`: it carries the mark. @param {string} path */
  #nearestKnown(path) {
    let at = path;
    while (trees.parentOf(at) && !this.tree.folders.has(trees.parentOf(at)))
      at = trees.parentOf(at);
    return at;
  }

  /** Reads again all that is known. */
  refresh() {
    return Promise.all([
      ...trees.stale(this.tree, []).map((folder) => this.list(folder)),
      ...this.files.map((file) => this.#read(file.path)),
    ]);
  }

  /** Makes an empty file. @param {string} path */
  async create(path) {
    await filesApi.create(this.#workspace, path);
    await this.list(trees.parentOf(path));
  }

  /** Deletes a file or a folder, and closes what was open of it. @param {string} path */
  async remove(path) {
    await this.#leave(path, () => filesApi.remove(this.#workspace, path));
    const within = this.files.filter((file) => isWithin(file.path, path));
    for (const file of within) this.close(file.path);
    await this.list(trees.parentOf(path));
  }

  /** Gives it another name; what is open of it stays so. @param {string} path @param {string} name */
  async rename(path, name) {
    const workspace = this.#workspace;
    const renamed = await this.#leave(path, () => filesApi.rename(workspace, path, name));
    if (workspace !== this.#workspace) return;
    /** @param {string} old */
    const now = (old) => (isWithin(old, path) ? renamed.path + old.slice(path.length) : old);
    this.#show(
      this.files.map((file) => ({ ...file, path: now(file.path) })),
      now(this.active),
    );
    await this.list(trees.parentOf(path));
  }

  /**
   * Does what makes a path go; until it is known, nobody reads what is open of it.
   * @template T @param {string} path @param {() => Promise<T>} act
   */
  async #leave(path, act) {
    this.#leaving.add(path);
    try {
      return await act();
    } finally {
      this.#leaving.delete(path);
    }
  }

  /** @param {Iterable<File>} files @param {string} folder */
  async upload(files, folder) {
    for (const file of files) await filesApi.upload(this.#workspace, file, folder);
    this.#grow(trees.toggled(this.tree, folder, true));
    await this.list(folder);
  }
}

/** Says whether a path is another one or lies in it. @param {string} path @param {string} above */
const isWithin = (path, above) => `${path}/`.startsWith(`${above}/`);

/**
 * @param {string} workspace
 * @param {string} path
 * @returns {Promise<Partial<import("maia/panel/open_files").OpenFile>>}
 */
async function read(workspace, path) {
  if (isImage(path)) return { state: "image", url: await filesApi.image(workspace, path) };
  const { text, version } = await filesApi.read(workspace, path);
  return { state: "text", text, version };
}
