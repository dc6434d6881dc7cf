import "../setup.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const tree = await import("maia/panel/tree");

const file = (path, size = 1, modTime = 1) => ({
  name: tree.nameOf(path),
  path,
  dir: false,
  size,
  modTime,
});
const folder = (path) => ({ name: tree.nameOf(path), path, dir: true, size: 0, modTime: 1 });

/** a/ (a/b/ with a/b/c.py, a/x.py) and z.md, with a open. */
function small() {
  let t = tree.received(tree.emptyTree(), "", [folder("a"), file("z.md")]);
  t = tree.received(tree.toggled(t, "a"), "a", [folder("a/b"), file("a/x.py")]);
  return tree.received(t, "a/b", [file("a/b/c.py")]);
}
const keys = (t) => tree.rows(t).map((row) => row.key);

test("closed folders hide what they hold", () => {
  assert.deepEqual(keys(small()), ["a", "a/b", "a/x.py", "z.md"]);
  assert.deepEqual(keys(tree.toggled(small(), "a", false)), ["a", "z.md"]);
});

test("a row knows its level, its place and how many are beside it", () => {
  const row = tree.rows(small()).find((one) => one.key === "a/x.py");
  assert.deepEqual([row.level, row.position, row.siblings], [2, 2, 2]);
});

test("an unread, an unreadable and an empty folder each give one row that says so", () => {
  const t = tree.toggled(tree.received(tree.emptyTree(), "", [folder("a")]), "a");
  assert.deepEqual(
    tree.rows(t).map((row) => row.kind),
    ["entry", "loading"],
  );
  assert.deepEqual(
    tree.rows(tree.failed(t, "a", "no")).map((row) => row.kind),
    ["entry", "error"],
  );
  assert.deepEqual(
    tree.rows(tree.received(t, "a", [])).map((row) => row.kind),
    ["entry", "empty"],
  );
});

test("a long folder shows 200 entries, then 200 more", () => {
  const many = Array.from({ length: 450 }, (_, i) => file(`f${i}`));
  const t = tree.received(tree.emptyTree(), "", many);
  assert.equal(tree.rows(t).length, 201);
  assert.equal(tree.rows(t).at(-1).left, 250);
  const more = tree.showMore(tree.showMore(t, ""), "");
  assert.equal(tree.rows(more).length, 450);
  assert.equal(
    tree.rows(tree.received(more, "", many)).length,
    450,
    "reading again keeps the pages shown",
  );
});

test("reading a folder again keeps what is open below and forgets what is gone", () => {
  const open = tree.toggled(small(), "a/b");
  const same = tree.received(open, "a", [folder("a/b"), file("a/x.py"), file("a/new.py")]);
  assert.deepEqual(keys(same), ["a", "a/b", "a/b/c.py", "a/x.py", "a/new.py", "z.md"]);
  const gone = tree.received(open, "", [file("z.md")]);
  assert.deepEqual(keys(gone), ["z.md"]);
  assert.deepEqual([...gone.folders.keys()], [""]);
});

test("a folder with a similar name is not forgotten with its neighbour", () => {
  let t = tree.received(tree.emptyTree(), "", [folder("a"), folder("ab")]);
  t = tree.received(tree.toggled(t, "ab"), "ab", [file("ab/f")]);
  assert.deepEqual(keys(tree.received(t, "", [folder("ab")])), ["ab", "ab/f"]);
});

test("revealing a path opens every folder above it", () => {
  const t = tree.revealed(small(), "a/b/c.py");
  assert.ok(keys(t).includes("a/b/c.py"));
});

test("only known folders are read again after a change, however they are written", () => {
  assert.deepEqual(tree.stale(small(), ["a/", "elsewhere", "."]), ["", "a"]);
  assert.deepEqual(tree.stale(small(), []), ["", "a", "a/b"]);
});

test("new and rewritten files are what was touched, not folders or removals", () => {
  const before = [file("same"), file("old"), file("gone"), folder("d")];
  const after = [file("same"), file("old", 1, 2), file("new"), { ...folder("d"), modTime: 9 }];
  assert.deepEqual(tree.touched(before, after), ["old", "new"]);
});

const MOVES = [
  ["down", "ArrowDown", 0, 1],
  ["down at the end stays", "ArrowDown", 3, 3],
  ["up at the start stays", "ArrowUp", 0, 0],
  ["home", "Home", 3, 0],
  ["end", "End", 0, 3],
  ["right on an open folder goes to its first entry", "ArrowRight", 0, 1],
  ["right on a file does nothing", "ArrowRight", 3, -1],
  ["left goes to the folder above", "ArrowLeft", 2, 0],
  ["left at the top does nothing", "ArrowLeft", 3, -1],
  ["another key does nothing", "x", 0, -1],
];
for (const [name, key, from, to] of MOVES) {
  test(`key: ${name}`, () => assert.equal(tree.moved(tree.rows(small()), from, key), to));
}

test("letters find the next name that starts with them, around the end", () => {
  const list = tree.rows(
    tree.received(
      tree.emptyTree(),
      "",
      ["alpha", "beta", "best", "gamma"].map((n) => file(n)),
    ),
  );
  assert.equal(tree.typeAhead(list, 0, "b"), 1);
  assert.equal(tree.typeAhead(list, 1, "bb"), 2, "the same letter again goes on");
  assert.equal(tree.typeAhead(list, 1, "bes"), 2);
  assert.equal(tree.typeAhead(list, 3, "A"), 0);
  assert.equal(tree.typeAhead(list, 0, "zz"), -1);
});
