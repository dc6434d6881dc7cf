/** What Enter will do with what stands in the composer, and what else may be done with it. */
import { html, nothing } from "lit";
import { readLine } from "maia/components/conversation/line_kind";
import { t } from "maia/lib/i18n";
import { isTooLong, lengthOf, MOST_TEXT } from "maia/outbox";

/**
 * @typedef {object} Line
 * @property {string} text
 * @property {{name: string, words: string, argument?: string}[]} commands
 * @property {{name: string}[]} agents
 * @property {boolean} asked whether Enter has asked about an unknown command
 * @property {() => void} plain sends it as text
 * @property {() => void} attach makes a file of it
 */

/** @param {Line} line */
export function drawEffect(line) {
  if (isTooLong(line.text)) {
    const n = lengthOf(line.text);
    return effect(t("composer.tooLong", { n, most: MOST_TEXT }), "warn", {
      words: t("composer.attach"),
      act: line.attach,
    });
  }
  const { kind, name, agent } = readLine(
    line.text,
    line.commands,
    line.agents.map((each) => each.name),
  );
  const asText = { words: t("effect.asText"), act: line.plain };
  switch (kind) {
    case "shell":
      return effect(t("effect.shell"), "", asText);
    case "skill":
      return effect(t("effect.skill", { name: name || "…" }), "", asText);
    case "command": {
      const words = line.commands.find((each) => each.name === name)?.words ?? "";
      const of = agent ? ` @${agent}` : "";
      return effect(t("effect.command", { name: `${name}${of}`, words }), "", asText);
    }
    case "agent":
      return effect(t("effect.agent", { name, agent }), "", asText);
    case "plain":
      return effect(t("effect.plain"));
    case "unknown":
      if (line.asked) return effect(t("effect.ask", { name }), "warn", asText);
      return effect(t(name === line.text.trim() ? "effect.alone" : "effect.unknown", { name }));
    default:
      return html`<p class="composer-effect" role="status"></p>`;
  }
}

/** @param {string} words @param {string} [level] @param {{words: string, act: () => void}} [more] */
function effect(words, level = "", more) {
  return html`<p class="composer-effect ${level}" role="status"><span>${words}</span>${
    more
      ? html`<button type="button" class="btn quiet s" @click=${more.act}>${more.words}</button>`
      : nothing
  }</p>`;
}
