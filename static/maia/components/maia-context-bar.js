/** <maia-context-bar>: how full an agent's context is; one square is 10,000 tokens or more. */
import { html, nothing } from "lit";
import { MaiaElement } from "maia/lib/dom";
import { contextBar, tokens } from "maia/lib/format";
import { t } from "maia/lib/i18n";

export class MaiaContextBar extends MaiaElement {
  static properties = { usage: { attribute: false } };

  constructor() {
    super();
    /** @type {import("maia/frames").Usage | undefined} */
    this.usage = undefined;
  }

  render() {
    if (!this.usage) return nothing;
    const { used, size } = this.usage;
    const bar = contextBar(used, size);
    if (!bar) return used ? html`<span class="ctx"><span class="ctx-label">${t("context.unknown", { used: tokens(used) })}</span></span>` : nothing;
    const squares = Array.from({ length: bar.total }, (_, i) => html`<i class=${i < bar.on ? "on" : nothing}></i>`);
    return html`<span class="ctx ${bar.level}" role="img" aria-label=${t("context.label", { label: bar.label })}><span
      class="ctx-squares" aria-hidden="true">${squares}</span><span class="ctx-label">${bar.label}</span>${bar.scale
      ? html`<span class="ctx-scale">${bar.scale}</span>` : nothing}</span>`;
  }
}

customElements.define("maia-context-bar", MaiaContextBar);
