/**
 * The REST operations on the files and terminals of a workspace.
 */
import { api } from "maia/lib/api";

/** @typedef {import("maia/panel/tree").Entry} Entry */
/** @typedef {{path: string, text: string, version: string}} FileText */
/** @typedef {{id: string, name: string, code?: number | null}} Terminal */

/** @param {string} workspace */
const base = (workspace) => `/api/workspaces/${encodeURIComponent(workspace)}`;

/** Returns where a file can be downloaded. @param {string} workspace @param {string} path */
export const downloadUrl = (workspace, path) =>
  `${base(workspace)}/download?${new URLSearchParams({ path })}`;

export const filesApi = {
  /**
   * Entries of a folder, folders first.
   * @param {string} workspace
   * @param {string} dir
   * @returns {Promise<Entry[]>}
   */
  list: async (workspace, dir) => entriesOf(await api.get(`${base(workspace)}/files`, { dir })),
  /** @param {string} workspace @param {string} path @returns {Promise<FileText>} */
  read: (workspace, path) => api.get(`${base(workspace)}/file`, { path }),
  /**
   * Writes a text; an empty `version` makes a new file.
   * @param {string} workspace
   * @param {string} path
   * @param {string} text
   * @param {string} version
   * @returns {Promise<FileText>}
   */
  write: (workspace, path, text, version) =>
    api.put(`${base(workspace)}/file`, { text, version }, { path }),
  /**
   * Makes an empty file; refused where something has that name.
   * @param {string} workspace
   * @param {string} path
   * @returns {Promise<FileText>}
   */
  create: (workspace, path) =>
    api.put(`${base(workspace)}/file`, { text: "", create: true }, { path }),
  /** @param {string} workspace @param {string} path */
  remove: (workspace, path) => api.delete(`${base(workspace)}/file`, { path }),
  /** @param {string} workspace @param {string} path @param {string} name */
  rename: (workspace, path, name) => api.patch(`${base(workspace)}/file`, { name }, { path }),
  /**
   * Returns a picture as a `data:` URL.
   * @param {string} workspace
   * @param {string} path
   * @returns {Promise<string>}
   */
  image: async (workspace, path) => (await api.get(`${base(workspace)}/image`, { path })).url,
  /**
   * Copies a file of this computer into the workspace.
   * @param {string} workspace
   * @param {File} file
   * @param {string} dir
   */
  upload: (workspace, file, dir) => {
    const form = new FormData();
    form.append("file", file, file.name);
    form.append("dir", dir);
    return api.post(`${base(workspace)}/attach`, form);
  },
};

export const terminalsApi = {
  /**
   * This person's shells in a workspace, oldest first.
   * @param {string} workspace
   * @returns {Promise<Terminal[]>}
   */
  list: async (workspace) => terminalsOf(await api.get(`${base(workspace)}/terminals`)),
  /**
   * @param {string} workspace
   * @param {{cols?: number, rows?: number}} [size]
   * @returns {Promise<Terminal>}
   */
  open: (workspace, size = {}) => api.post(`${base(workspace)}/terminals`, size),
  /** @param {string} id @param {string} name */
  rename: (id, name) => api.patch(`/api/terminals/${encodeURIComponent(id)}`, { name }),
  /** Hangs up the shell and all it started. @param {string} id */
  close: (id) => api.delete(`/api/terminals/${encodeURIComponent(id)}`),
};

/** @param {any} answer */
const entriesOf = (answer) => (Array.isArray(answer) ? answer : answer.entries);

/** @param {any} answer */
const terminalsOf = (answer) => (Array.isArray(answer) ? answer : answer.terminals);
