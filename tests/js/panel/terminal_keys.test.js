import "../setup.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { arrowBytes, keyOwner, withCtrl } = await import("maia/panel/terminal_keys");

const press = (combination) => {
  const parts = combination.split("+");
  const has = (name) => parts.includes(name);
  return {
    key: parts.at(-1),
    ctrlKey: has("Ctrl"),
    shiftKey: has("Shift"),
    altKey: has("Alt"),
    metaKey: false,
  };
};
const OWNERS = {
  a: "shell",
  Escape: "shell",
  "Ctrl+c": "shell",
  "Ctrl+k": "shell",
  "Ctrl+j": "shell",
  "Ctrl+1": "shell",
  "Alt+ArrowUp": "shell",
  "Shift+Tab": "shell",
  "Ctrl+Alt+Shift+c": "shell",
  "Ctrl+Shift+C": "copy",
  "Ctrl+Shift+V": "paste",
  "Ctrl+Shift+F": "find",
  "Ctrl+Shift+Escape": "leave",
  "Ctrl+Shift+L": "app",
};
for (const [keys, owner] of Object.entries(OWNERS)) {
  test(`${keys} in a terminal belongs to: ${owner}`, () =>
    assert.equal(keyOwner(press(keys)), owner));
}

test("the row's Ctrl turns a letter into its control character", () => {
  assert.deepEqual(["c", "D", "[", " ", "é", "ls", "1"].map(withCtrl), [
    "\x03",
    "\x04",
    "\x1b",
    "\x00",
    "é",
    "ls",
    "1",
  ]);
});

test("arrows follow the mode a program chose", () => {
  assert.equal(arrowBytes("\x1b[A", true), "\x1bOA");
  assert.equal(arrowBytes("\x1b[A", false), "\x1b[A");
  assert.equal(arrowBytes("|", true), "|");
});
