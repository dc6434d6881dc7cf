import "./setup.js";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const { contextBar } = await import("maia/lib/format");
const { emptyState, reduce } = await import("maia/reducers/app");
const cases = JSON.parse(
  await readFile(new URL("../golden/context_bars.json", import.meta.url), "utf8"),
);

test("the browser draws the bars that the server draws", () => {
  for (const { used, size, bar } of cases) assert.deepEqual(contextBar(used, size) ?? null, bar);
});

test("answers to slash commands stay behind the messages they came after, over a reconnection", () => {
  const message = (/** @type {number} */ position) => ({
    id: `m${position}`,
    position,
    role: "user",
    parts: [],
  });
  const snapshot = {
    type: "channel:snapshot",
    channel: { id: "c" },
    seq: 1,
    messages: [message(1)],
    more: false,
    busy: false,
    queued: 0,
    usage: {},
    permissions: [],
    people: [],
  };
  const reply = {
    type: "system:reply",
    channel: "c",
    reply: { command: "help", line: "/help", level: "info", blocks: [] },
  };
  let { state } = reduce(emptyState(), reply);
  assert.deepEqual(state.open, {});
  for (const frame of [
    snapshot,
    reply,
    { ...snapshot, messages: [message(1), message(2)], seq: 2 },
    reply,
  ])
    ({ state } = reduce(state, frame));

  assert.deepEqual(
    state.open.c.replies.map(({ key, after }) => [key, after]),
    [
      ["reply 1", 1],
      ["reply 2", 2],
    ],
  );
});
