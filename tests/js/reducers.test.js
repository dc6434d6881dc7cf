import "./setup.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./world.js";

const { GAP, partsAfter, upsert } = await import("maia/reducers/messages");
const { allStale, emptyState, reduce, withOlder } = await import("maia/reducers/app");

const text = (value, index = 0, offset = 0) => ({
  type: "message:delta",
  channel: "c",
  messageId: "m",
  index,
  kind: "text",
  text: value,
  offset,
});
const part = (value) => ({ type: "text", text: value, interrupted: false });

const DELTAS = [
  ["text at the end is appended", [part("ab")], text("c", 0, 2), [part("abc")]],
  ["text known already changes nothing", [part("abc")], text("bc", 0, 1), [part("abc")]],
  ["of an overlap only the tail is appended", [part("abc")], text("cde", 0, 2), [part("abcde")]],
  ["text beyond the end is a gap", [part("ab")], text("d", 0, 3), GAP],
  [
    "offset 0 at the next index begins a part",
    [part("a")],
    text("b", 1, 0),
    [part("a"), part("b")],
  ],
  ["a part cannot begin in its middle", [part("a")], text("b", 1, 4), GAP],
  ["a part cannot be skipped", [], text("b", 1, 0), GAP],
  ["an emoji counts two units", [part("🎭")], text("!", 0, 2), [part("🎭!")]],
  ["text for another kind of part is a gap", [{ type: "tool", rev: 1 }], text("x"), GAP],
];
for (const [name, parts, delta, expected] of DELTAS) {
  test(name, () => assert.deepEqual(partsAfter(parts, delta), expected));
}

test("a delta that is known returns the very same parts", () => {
  const parts = [part("abc")];
  assert.equal(partsAfter(parts, text("abc")), parts);
});

test("a text becomes a thought when what ended it comes", () => {
  const delta = { ...text("hm", 0, 0), kind: "thought", seconds: 2 };
  const [after] = partsAfter([part("hm")], delta);
  assert.deepEqual([after.type, after.text, after.seconds], ["thought", "hm", 2]);
  assert.deepEqual(partsAfter([after], text("x", 0, 2)), GAP);
  assert.deepEqual(partsAfter([after], text("Hi", 1, 0)), [after, part("Hi")]);
});

test("that the server did not answer is over when it does", () => {
  const world = new World(3);
  world.begin();
  const state = opened(world.snapshot());
  const { id } = state.open.c.messages.find((each) => !each.done);
  const told = (code) => reduce(state, { type: "notice", channel: "c", code, message: "…" }).state;
  const answered = { ...text("words"), messageId: id };
  assert.equal(reduce(told("retry"), answered).state.open.c.notice, undefined);
  assert.equal(reduce(told("compacting"), answered).state.open.c.notice.code, "compacting");
});

test("a tool part is replaced only by a newer revision", () => {
  const tool = (rev) => ({ type: "tool", rev, id: "t" });
  const delta = (rev) => ({ ...text(undefined), kind: "tool", part: tool(rev), offset: rev });
  assert.deepEqual(partsAfter([tool(2)], delta(3)), [tool(3)]);
  assert.deepEqual(partsAfter([tool(2)], delta(2)), [tool(2)]);
  assert.deepEqual(partsAfter([], delta(0)), [tool(0)]);
});

test("messages stay in order of position", () => {
  const at = (position) => ({ id: `m${position}`, position });
  assert.deepEqual(
    upsert([at(1), at(4)], at(2)).map((each) => each.position),
    [1, 2, 4],
  );
});

/** Folds frames into a state and returns it with the gaps that were seen. */
function fold(state, frames) {
  const gaps = [];
  for (const frame of frames) {
    const step = reduce(state, frame);
    state = step.state;
    if (step.gap) gaps.push(step.gap);
  }
  return { state, gaps };
}

/** What a snapshot must say again: everything but the order of requests and passing words. */
function essence({ messages, permissions, usage, busy, queued, answering, seq }) {
  const byId = (a, b) => (a.id < b.id ? -1 : 1);
  return JSON.parse(
    JSON.stringify({
      messages,
      permissions: [...permissions].sort(byId),
      usage,
      busy,
      queued,
      answering,
      seq,
    }),
  );
}

const opened = (snapshot) => reduce(emptyState(), snapshot).state;

for (let seed = 1; seed <= 150; seed += 1) {
  test(`snapshot and frames give the next snapshot (seed ${seed})`, () => {
    const world = new World(seed);
    for (let i = 0; i < world.random.below(40); i += 1) world.act();
    const before = world.snapshot();
    const frames = Array.from({ length: 60 }, () => world.act()).flat();
    const { state, gaps } = fold(opened(before), frames);
    assert.deepEqual(gaps, []);
    assert.deepEqual(essence(state.open.c), essence(opened(world.snapshot()).open.c));
  });
}

for (let seed = 1; seed <= 150; seed += 1) {
  test(`doubled frames change nothing, lost ones are noticed (seed ${seed})`, () => {
    const world = new World(seed);
    let state = opened(world.snapshot());
    const random = world.random;
    for (let i = 0; i < 80; i += 1) {
      const sent = world.act().flatMap((frame) => {
        const fate = random.below(8);
        return fate === 0 ? [] : fate === 1 ? [frame, frame] : [frame];
      });
      const folded = fold(state, sent);
      state = folded.gaps.length ? reduce(folded.state, world.snapshot()).state : folded.state;
    }
    state = reduce(allStale(state), world.snapshot()).state;
    assert.deepEqual(essence(state.open.c), essence(opened(world.snapshot()).open.c));
  });
}

test("frames that come before the snapshot are part of it", () => {
  const world = new World(5);
  world.begin();
  const state = allStale(opened(world.snapshot()));
  const { state: after, gaps } = fold(state, [text("late", 9, 9), world.post()[0]]);
  assert.deepEqual(gaps, []);
  assert.deepEqual(after.open.c, state.open.c);
});

test("who missed nothing gets what is written now, and goes on", () => {
  const world = new World(5);
  world.begin();
  const snapshot = world.snapshot();
  const message = snapshot.messages.at(-1);
  const parts = [{ type: "text", text: "as far as it is", interrupted: false }];
  const current = {
    type: "channel:current",
    channel: "c",
    seq: snapshot.seq,
    messageId: message.id,
    parts,
  };
  const { state, gap } = reduce(allStale(opened(snapshot)), current);
  assert.equal(gap, undefined);
  assert.equal(state.open.c.stale, false);
  assert.deepEqual(state.open.c.messages.at(-1), { ...message, parts });
  assert.equal(reduce(allStale(opened(snapshot)), { ...current, seq: snapshot.seq + 1 }).gap, "c");
});

test("a reset forgets the messages and asks for a snapshot", () => {
  const world = new World(6);
  world.post();
  const { state, gap } = reduce(opened(world.snapshot()), {
    type: "channel:reset",
    channel: "c",
    seq: 9,
  });
  assert.equal(gap, "c");
  assert.deepEqual(state.open.c.messages, []);
});

test("older pages stay in front of a fresh snapshot that joins them", () => {
  const world = new World(7);
  for (let i = 0; i < 6; i += 1) world.post();
  const all = world.snapshot();
  const tail = { ...all, messages: all.messages.slice(4), more: true };
  let state = withOlder(opened(tail), "c", { messages: all.messages.slice(0, 4), more: false });
  state = reduce(state, tail).state;
  assert.deepEqual(state.open.c.messages, all.messages);
  assert.equal(state.open.c.more, false);
});

test("a channel that is gone leaves the list and the page", () => {
  const world = new World(8);
  let state = opened(world.snapshot());
  state = reduce(state, { type: "channels:changed", channels: [world.snapshot().channel] }).state;
  state = reduce(state, { type: "channel:gone", channel: "c" }).state;
  assert.deepEqual([state.channels, state.open], [[], {}]);
});

test("frames of unknown types and channels change nothing", () => {
  const state = opened(new World(9).snapshot());
  assert.equal(reduce(state, { type: "later:invented", channel: "c" }).state, state);
  assert.equal(reduce(state, { ...text("x"), channel: "other" }).state, state);
});

test("a delta of a host that lost the answer changes nothing", () => {
  const world = new World(9);
  world.begin();
  const state = opened(world.snapshot());
  const { id } = state.open.c.messages.find((each) => !each.done);
  const answering = { agent: "maia", messageId: id, startedAt: "", waitsFor: "model", lease: 2 };
  const taken = { ...state, open: { c: { ...state.open.c, answering } } };
  const said = (lease) => ({ ...text("words", 0, 0), messageId: id, lease });
  assert.deepEqual(reduce(taken, said(1)), { state: taken });
  assert.equal(reduce(taken, { ...said(1), offset: 40 }).gap, undefined);
  assert.equal(
    reduce(taken, said(2)).state.open.c.messages.find((each) => each.id === id).parts[0].text,
    "words",
  );
});
