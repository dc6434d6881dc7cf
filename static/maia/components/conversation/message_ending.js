/** How an answer ended, whether it can go on, and what it took. */
import { html, nothing } from "lit";
import { icon } from "maia/lib/dom";
import { duration, tokens } from "maia/lib/format";
import { inWords, t } from "maia/lib/i18n";

/** @typedef {import("maia/frames").Message} Message */

/**
 * Endings people are told about, and whether the answer can go on.
 * @type {Record<string, {level: string, goes: boolean}>}
 */
const ENDINGS = {
  max_tokens: { level: "warn", goes: true },
  max_turn_requests: { level: "warn", goes: true },
  refusal: { level: "warn", goes: false },
  cancelled: { level: "info", goes: true },
  stopped: { level: "info", goes: false },
};

/**
 * Draws the row under an answer that failed or ended early.
 * @param {Message} message
 * @param {(() => void) | undefined} goOn what its button does; without it there is none
 */
export function drawEnding(message, goOn) {
  if (message.error) return drawFailure(message.error, goOn);
  if (!message.done) return nothing;
  const interrupted = message.parts.some((part) => "interrupted" in part && part.interrupted);
  if (interrupted && !message.stopReason)
    return drawRow("warn", t("end.interrupted"), drawButton(t("continue"), goOn));
  const ending = ENDINGS[message.stopReason ?? ""];
  if (!ending) return nothing;
  const n = message.counters?.steps ?? 0;
  const more =
    message.stopReason === "cancelled"
      ? t("askAgain")
      : message.stopReason === "max_turn_requests" && n
        ? t("continue.more", { n })
        : t("continue");
  const words = t(`end.${message.stopReason}`, { n });
  return drawRow(ending.level, words, ending.goes ? drawButton(more, goOn) : nothing);
}

/** @param {import("maia/frames").MessageError} error @param {(() => void) | undefined} goOn */
function drawFailure(error, goOn) {
  const { details } = error;
  const words = html`${inWords(error)}
        ${
          details
            ? html`<details class="why"><summary>${t("details")}</summary><pre class="tool-io"
              tabindex="0">${details}</pre></details>`
            : nothing
        }`;
  return drawRow("fail", words, drawButton(t("tryAgain"), goOn));
}

/** @param {string} level @param {unknown} words @param {unknown} button */
function drawRow(level, words, button) {
  return html`<div class="sys ended"><span
      class="badge ${level}">${level.toUpperCase()}</span><span class="txt">${words}</span>
      ${button}</div>`;
}

/** @param {string} words @param {(() => void) | undefined} goOn */
function drawButton(words, goOn) {
  return goOn ? html`<button class="btn s" @click=${goOn}>${words}</button>` : nothing;
}

/** Draws what a finished answer took. @param {Message} message */
export function drawCounters({ counters, done }) {
  if (!counters || !done) return nothing;
  const { commands, fileOps, skills, seconds, inputTokens, outputTokens } = counters;
  return html`<div
      class="counters">${drawCount("⚙", commands, "counters.commands")}${drawCount(
        "📝",
        fileOps,
        "counters.fileOps",
      )}${drawCount("📖", skills, "counters.skills")}
      ${seconds ? html`<span>${icon("clock", "i-xs")} ${duration(seconds)}</span>` : nothing}
      ${
        inputTokens || outputTokens
          ? html`<span
            class="num">${t("counters.tokens", {
              input: tokens(inputTokens),
              output: tokens(outputTokens),
            })}</span>`
          : nothing
      }</div>`;
}

/** @param {string} sign @param {number} n @param {string} key */
function drawCount(sign, n, key) {
  return n
    ? html`<span><span aria-hidden="true">${sign}</span> <b>${n}</b> ${t(key, { n })}</span>`
    : nothing;
}
