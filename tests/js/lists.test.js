// Folds the lists that tests/agents/test_same_lists.py recorded from the real services.
import "./setup.js";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const { emptyState, reduce } = await import("maia/reducers/app");
const { withChanged } = await import("maia/reducers/lists");
const { unreadCount } = await import("maia/lib/format");

const folder = new URL("../golden/lists/", import.meta.url);
const workspaces = [{ id: "w", name: "W", role: "editor", personal: false, mayAnswer: false }];
const entry = (id, fields = {}) => ({
  id,
  workspace: "w",
  name: id,
  description: "",
  members: [],
  busy: false,
  waiting: [],
  lastActivity: "",
  ...fields,
});
const changed = (channel, position = 0, arrivals = []) => ({
  type: "channel:changed",
  channel,
  position,
  arrivals,
});

function signedIn(list, me) {
  const hello = { type: "hello", user: me, administrator: false, release: "" };
  return reduce(reduce(emptyState(), hello).state, list).state;
}

const plain = (value) => JSON.parse(JSON.stringify(value));

for (const name of readdirSync(folder)) {
  test(`the recorded list ${name} folds to the last one`, () => {
    const { me, list, frames, final } = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
    let state = signedIn(list, me);
    for (const frame of frames) state = reduce(state, frame).state;
    assert.deepEqual(plain(state.channels), final.channels);
    assert.deepEqual(state.workspaces, final.workspaces);
  });
}

test("a new conversation stands in its place, with the rights of its workspace", () => {
  const list = withChanged([], workspaces, changed(entry("b")), 1);
  const both = withChanged(list, workspaces, changed(entry("a")), 1);
  assert.deepEqual(
    both.map((each) => [each.id, each.role, each.unread]),
    [
      ["a", "editor", 0],
      ["b", "editor", 0],
    ],
  );
});

test("a conversation of a workspace that is not theirs is not shown", () => {
  const list = withChanged([], workspaces, changed(entry("a", { workspace: "other" })), 1);
  assert.deepEqual(list, []);
});

test("what others said is unread once, however often it is told, and counted to 99", () => {
  const arrivals = [{ position: 1, author: 1 }, { position: 2, author: 2 }, { position: 3 }];
  let list = withChanged([], workspaces, changed(entry("a"), 3, arrivals), 1);
  assert.equal(list[0].unread, 2);
  list = withChanged(list, workspaces, changed(entry("a"), 3, arrivals), 1);
  assert.equal(list[0].unread, 2);
  const flood = Array.from({ length: 300 }, (_, at) => ({ position: at + 4 }));
  list = withChanged(list, workspaces, changed(entry("a"), 303, flood), 1);
  assert.equal(unreadCount(list[0].unread), "99+");
  assert.deepEqual([unreadCount(99), unreadCount(1)], ["99", "1"]);
});

test("requests wait for those who caused them, and for those who may answer all", () => {
  const asks = changed(entry("a", { waiting: [1, 2] }));
  const forMe = (workspace, me) => withChanged([], [{ ...workspaces[0], ...workspace }], asks, me);
  assert.equal(forMe({}, 1)[0].forMe, 1);
  assert.equal(forMe({ mayAnswer: true }, 3)[0].forMe, 2);
  assert.equal(forMe({ role: "viewer" }, 1)[0].forMe, 0);
  assert.equal(forMe({}, 1)[0].waiting, 2);
});

test("what is new in the list is true of an open channel too, and nothing else is", () => {
  const me = { id: 1, username: "a", name: "A" };
  const list = withChanged(
    withChanged([], workspaces, changed(entry("a")), 1),
    workspaces,
    changed(entry("b")),
    1,
  );
  let state = signedIn({ type: "channels:changed", channels: list, workspaces }, me);
  const newer = { ...list[0], unread: 7 };
  state = { ...state, open: { a: { info: newer } } };
  state = reduce(state, changed(entry("b", { busy: true }))).state;
  assert.equal(state.open.a.info, newer);
  state = reduce(state, changed(entry("a", { name: "renamed" }))).state;
  assert.equal(state.open.a.info.name, "renamed");
  state = reduce(state, { type: "channel:unread", channel: "a", position: 9, unread: 3 }).state;
  assert.deepEqual([state.open.a.info.unread, state.channels[0].position], [3, 9]);
});
