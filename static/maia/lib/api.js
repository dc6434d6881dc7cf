/**
 * One way to call the REST API: JSON in and out, the CSRF token, and errors with a stable code.
 */

const CSRF_COOKIES = ["__Host-maia-csrf", "maia-csrf"];
const SAFE = new Set(["GET", "HEAD"]);

/** A refused or failed call: `code` is stable, `message` is already in the person's language. */
export class ApiError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {number} status HTTP status, 0 when no answer came
   * @param {Record<string, unknown>} data what else the server said
   */
  constructor(code, message, status = 0, data = {}) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

/**
 * Returns the CSRF token of this page: `<meta name="csrf-token">`, else the cookie.
 * @param {Document} [page]
 */
function csrfToken(page = document) {
  const meta = page.querySelector('meta[name="csrf-token"]')?.getAttribute("content");
  return meta || cookieToken(page.cookie);
}

/**
 * Returns the token in a `document.cookie` string, "" without one.
 * @param {string} cookies
 */
export function cookieToken(cookies) {
  for (const pair of cookies.split(";")) {
    const [name, ...value] = pair.trim().split("=");
    if (CSRF_COOKIES.includes(name)) return decodeURIComponent(value.join("="));
  }
  return "";
}

/**
 * Returns `path` with its query; undefined and null values are left out.
 * @param {string} path
 * @param {Record<string, string | number | boolean | null | undefined>} [query]
 */
export function withQuery(path, query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (!pairs.length) return path;
  return `${path}?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

/**
 * Reads an error answer. The server sends `{code, message, …}`; anything else (a proxy's page)
 * becomes a code made of the status.
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
async function failure(response) {
  const body = await response.json().catch(() => null);
  if (body && typeof body.code === "string") {
    const { code, message, ...data } = body;
    return new ApiError(code, message || code, response.status, data);
  }
  return new ApiError(
    `http-${response.status}`,
    response.statusText || `HTTP ${response.status}`,
    response.status,
  );
}

/**
 * Calls the API and returns the decoded answer: JSON, or undefined when there is none.
 * @param {string} method
 * @param {string} path below the site's root, such as `/api/workspaces/…`
 * @param {{query?: Record<string, any>, body?: unknown, signal?: AbortSignal}} [options] a
 *   FormData body is sent as it is, anything else as JSON
 * @returns {Promise<any>}
 * @throws {ApiError} code `offline` when no answer came
 */
export async function call(method, path, { query, body, signal } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (!SAFE.has(method)) headers["X-CSRFToken"] = csrfToken();
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers["Content-Type"] = "application/json";
  const payload =
    body === undefined ? undefined : form ? /** @type {FormData} */ (body) : JSON.stringify(body);
  let response;
  try {
    response = await fetch(withQuery(path, query), {
      method,
      headers,
      body: payload,
      signal,
      credentials: "same-origin",
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("offline", error instanceof Error ? error.message : String(error));
  }
  if (!response.ok) throw await failure(response);
  if (response.status === 204 || !response.headers.get("content-type")?.includes("json"))
    return undefined;
  return response.json();
}

/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

export const api = {
  /** @param {string} path @param {Query} [query] @param {AbortSignal} [signal] */
  get: (path, query, signal) => call("GET", path, { query, signal }),
  /** @param {string} path @param {unknown} [body] @param {Query} [query] */
  post: (path, body, query) => call("POST", path, { body, query }),
  /** @param {string} path @param {unknown} [body] @param {Query} [query] */
  put: (path, body, query) => call("PUT", path, { body, query }),
  /** @param {string} path @param {unknown} [body] @param {Query} [query] */
  patch: (path, body, query) => call("PATCH", path, { body, query }),
  /** @param {string} path @param {Query} [query] */
  delete: (path, query) => call("DELETE", path, { query }),
};
