/** Reads the whole of a tool call that frames carry shortened. */

import { api } from "maia/lib/api";

/** @typedef {import("maia/frames").ToolPart} ToolPart */

/**
 * @param {{channel: string, messageId: string, call: string}} place
 * @returns {Promise<ToolPart>}
 * @throws {import("maia/lib/api").ApiError}
 */
export function wholeCall({ channel, messageId, call }) {
  const names = [channel, messageId, call].map(encodeURIComponent);
  return api.get(`/api/channels/${names[0]}/messages/${names[1]}/calls/${names[2]}`);
}
