/**
 * Layout: what is open beside the conversation: the panel and its tab; in one column, drawer and
 * sheet.
 */

import { keep, kept } from "maia/lib/kept";
import { TABS } from "maia/panel/size";
import { computed, signal } from "signals";

export class Layout {
  /** Whether the panel's column is open. */
  panel = signal(kept("panel") !== "closed");
  /** The panel's tab. */
  tab = signal(/** @type {import("maia/panel/size").Tab} */ (kept("panel-tab") || TABS[0]));
  /** Whether the drawer (one column) is open. */
  side = signal(false);
  /** Whether the panel's sheet (one column) is open. */
  sheet = signal(false);
  /** Whether the page is one column wide (guide §8). */
  narrow = signal(false);
  panelOpen = computed(() => (this.narrow.value ? this.sheet.value : this.panel.value));

  /**
   * @param {Pick<MediaQueryList, "matches" | "addEventListener">} query matches while the page is
   *   one column wide
   */
  follow(query) {
    this.narrow.value = query.matches;
    query.addEventListener("change", ({ matches }) => {
      this.narrow.value = matches;
    });
  }

  /** Shows the panel, as a column or as a sheet. */
  showPanel() {
    if (this.narrow.value) this.sheet.value = true;
    else this.panel.value = true;
  }

  togglePanel() {
    if (this.narrow.value) {
      this.sheet.value = !this.sheet.value;
      return;
    }
    this.panel.value = !this.panel.value;
    keep("panel", this.panel.value ? "open" : "closed");
  }

  /** @param {import("maia/panel/size").Tab} tab */
  chooseTab(tab) {
    this.tab.value = tab;
    keep("panel-tab", tab);
  }

  /** Closes drawer and sheet; returns whether one was open. */
  close() {
    const open = this.side.value || this.sheet.value;
    this.side.value = false;
    this.sheet.value = false;
    return open;
  }
}
