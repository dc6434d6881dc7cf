/**
 * The files that are open, as values: what is shown for each, and in which order.
 */
import { ApiError } from "maia/lib/api";

/**
 * @typedef {object} OpenFile
 * @property {string} path
 * @property {"loading" | "text" | "image" | "too-large" | "binary" | "gone" | "error"} state
 * @property {string} [text] the last text read; kept when the file is gone
 * @property {string} [version]
 * @property {string} [url] of an image
 * @property {string} [error]
 * @property {number | null} [line] the line to show, from 1
 * @property {number} [jump] grows with each request to show `line`
 */

/** @type {Record<string, OpenFile["state"]>} */
const STATES = {
  "too-large": "too-large",
  binary: "binary",
  "not-a-file": "binary",
  "not-found": "gone",
};

/**
 * Adds a file at the end, or asks an open one to show `line`.
 * @param {readonly OpenFile[]} files
 * @param {string} path
 * @param {number | null} line
 * @returns {OpenFile[]}
 */
export function opened(files, path, line) {
  const at = files.findIndex((file) => file.path === path);
  if (at < 0) return [...files, { path, state: "loading", line, jump: 1 }];
  return files.map((file, i) =>
    i === at && line ? { ...file, line, jump: (file.jump ?? 0) + 1 } : file,
  );
}

/**
 * @param {readonly OpenFile[]} files
 * @param {string} path
 * @param {Partial<OpenFile>} change
 * @returns {OpenFile[]}
 */
export const changedFile = (files, path, change) =>
  files.map((file) => (file.path === path ? { ...file, ...change } : file));

/** Returns what a failed read shows. @param {unknown} error @returns {Partial<OpenFile>} */
export function failure(error) {
  const code = error instanceof ApiError ? error.code : "";
  const state = STATES[code] ?? "error";
  return { state, error: error instanceof Error ? error.message : String(error) };
}

/**
 * Returns the open files a change of `folders` may have touched.
 * @param {readonly OpenFile[]} files
 * @param {readonly string[]} folders
 */
export function affected(files, folders) {
  if (!folders.length) return [...files];
  const named = new Set(folders);
  return files.filter((file) =>
    named.has(file.path.slice(0, Math.max(0, file.path.lastIndexOf("/")))),
  );
}

/**
 * Returns the smallest piece to replace so that `before` becomes `after`: outside it, marks,
 * selection and scroll position stay.
 * @param {string} before @param {string} after
 */
export function replacement(before, after) {
  let from = 0;
  const most = Math.min(before.length, after.length);
  while (from < most && before.charCodeAt(from) === after.charCodeAt(from)) from += 1;
  let end = 0;
  while (
    end < most - from &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** @param {string} workspace */
const place = (workspace) => `maia.files.${workspace}`;

/**
 * Remembers which files are open while this tab of the browser lives.
 * @param {string} workspace
 * @param {readonly OpenFile[]} files
 * @param {string} active
 * @param {Storage} [storage]
 */
export function keepOpen(workspace, files, active, storage = sessionStorage) {
  try {
    storage.setItem(
      place(workspace),
      JSON.stringify({ paths: files.map((file) => file.path), active }),
    );
  } catch {
    // Without storage the list is not remembered, no more.
  }
}

/**
 * @param {string} workspace
 * @param {Storage} [storage]
 * @returns {{paths: string[], active: string}}
 */
export function readOpen(workspace, storage = sessionStorage) {
  try {
    const { paths = [], active = "" } = JSON.parse(storage.getItem(place(workspace)) ?? "{}");
    return {
      paths: paths.filter((/** @type {unknown} */ path) => typeof path === "string"),
      active,
    };
  } catch {
    return { paths: [], active: "" };
  }
}
