/** What other places show of a conversation: the latest plan, the files that changed. Pure. */

/** @typedef {import("maia/frames").Message} Message */

/**
 * Returns the latest plan of a conversation and whose it is.
 * @param {Message[]} messages
 * @returns {{entries: import("maia/frames").PlanEntry[], agent: string}}
 */
export function latestPlan(messages) {
  for (const message of messages.toReversed()) {
    const plan = message.parts.findLast((part) => part.type === "plan");
    if (plan?.type === "plan") return { entries: plan.entries, agent: message.agent ?? "" };
  }
  return { entries: [], agent: "" };
}

/**
 * Returns the files that finished calls changed, each with its diffs in order; the latest first.
 * @param {Message[]} messages
 * @returns {{path: string, agent: string, at: string, diffs: import("maia/frames").Diff[]}[]}
 */
export function changedFiles(messages) {
  const files = new Map();
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.type !== "tool" || part.status !== "completed") continue;
      for (const diff of part.diffs) {
        const known = files.get(diff.path);
        files.delete(diff.path);
        files.set(diff.path, {
          path: diff.path,
          agent: message.agent ?? "",
          at: part.endedAt ?? message.createdAt,
          diffs: [...(known?.diffs ?? []), diff],
        });
      }
    }
  }
  return [...files.values()].reverse();
}

/**
 * Returns what a person sent in a conversation, oldest first, no two alike in a row.
 * @param {Message[]} messages @param {number} user
 * @param {{text: string, after?: number}[]} [refused] what was sent and never arrived: behind the
 *   message of that position
 */
export function sentTexts(messages, user, refused = []) {
  const sent = messages
    .filter((each) => each.role === "user" && each.author?.id === user)
    .map((each) => ({
      at: each.position,
      text: each.parts.map((part) => ("text" in part ? part.text : "")).join(""),
    }));
  const all = [...sent, ...refused.map(({ text, after = Infinity }) => ({ at: after, text }))].sort(
    (a, b) => (a.at > b.at ? 1 : a.at < b.at ? -1 : 0),
  );
  return all
    .map(({ text }) => text)
    .filter((text, index, texts) => text && text !== texts[index - 1]);
}

/**
 * Returns who answers and on what it waits, as the messages show it: the server tells of a turn's
 * beginning and end, not of each of its steps. `tools`: how many of several calls are done.
 * @param {import("maia/reducers/channel").Channel} channel
 * @returns {import("maia/frames").Answering & {tools?: ReturnType<typeof sideBySide>} | undefined}
 */
export function answeringNow({ answering, messages, permissions }) {
  if (!answering || answering.waitsFor === "summary") return answering;
  const asks = permissions.some(
    (each) => each.state === "pending" && each.agent === answering.agent,
  );
  const parts = messages.findLast((each) => each.id === answering.messageId)?.parts ?? [];
  const runs = parts.some((part) => part.type === "tool" && part.status === "in_progress");
  const waitsFor = asks ? "permission" : runs ? "tool" : "model";
  return { ...answering, waitsFor, tools: waitsFor === "model" ? undefined : sideBySide(parts) };
}

/**
 * Counts the calls that the agent asked for last, where it asked for several at once.
 * @param {readonly import("maia/frames").Part[]} parts
 * @returns {{done: number, total: number} | undefined}
 */
export function sideBySide(parts) {
  const calls = parts.filter((part) => part.type === "tool");
  const step = calls.at(-1)?.step;
  const now = calls.filter((call) => step && call.step === step);
  const done = now.filter(({ status }) => status === "completed" || status === "failed").length;
  return now.length > 1 ? { done, total: now.length } : undefined;
}

/**
 * Returns the agent whose context the foot shows: who answers, else who spoke last, else any.
 * @param {import("maia/reducers/channel").Channel} channel
 */
export function contextAgent({ answering, messages, usage }) {
  const spoke = messages.findLast((each) => each.role === "agent")?.agent;
  return [answering?.agent, spoke, ...Object.keys(usage)].find((name) => name && usage[name]) ?? "";
}

/**
 * Returns how people call a conversation: the agent's name, or the channel's with its sign.
 * @param {import("maia/frames").ChannelInfo} info
 */
export function nameOf({ direct, name }) {
  return direct || `#${name}`;
}

/**
 * Returns whom or what a new message waits for, "" for nobody.
 * @param {import("maia/reducers/channel").Channel | undefined} channel
 */
export function waitsFor(channel) {
  if (!channel?.busy) return "";
  const { answering } = channel;
  return (answering?.command ? answering.starter?.name : answering?.agent) ?? "…";
}
