import "../setup.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { pasted } = await import("maia/panel/terminal_paste");

const CASES = {
  "plain text": ["echo 1", "echo 1"],
  "every script": ["é 漢字 עברית 👩\u200d💻 \u202f", "é 漢字 עברית 👩\u200d💻 \u202f"],
  "lines, whatever ends them, and tabs": ["a\tb\r\nc\nd\re", "a\tb\r\nc\nd\re"],
  "the end of a paste": ["echo A\x1b[201~\necho EVIL\n", "echo A\necho EVIL\n"],
  "its beginning": ["\x1b[200~a", "a"],
  "the end of a paste in C1": ["a\x9b201~b", "ab"],
  "one end inside another": ["a\x1b[20\x1b[201~1~\nb", "a[201~\nb"],
  "one inside another, in C1": ["a\x9b20\x9b201~1~b", "a201~b"],
  "the end of a paste by other zeros": ["a\x1b[0201~b", "a[0201~b"],
  "Ctrl+C": ["a\x03b", "ab"],
  "Ctrl+D": ["a\x04", "a"],
  "Escape alone": ["\x1b:q!\n", ":q!\n"],
  "an arrow key": ["\x1b[A\n", "[A\n"],
  "NUL, DEL and backspaces": ["a\x00b\x7f\b\bc", "abc"],
  "C1 controls": ["a\x85b\x90c\x9cd", "abcd"],
  nothing: ["", ""],
};
for (const [name, [clipboard, text]] of Object.entries(CASES)) {
  test(`pasted: ${name}`, () =>
    assert.deepEqual(pasted(clipboard), { text, cleaned: text !== clipboard }));
}

test("no paste holds a key, however its marks were put together", () => {
  const parts = ["\x1b", "\x9b", "[", "2", "0", "1", "~", "\x1b[201~", "\x9b201~", "\n", "\x03"];
  for (let seed = 1; seed < 5_000; seed += 1) {
    let clipboard = "";
    for (let rest = seed; rest; rest = Math.floor(rest / parts.length))
      clipboard += parts[rest % parts.length];
    assert.match(pasted(clipboard).text, /^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$/);
  }
});
