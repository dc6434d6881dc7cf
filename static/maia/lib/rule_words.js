/**
 * Why a call is asked and what a rule would cover, in the reader's words: the server sends codes.
 */

import { html } from "lit";
import { hasWords, pieces, t } from "maia/lib/i18n";
import { visible } from "maia/lib/visible";

/** @typedef {import("maia/frames").Reason} Reason */

/**
 * Returns why a call is asked as a template; the server's own words where it is an older request.
 * @param {Reason} reason
 */
export function whyOf(reason) {
  const key = `why.${reason.code}`;
  if (!reason.code || !hasWords(key))
    return reason.sentence ? ended(visible(reason.sentence)) : t("perm.noRule");
  const code = (/** @type {string | undefined} */ text) =>
    html`<code>${visible(text ?? "")}</code>`;
  const words = {
    ...reason.params,
    part: code(reason.part),
    rule: code(reason.rule),
    scope: reason.scope ? t(`scope.${reason.scope}`) : "",
  };
  return html`${pieces(key, words)}.`;
}

/**
 * Returns what an offered rule covers besides the call, "" for nothing; of one that is word for
 * word, which its `=` hardly says, that it covers no other.
 * @param {import("maia/frames").RuleOffer} offer
 */
export function coversOf(offer) {
  if (/^\w+=\(/.test(offer.rule)) return t("perm.exactly");
  const key = `covers.${offer.code}`;
  return offer.code && hasWords(key)
    ? t(key, { names: visible(offer.names) })
    : visible(offer.covers ?? "");
}

/**
 * Returns what an offered rule allows because a program of it can run others, "" for nothing.
 * @param {import("maia/frames").RuleOffer | undefined} offer
 */
export function powersOf(offer) {
  const names = (offer?.runs ?? []).map(visible);
  const code = names.includes("*") ? "every" : names.length === 1 ? "one" : "many";
  return names.length ? `${t(`powers.${code}`, { names: names.join(", ") })}.` : "";
}

/** @param {string} sentence */
function ended(sentence) {
  return /[.!?…:;]$/.test(sentence) ? sentence : `${sentence}.`;
}
