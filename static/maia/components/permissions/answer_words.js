/** How a permission request ended, in one sentence. */
import { t, time } from "maia/lib/i18n";
import { isolated } from "maia/lib/visible";

/**
 * Says in one sentence how a request ended; "" while it waits.
 * @param {import("maia/frames").PermissionRequest} request
 * @param {number} [me] who reads it
 */
export function answerWords({ state, answer }, me) {
  if (state === "pending") return "";
  if (state !== "answered" || !answer) return t(`perm.${state}`);
  const { by, at, proposedBy } = answer;
  const nameOf = (/** @type {import("maia/frames").Person} */ { id, name }) =>
    id === me ? t("you") : name;
  const words = t(`perm.answered.${answer.option}`, { who: nameOf(by), time: time(at) });
  if (proposedBy) return `${words} · ${t("perm.wasProposed", { who: nameOf(proposedBy) })}`;
  if (answer.input) return `${words} · ${t("perm.wasEdited")}`;
  if (answer.rule) return `${words} · ${answer.rule.split("\n").join(" · ")}`;
  return answer.instruction ? `${words} · “${isolated(answer.instruction)}”` : words;
}
