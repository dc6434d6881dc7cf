/** Folds permission frames: what waits, and what was answered while this page was open. */

/** @typedef {import("maia/frames").PermissionRequest} PermissionRequest */

/**
 * Adds a request, or replaces the same one.
 * @param {PermissionRequest[]} requests
 * @param {PermissionRequest} request
 * @returns {PermissionRequest[]}
 */
export function requested(requests, request) {
  const others = requests.filter((each) => each.id !== request.id);
  return [...others, request];
}

/**
 * Notes the answer to a request, or that nobody needs to answer it any more.
 * @param {PermissionRequest[]} requests
 * @param {import("maia/frames").PermissionResolved} frame
 * @returns {PermissionRequest[]}
 */
export function resolved(requests, { id, state, answer }) {
  return requests.map((each) => (each.id === id ? { ...each, state, answer } : each));
}

/**
 * Returns the requests that wait, oldest first.
 * @param {PermissionRequest[]} requests
 * @returns {PermissionRequest[]}
 */
export function waiting(requests) {
  return requests
    .filter((each) => each.state === "pending")
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}
