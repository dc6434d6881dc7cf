import "./setup.js";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const { readLine, trimmed } = await import("maia/components/conversation/line_kind");

const COMMANDS = [
  { name: "help", argument: "" },
  { name: "clear", argument: "" },
  { name: "load", argument: "[name]" },
];

test("the composer says of a line what the server makes of it", async () => {
  const golden = JSON.parse(await readFile("tests/golden/lines.json", "utf8"));
  for (const [text, kind] of golden)
    assert.equal(readLine(text, COMMANDS, ["maia", "forge"]).kind, kind, JSON.stringify(text));
});

test("a line tells whose command it is", () => {
  const read = (text) => readLine(text, COMMANDS, ["maia", "forge"]);
  assert.deepEqual(read("/forge:plan x"), { kind: "agent", name: "/plan", agent: "forge" });
  assert.deepEqual(read("@maia /clear"), { kind: "command", name: "clear", agent: "maia" });
  assert.equal(read("/tmp is full").name, "/tmp");
});

test("what is sent keeps the indentation of its first line", () => {
  assert.equal(trimmed("\n \n    def f():\n        pass \n\n"), "    def f():\n        pass");
});
