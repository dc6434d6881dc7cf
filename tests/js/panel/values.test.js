import "../setup.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { byFile, inOne } = await import("maia/panel/changes");
const { extension, isImage, languageName } = await import("maia/panel/languages");
const { MARK_MS, marked, newlyChanged, secondsSince } = await import("maia/panel/marks");
const { keepSize, readSize, widthByKey } = await import("maia/panel/size");
const { tabAfterClosing, tabByKey } = await import("maia/panel/tablist");
const { affected, failure, keepOpen, opened, readOpen, replacement } = await import(
  "maia/panel/open_files"
);
const { ApiError, cookieToken, withQuery } = await import("maia/lib/api");

test("a change counts lines that came and went", () => {
  const [change] = byFile([
    { path: "f", diffs: [{ path: "f", oldText: "a\nb\nc\n", newText: "a\nx\nc\nd\n" }] },
    { path: "g", diffs: [] },
  ]);
  assert.deepEqual([change.mark, change.added, change.removed], ["M", 2, 1]);
});

test("edits that follow each other are one diff, the same object each time", () => {
  const diffs = [
    { path: "f", oldText: "", newText: "a", newFile: true },
    { path: "f", oldText: "a", newText: "b" },
  ];
  assert.deepEqual(inOne(diffs), [{ path: "f", oldText: "", newText: "b", newFile: true }]);
  assert.equal(inOne(diffs)[0], inOne(diffs)[0]);
  assert.equal(byFile([{ path: "f", diffs }])[0].mark, "A");
  const apart = [
    { path: "f", oldText: "a", newText: "b" },
    { path: "f", oldText: "z", newText: "c" },
  ];
  assert.deepEqual(inOne(apart), apart);
});

test("a file emptied to nothing is marked deleted", () => {
  assert.equal(
    byFile([{ path: "f", diffs: [{ path: "f", oldText: "a", newText: "" }] }])[0].mark,
    "D",
  );
});

test("a language follows from the extension or the whole name", () => {
  assert.deepEqual(
    ["a/B.PY", "Dockerfile", "x/.bashrc", ".gitignore", "none", "a.b/c"].map(extension),
    ["py", "dockerfile", "sh", "", "", ""],
  );
  assert.equal(languageName("x.tsx"), "TypeScript");
  assert.deepEqual(["a.PNG", "a.svg", "a.py"].map(isImage), [true, true, false]);
});

test("a mark stays 30 s and needs an agent", () => {
  const one = marked(new Map(), ["a"], "maia", 0);
  assert.deepEqual([...marked(one, ["b"], "maia", MARK_MS - 1).keys()], ["a", "b"]);
  assert.deepEqual([...marked(one, ["b"], "maia", MARK_MS).keys()], ["b"]);
  assert.equal(marked(new Map(), ["a"], undefined, 0).size, 0);
  assert.deepEqual(
    [secondsSince({ agent: "x", at: 0 }, 200), secondsSince({ agent: "x", at: 0 }, 8_200)],
    [1, 8],
  );
});

test("an edit that arrives now is news of its agent; loaded history is not", () => {
  const at = (iso, n, path = "/workspace/a.py") => [
    { path, agent: "maia", at: iso, diffs: Array(n).fill({}) },
  ];
  const now = Date.parse("2026-11-26T09:00:30Z");
  const news = [{ path: "a.py", agent: "maia" }];
  assert.deepEqual(newlyChanged([], at("2026-11-26T09:00:29Z", 1), now), news);
  assert.deepEqual(
    newlyChanged(at("2026-11-26T08:00:00Z", 1), at("2026-11-26T09:00:29Z", 2), now),
    news,
  );
  assert.deepEqual(
    newlyChanged(at("2026-11-26T09:00:29Z", 2), at("2026-11-26T09:00:29Z", 2), now),
    [],
  );
  assert.deepEqual(newlyChanged([], at("2026-11-26T08:00:00Z", 1), now), []);
  assert.deepEqual(newlyChanged([], at(undefined, 1), now), []);
});

test("the width stays between 360 and 900 and survives what was kept wrongly", () => {
  assert.deepEqual(
    [
      widthByKey(440, "ArrowLeft"),
      widthByKey(890, "ArrowLeft"),
      widthByKey(361, "ArrowRight"),
      widthByKey(440, "a"),
    ],
    [456, 900, 360, null],
  );
  const kept = new Map();
  const storage = { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v) };
  keepSize("7", { width: 500, wide: true }, storage);
  assert.deepEqual(readSize("7", storage), { width: 500, wide: true });
  assert.deepEqual(
    readSize("8", storage),
    { width: null, wide: false },
    "each person has their own",
  );
  kept.set("maia.panel.7", "{");
  assert.deepEqual(readSize("7", storage), { width: null, wide: false });
  kept.set("maia.panel.7", '{"width":5,"wide":"yes"}');
  assert.deepEqual(readSize("7", storage), { width: 360, wide: false });
});

test("tabs go round with arrows, and closing shows a neighbour", () => {
  assert.deepEqual(
    [
      tabByKey(3, 2, "ArrowRight"),
      tabByKey(3, 0, "ArrowLeft"),
      tabByKey(3, 1, "End"),
      tabByKey(0, -1, "Home"),
    ],
    [0, 2, 2, -1],
  );
  assert.deepEqual(
    [
      tabAfterClosing(2, 2, 2),
      tabAfterClosing(2, 1, 0),
      tabAfterClosing(2, 0, 2),
      tabAfterClosing(0, 0, 0),
    ],
    [1, 0, 0, -1],
  );
});

test("opening an open file only asks for its line", () => {
  let files = opened(opened([], "a", null), "b", 3);
  assert.deepEqual(
    files.map((f) => [f.path, f.line, f.jump]),
    [
      ["a", null, 1],
      ["b", 3, 1],
    ],
  );
  files = opened(files, "b", 3);
  assert.deepEqual([files.length, files[1].jump], [2, 2]);
});

test("a refused read says what is shown instead", () => {
  const states = ["too-large", "binary", "not-found", "denied"].map(
    (code) => failure(new ApiError(code, "m")).state,
  );
  assert.deepEqual(states, ["too-large", "binary", "gone", "error"]);
});

test("a changed folder touches the files right in it", () => {
  const files = ["a/x", "a/b/y", "z"].map((path) => ({ path, state: "text" }));
  assert.deepEqual(
    affected(files, ["a"]).map((f) => f.path),
    ["a/x"],
  );
  assert.deepEqual(
    affected(files, [""]).map((f) => f.path),
    ["z"],
  );
  assert.equal(affected(files, []).length, 3);
});

test("the replacement turns one text into the other and touches no more than it must", () => {
  const words = [
    "",
    "a",
    "ab",
    "aab",
    "aba",
    "line\nline\nend",
    "line\nnew\nline\nend",
    "aaaa",
    "aaa",
  ];
  for (const before of words) {
    for (const after of words) {
      const { from, to, insert } = replacement(before, after);
      assert.equal(before.slice(0, from) + insert + before.slice(to), after);
      assert.ok(from <= to);
    }
  }
  assert.deepEqual(replacement("abc", "abXc"), { from: 2, to: 2, insert: "X" });
});

test("the CSRF token is read under both names of its cookie", () => {
  assert.equal(cookieToken("a=1; maia-csrf=tok%3D; b=2"), "tok=");
  assert.equal(cookieToken("__Host-maia-csrf=x=y"), "x=y");
  assert.equal(cookieToken("not-maia-csrf=x"), "");
});

test("a query leaves out what is not set and escapes the rest", () => {
  assert.equal(
    withQuery("/x", { a: "é /&", b: undefined, c: null, d: 0 }),
    "/x?a=%C3%A9+%2F%26&d=0",
  );
  assert.equal(withQuery("/x"), "/x");
});

test("the open files of a workspace are remembered, whatever stands in the storage", () => {
  const kept = new Map();
  const storage = { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v) };
  keepOpen("w", [{ path: "a", state: "text", text: "secret" }], "a", storage);
  assert.deepEqual(readOpen("w", storage), { paths: ["a"], active: "a" });
  assert.ok(![...kept.values()].join().includes("secret"), "only names are kept");
  for (const bad of ["{", "null", '{"paths":5}', '{"paths":[1]}']) {
    kept.set("maia.files.w", bad);
    assert.deepEqual(readOpen("w", storage).paths, []);
  }
});
