/** Keyboard: what key presses anywhere in the page do (guide §5). */

import { composes, globalAction, isHelp, isTyping } from "maia/lib/keys";
import { TABS } from "maia/panel/size";

/** @typedef {ReturnType<typeof globalAction>} Action */

export class Keyboard {
  /** @param {import("maia/components/frame/maia-app").MaiaApp} app */
  constructor(app) {
    this.app = app;
  }

  /** @param {KeyboardEvent} event */
  pressed = (event) => {
    if (event.defaultPrevented || composes(event)) return;
    const action = belongsToShell(event) ? undefined : globalAction(event);
    if (action === "escape") this.#escape(event);
    else if (document.querySelector("dialog[open]")) return;
    else if (action) this.#act(action, event);
    else if (leavesEmptyField(event) && this.app.timeline?.focusRequest()) event.preventDefault();
    else if (isHelp(event) && !isTyping(document.activeElement)) this.#act("help", event);
  };

  /** @param {string} action @param {KeyboardEvent} event */
  #act(action, event) {
    const { app } = this;
    event.preventDefault();
    if (action === "help") app.showHelp();
    else if (action === "palette") app.showPalette();
    else if (action === "theme") app.toggleTheme();
    else if (action === "panel") app.layout.togglePanel();
    else if (action.startsWith("tab-")) app.showTab(TABS[Number(action.slice(4)) - 1]);
    else this.#step(action.startsWith("unread"), action.endsWith("next") ? 1 : -1);
  }

  /** Esc closes what is on top, else stops the answer. @param {KeyboardEvent} event */
  #escape(event) {
    if (document.querySelector("dialog[open], [popover]:popover-open")) return;
    event.preventDefault();
    if (this.app.composer?.closeMenu() || this.app.closeSides()) return;
    this.app.talk.stop();
  }

  /**
   * Goes to the next or previous conversation in the order of the sidebar.
   * @param {boolean} unread
   * @param {1 | -1} by
   */
  #step(unread, by) {
    const { place } = this.app;
    const next = neighbour(place.channels ?? [], place.channelId.value, { unread, by });
    if (next) this.app.go(next);
  }
}

/**
 * Shift+Tab out of an empty message leads to the request that waits.
 * @param {KeyboardEvent} event
 */
function leavesEmptyField({ key, shiftKey, ctrlKey, metaKey, altKey, target }) {
  const back = key === "Tab" && shiftKey && !ctrlKey && !metaKey && !altKey;
  return (
    back && target instanceof HTMLTextAreaElement && target.id === "composer-field" && !target.value
  );
}

/** Inside a terminal only Ctrl+Shift belongs to the page. @param {KeyboardEvent} event */
function belongsToShell({ target, shiftKey }) {
  return !shiftKey && target instanceof Element && target.closest(".xterm") !== null;
}

/**
 * Returns the conversation beside `current` in the order of the sidebar, "" for none; only those
 * with something new where `unread` is set.
 * @param {import("maia/frames").ChannelInfo[]} channels
 * @param {string} current
 * @param {{unread: boolean, by: 1 | -1}} options
 */
export function neighbour(channels, current, { unread, by }) {
  const all = channels.toSorted((a, b) => Number(Boolean(a.direct)) - Number(Boolean(b.direct)));
  const at = all.findIndex((each) => each.id === current);
  const start = at < 0 && by < 0 ? 0 : at;
  for (let step = 1; step <= all.length; step += 1) {
    const next = all[(start + by * step + all.length * 2) % all.length];
    if (next.id !== current && (!unread || next.unread || next.waiting)) return next.id;
  }
  return "";
}
