/** <maia-plan>: the steps of a plan, as the agent wrote them. */
import { html } from "lit";
import { MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";

/** @type {Record<string, {box: string, row: string}>} */
const LOOKS = {
  pending: { box: "☐", row: "" },
  in_progress: { box: "▶", row: "now" },
  completed: { box: "☑", row: "done" },
};

export class MaiaPlan extends MaiaElement {
  static properties = { entries: { attribute: false } };

  constructor() {
    super();
    /** @type {import("maia/frames").PlanEntry[]} */
    this.entries = [];
  }

  render() {
    return html`<ul class="todo tools" data-pad aria-label=${t("plan")}>${this.entries.map(
      drawEntry,
    )}</ul>`;
  }
}

/** @param {import("maia/frames").PlanEntry} entry */
function drawEntry(entry) {
  const { box, row } = LOOKS[entry.status] ?? LOOKS.pending;
  const words = entry.status === "in_progress" && entry.active ? entry.active : entry.content;
  return html`<li class=${row}><span class="box" aria-hidden="true">${box}</span><span
    class="txt" dir="auto">${words}<span class="sr">,
        ${t(`plan.${entry.status}`)}</span></span></li>`;
}

customElements.define("maia-plan", MaiaPlan);
