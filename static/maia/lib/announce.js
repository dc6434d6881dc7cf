/** Says in a polite live region what readers of the screen must know, each thing once. */

import { t } from "maia/lib/i18n";
import { waiting } from "maia/reducers/permissions";

/**
 * Returns what to say about a channel that changed.
 * @param {import("maia/reducers/channel").Channel | undefined} before
 * @param {import("maia/reducers/channel").Channel | undefined} after
 * @returns {string[]}
 */
export function announcements(before, after) {
  if (!before || !after || before.info.id !== after.info.id || before.stale) return [];
  const words = [];
  const known = new Map(before.permissions.map((each) => [each.id, each]));
  for (const request of waiting(after.permissions)) {
    if (!known.has(request.id)) {
      words.push(
        t("announce.asks", {
          agent: request.agent,
          what: request.toolCall.title || request.toolCall.name,
        }),
      );
    }
    const { proposal } = request;
    if (proposal && known.get(request.id)?.proposal?.id !== proposal.id)
      words.push(t("announce.proposes", { who: proposal.by.name }));
  }
  if (before.busy && !after.busy) {
    const { agent = after.messages.at(-1)?.agent ?? "", command } = before.answering ?? {};
    words.push(command ? t("announce.ran", { command }) : t("announce.answered", { agent }));
  }
  return words;
}
