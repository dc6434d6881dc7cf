/** What the server put into the page, and the addresses of the page. */

/**
 * @typedef {{id: string, name: string, role: "owner"|"editor"|"viewer", personal: boolean}}
 *   Workspace
 */
/** @typedef {{name: string, title: string, description: string, kind: string}} Agent */
/**
 * @typedef {object} Page
 * @property {import("maia/frames").Person} user
 * @property {boolean} administrator
 * @property {string} language
 * @property {string} theme "light", "dark" or "" for the system's
 * @property {string} release
 * @property {Workspace[]} workspaces
 * @property {Agent[]} agents
 * @property {{name: string, group: string, argument: string, words: string}[]} [commands] slash
 *   commands of the server
 * @property {string} workspace the one to show
 * @property {Record<string, string>} urls pages of the site by name; those missing are ""
 */

/** Returns what the server put into the page. @returns {Page} */
export function readPage() {
  return JSON.parse(document.getElementById("maia-page")?.textContent ?? "{}");
}

/** Returns the workspace and channel that an address names. @param {string} path */
export function placeOf(path) {
  const match = /^\/w\/([^/]+)(?:\/c\/([^/]+))?\/?$/.exec(path);
  return { workspace: match?.[1] ?? "", channel: match?.[2] ?? "" };
}

/** Returns the address of a channel. @param {string} workspace @param {string} [channel] */
export function pathOf(workspace, channel) {
  return channel ? `/w/${workspace}/c/${channel}` : `/w/${workspace}`;
}

/** Returns the WebSocket's address. */
export function socketUrl() {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
}

/**
 * Posts a form as the page itself would: for the site's language and theme.
 * @param {string} url @param {Record<string, string>} fields
 */
export function submitForm(url, fields) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = url;
  for (const [name, value] of Object.entries({ ...fields, csrfmiddlewaretoken: csrf() })) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}

/**
 * Posts a form without leaving the page.
 * @param {string} url
 * @param {Record<string, string>} fields
 */
export function postQuietly(url, fields) {
  return fetch(url, {
    method: "POST",
    body: new URLSearchParams(fields),
    redirect: "manual",
    headers: { "X-CSRFToken": csrf() },
  });
}

function csrf() {
  return (
    /** @type {HTMLInputElement | null} */ (
      document.querySelector("input[name=csrfmiddlewaretoken]")
    )?.value ?? ""
  );
}
