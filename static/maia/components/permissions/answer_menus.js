/**
 * The two menus under a permission request: the rule that "always" writes, and a word with a
 * denial.
 */
import { html, live, nothing } from "lit";
import { t } from "maia/lib/i18n";
import { coversOf, powersOf } from "maia/lib/rule_words";
import { visible } from "maia/lib/visible";

/** @typedef {import("maia/frames").RuleOffer} RuleOffer */

/**
 * @typedef {object} Menu
 * @property {import("maia/frames").PermissionRequest} request
 * @property {boolean} busy whether an answer is on its way
 * @property {(event: SubmitEvent) => void} submit
 * @property {(event: KeyboardEvent) => void} pressed
 * @property {() => void} cancel
 */

/**
 * @typedef {object} RuleMenu
 * @property {readonly RuleOffer[]} offers
 * @property {string} rule what would be written, one rule a line
 * @property {string} scope "person" or "workspace"
 * @property {boolean} owner whether the reader may write for the whole workspace
 * @property {boolean} own whether the reader asked for the turn
 * @property {(rule: string) => void} chooseRule
 * @property {(scope: string) => void} chooseScope
 */

/** Returns the rules of an offer, one a line. @param {RuleOffer} offer */
export function rulesOf({ rule, also }) {
  return [rule, ...(also ?? [])].join("\n");
}

/** @param {Menu & RuleMenu} menu */
export function drawRuleMenu(menu) {
  const { request, offers, rule } = menu;
  return html`<form class="perm-menu" @submit=${menu.submit} @keydown=${menu.pressed}>
    <fieldset><legend class="label">${t("perm.rule")}</legend>
      ${offers.map((offer) => drawOffer(menu, offer))}
      ${
        request.definition
          ? html`<span class="hint">${t("perm.bound", { tool: request.toolCall.name })}</span>`
          : nothing
      }
    </fieldset>
    <label class="field"><span class="label">${t("perm.ruleEdit")}</span><textarea
      class="textarea mono" name="rule" dir="auto" rows=${Math.max(1, rule.split("\n").length)}
      .value=${live(rule)} required autocomplete="off" spellcheck="false"
      @input=${(/** @type {InputEvent} */ { target }) =>
        menu.chooseRule(/** @type {HTMLTextAreaElement} */ (target).value)}></textarea></label>
    <fieldset class="row wrap"><legend class="label">${t("perm.scope")}</legend>${[
      "person",
      "workspace",
    ].map((scope) => drawScope(menu, scope))}
    </fieldset>${drawLimits(menu)}
    <div class="row"><button class="btn primary s"
      ?disabled=${menu.busy}>${t("perm.write")}</button>${drawCancel(menu)}</div></form>`;
}

/** @param {Menu & RuleMenu} menu @param {RuleOffer} offer */
function drawOffer({ request, rule, chooseRule }, offer) {
  const rules = rulesOf(offer);
  const hints = [coversOf(offer), powersOf(offer)].filter(Boolean);
  return html`<label class="perm-offer"><input type="radio" name="offer-${request.id}"
    .checked=${rules === rule}
    @change=${() => chooseRule(rules)}><span>${[offer.rule, ...(offer.also ?? [])].map(
      (each) => html`<code>${visible(each)}</code>`,
    )}${hints.map((hint) => html`<span class="hint">${hint}</span>`)}</span></label>`;
}

/** @param {Menu & RuleMenu} menu @param {string} scope */
function drawScope({ request, scope: chosen, owner, chooseScope }, scope) {
  return html`<label class="row"><input type="radio" name="scope-${request.id}"
    .checked=${chosen === scope}
    ?disabled=${scope === "workspace" && !owner}
    @change=${() => chooseScope(scope)}>${t(`perm.scope.${scope}`)}</label>`;
}

/** For whom a rule will not hold. @param {Menu & RuleMenu} menu */
function drawLimits({ request, owner, own, scope }) {
  const theirs =
    own || scope !== "person" ? "" : t("perm.notTheirs", { who: request.starter.name });
  const limits = [owner ? "" : t("perm.ownersOnly"), theirs].filter(Boolean);
  return limits.length ? html`<p class="hint">${limits.join(" ")}</p>` : nothing;
}

/** @param {Menu} menu */
export function drawDenyMenu(menu) {
  return html`<form class="perm-menu" @submit=${menu.submit} @keydown=${menu.pressed}>
    <label class="field"><span
      class="label">${t("perm.word", { agent: menu.request.agent })}</span><input class="input"
        dir="auto" name="word" maxlength="4000"
        autocomplete="off" placeholder=${t("perm.wordHint")}></label>
    <div class="row"><button class="btn s"
      ?disabled=${menu.busy}>${t("perm.deny")}</button>${drawCancel(menu)}</div></form>`;
}

/** @param {Menu} menu */
function drawCancel({ cancel }) {
  return html`<button class="btn quiet s" type="button" @click=${cancel}>${t("cancel")}</button>`;
}
