/** The tab's title and icon, which tell that something waits. */

import { nameOf } from "maia/lib/conversation";
import { unreadCount } from "maia/lib/format";

/**
 * @param {object} now
 * @param {import("maia/frames").ChannelInfo | undefined} now.info the open conversation
 * @param {number} now.asks requests that wait for this person
 * @param {number} now.unread messages elsewhere
 */
export function titleOf({ info, asks, unread }) {
  const sign = asks ? "❓ " : unread ? `(${unreadCount(unread)}) ` : "";
  return `${sign}${info ? `${nameOf(info)} · ` : ""}MAIA`;
}

/** @param {Parameters<typeof titleOf>[0]} now */
export function showTitle(now) {
  document.title = titleOf(now);
  const link = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  const href = link?.href.replace(/mark(?:-asks)?\.svg$/, now.asks ? "mark-asks.svg" : "mark.svg");
  if (link && href && link.href !== href) link.href = href;
}
