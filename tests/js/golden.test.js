import "./setup.js";
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const { emptyState, reduce } = await import("maia/reducers/app");

const GOLDEN = new URL("../golden/", import.meta.url);
const STATIC = new URL("../../static/maia/", import.meta.url);

async function golden(folder) {
  const names = (await readdir(new URL(`${folder}/`, GOLDEN))).filter((name) =>
    name.endsWith(".json"),
  );
  const texts = await Promise.all(
    names.map((name) => readFile(new URL(`${folder}/${name}`, GOLDEN), "utf8")),
  );
  return texts.map((text, index) => ({ name: names[index], value: JSON.parse(text) }));
}

const frames = await golden("frames");
const snapshot = frames.find(({ value }) => value.type === "channel:snapshot").value;

for (const { name, value } of frames) {
  test(`the frame ${name} can be folded`, () => {
    const opened = reduce(emptyState(), snapshot).state;
    const { state } = reduce(opened, value);
    assert.ok(state.open);
  });
}

test("a golden snapshot shows its channel, messages and requests", () => {
  const channel = reduce(emptyState(), snapshot).state.open[snapshot.channel.id];
  assert.deepEqual(channel.messages, snapshot.messages);
  assert.deepEqual(channel.permissions, snapshot.permissions);
  assert.equal(channel.seq, snapshot.seq);
});

test("every command the page sends is in the language of the socket", async () => {
  const known = new Set((await golden("commands")).map(({ value }) => value.type));
  const files = ["store.js", "outbox.js", "app/events.js", "app/questions.js", "app/talk.js"];
  const code = (
    await Promise.all(files.map((name) => readFile(new URL(name, STATIC), "utf8")))
  ).join("\n");
  const sent = [...code.matchAll(/(?:command|destroy)\(\s*"([\w:-]+)"|type: "([\w:-]+)"/g)].map(
    (match) => match[1] ?? match[2],
  );
  assert.ok(sent.length > 12);
  assert.deepEqual(
    sent.filter((type) => !known.has(type)),
    [],
  );
});
