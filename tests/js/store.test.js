import "./setup.js";
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { FakeSocket, FakeStorage } from "./fakes.js";
import { World } from "./world.js";

const { pauseBefore } = await import("maia/socket");
const { Store } = await import("maia/store");

const settled = () => new Promise((resolve) => setImmediate(resolve));
const HELLO = {
  type: "hello",
  user: { id: 1, username: "a", name: "A" },
  administrator: false,
  release: "1",
};

let storage;
beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  FakeSocket.made = [];
  storage = new FakeStorage();
});

function started() {
  const store = new Store({
    url: "ws://x/ws",
    make: FakeSocket,
    storage,
    soon: (publish) => publish(),
  });
  store.start();
  return store;
}

function online() {
  const store = started();
  FakeSocket.last.open();
  FakeSocket.last.receive(HELLO);
  return store;
}

/** Loses the connection and gets it back. */
function again() {
  FakeSocket.last.lose();
  mock.timers.tick(60_000);
  FakeSocket.last.open();
  FakeSocket.last.receive(HELLO);
}

test("pauses grow to ten seconds and never vanish", () => {
  assert.equal(pauseBefore(0, 0), 250);
  assert.equal(pauseBefore(0, 1), 500);
  assert.equal(pauseBefore(20, 1), 10_000);
});

test("a ping is answered with its number", () => {
  online();
  FakeSocket.last.receive({ type: "ping", n: 7 });
  assert.deepEqual(FakeSocket.last.sent.at(-1), { type: "pong", n: 7 });
});

test("a command settles with its ack and fails with its error", async () => {
  const store = online();
  const good = store.command("channel:create", { name: "a" });
  FakeSocket.last.ack("channel:create", { channel: "c1" });
  assert.deepEqual(await good, { channel: "c1" });
  const bad = store.command("channel:rename", { name: "b" });
  const { clientRef } = FakeSocket.last.command("channel:rename");
  FakeSocket.last.receive({ type: "error", clientRef, code: "name-taken", message: "Taken." });
  await assert.rejects(bad, { code: "name-taken", message: "Taken." });
});

test("a command without connection fails at once, one without answer with the connection", async () => {
  const store = started();
  await assert.rejects(store.command("channel:read"), { code: "offline" });
  FakeSocket.last.open();
  const waiting = store.command("channel:read");
  FakeSocket.last.lose();
  await assert.rejects(waiting, { code: "offline" });
});

test("a server that never answers is left for a new connection", async () => {
  const store = online();
  const waiting = store.command("channel:read");
  mock.timers.tick(21_000);
  await assert.rejects(waiting, { code: "offline" });
  assert.equal(FakeSocket.made.length, 2);
});

test("an array of frames is folded in order", () => {
  const store = online();
  const world = new World(3);
  store.open("c");
  const before = world.snapshot();
  const frames = Array.from({ length: 20 }, () => world.act()).flat();
  FakeSocket.last.receive([before, ...frames]);
  assert.deepEqual(store.state.value.open.c.messages, world.snapshot().messages);
});

test("after a gap the channel is subscribed to again and heals", () => {
  const store = online();
  const world = new World(4);
  store.open("c");
  FakeSocket.last.receive(world.snapshot());
  world.post();
  FakeSocket.last.receive(world.post());
  mock.timers.tick(1_001);
  const asked = FakeSocket.last.sent.filter((each) => each.type === "channel:subscribe");
  assert.equal(asked.length, 2);
  FakeSocket.last.receive(world.snapshot());
  assert.deepEqual(store.state.value.open.c.messages, world.snapshot().messages);
});

test("a reconnection subscribes again and counts what was missed", () => {
  const store = online();
  const world = new World(5);
  store.open("c");
  FakeSocket.last.receive(world.snapshot());
  FakeSocket.last.lose();
  for (let i = 0; i < 3; i += 1) world.post();
  mock.timers.tick(60_000);
  FakeSocket.last.open();
  assert.equal(FakeSocket.last.command("channel:subscribe").channel, "c");
  FakeSocket.last.receive(world.snapshot());
  assert.equal(store.caughtUp.value.events, 3);
  assert.equal(store.state.value.open.c.messages.length, 3);
});

test("a reconnection says how far the channel is, and goes on where nothing was missed", () => {
  const store = online();
  const world = new World(5);
  store.open("c");
  assert.equal("seq" in FakeSocket.last.command("channel:subscribe"), false);
  world.post();
  FakeSocket.last.receive(world.snapshot());
  FakeSocket.last.lose();
  mock.timers.tick(60_000);
  FakeSocket.last.open();
  const { seq } = world.snapshot();
  assert.equal(FakeSocket.last.command("channel:subscribe").seq, seq);
  FakeSocket.last.receive({ type: "channel:current", channel: "c", seq });
  assert.equal(store.state.value.open.c.stale, false);
  assert.equal(store.caughtUp.value.events, 0);
  FakeSocket.last.receive(world.post());
  assert.deepEqual(store.state.value.open.c.messages, world.snapshot().messages);
});

test("what does not fit is asked for whole", () => {
  const store = online();
  const world = new World(6);
  store.open("c");
  FakeSocket.last.receive(world.snapshot());
  FakeSocket.last.lose();
  mock.timers.tick(60_000);
  FakeSocket.last.open();
  const { seq } = world.snapshot();
  FakeSocket.last.receive({
    type: "channel:current",
    channel: "c",
    seq,
    messageId: "unknown",
    parts: [],
  });
  mock.timers.tick(1_001);
  const asked = FakeSocket.last.sent.filter((each) => each.type === "channel:subscribe");
  assert.equal(asked.length, 2);
  assert.equal("seq" in asked[1], false);
});

test("a message typed offline waits, goes once, and leaves the outbox with its ack", async () => {
  const store = started();
  store.say("c", "hello");
  await settled();
  assert.equal(store.waiting.value.length, 1);
  FakeSocket.last.open();
  const sent = () => FakeSocket.last.sent.filter((each) => each.type === "channel:send");
  assert.deepEqual(
    sent().map((each) => each.text),
    ["hello"],
  );
  FakeSocket.last.ack("channel:send", { message: "m1" });
  await settled();
  assert.deepEqual(store.waiting.value, []);
  again();
  assert.deepEqual(sent(), []);
});

test("a message whose ack was lost is sent again under the same clientRef", async () => {
  const store = online();
  store.say("c", "hello");
  const first = FakeSocket.last.command("channel:send").clientRef;
  FakeSocket.last.lose();
  await settled();
  mock.timers.tick(60_000);
  FakeSocket.last.open();
  assert.equal(FakeSocket.last.command("channel:send").clientRef, first);
});

test("the message's own frame retires it from the outbox", () => {
  const store = online();
  store.say("c", "hello");
  const { clientRef } = FakeSocket.last.command("channel:send");
  FakeSocket.last.receive({
    type: "message:updated",
    channel: "c",
    seq: 1,
    message: { id: "m", clientRef },
  });
  assert.deepEqual(store.waiting.value, []);
});

test("a refused message says why and can be sent again", async () => {
  const store = online();
  store.say("c", "hello");
  const { clientRef } = FakeSocket.last.command("channel:send");
  FakeSocket.last.receive({ type: "error", clientRef, code: "not-allowed", message: "No." });
  await settled();
  assert.deepEqual(store.waiting.value[0].error, { code: "not-allowed", message: "No." });
  store.outbox.again(clientRef);
  assert.equal(FakeSocket.last.sent.filter((each) => each.type === "channel:send").length, 2);
});

test("a refused message keeps its place, goes with the next one, and can be typed again", async () => {
  const store = online();
  store.say("c", "!'ls");
  const { clientRef } = FakeSocket.last.command("channel:send");
  FakeSocket.last.receive({ type: "error", clientRef, code: "invalid", message: "No." });
  await settled();
  store.say("d", "elsewhere");
  assert.deepEqual(
    store.waiting.value.map((each) => each.text),
    ["!'ls", "elsewhere"],
  );
  store.say("c", "!ls");
  await settled();
  assert.deepEqual(
    store.waiting.value.map((each) => each.text),
    ["elsewhere", "!ls"],
  );
  assert.deepEqual(
    store.outbox.refusedIn("c").map(({ text, after }) => [text, after]),
    [["!'ls", 0]],
  );
  assert.deepEqual(store.outbox.refusedIn("d"), []);
});

test("what waits survives a reload", async () => {
  started().say("c", "hello");
  await settled();
  assert.deepEqual(
    started().waiting.value.map((each) => each.text),
    ["hello"],
  );
});

test("only the last channels stay subscribed", () => {
  const store = online();
  for (const id of ["a", "b", "c", "d", "e"]) store.open(id);
  const left = FakeSocket.last.sent.filter((each) => each.type === "channel:unsubscribe");
  assert.deepEqual(
    left.map((each) => each.channel),
    ["a"],
  );
});

test("a refused subscription is told to the page", async () => {
  const store = online();
  store.open("c");
  const { clientRef } = FakeSocket.last.command("channel:subscribe");
  FakeSocket.last.receive({ type: "error", clientRef, code: "not-found", message: "Gone." });
  await settled();
  assert.equal(store.refused.value.c.code, "not-found");
});

test("signed out elsewhere, it does not try again by itself", () => {
  const store = online();
  FakeSocket.last.lose(4401);
  mock.timers.tick(600_000);
  assert.equal(store.connection.value.state, "signed-out");
  assert.equal(FakeSocket.made.length, 1);
});

test("a message that the database cannot keep now waits, and goes by itself until it is kept", async () => {
  const store = online();
  store.open("c");
  store.say("c", "hello");
  const refuse = async () => {
    const { clientRef } = FakeSocket.last.command("channel:send");
    FakeSocket.last.receive({
      type: "error",
      clientRef,
      code: "unavailable",
      message: "The database is away.",
    });
    await settled();
  };
  await refuse();
  const [held] = store.outbox.entries;
  assert.deepEqual([held.text, held.held, held.error], ["hello", true, undefined]);
  const sent = () => FakeSocket.last.sent.filter((each) => each.type === "channel:send").length;
  assert.equal(sent(), 1);
  mock.timers.tick(1_000);
  await settled();
  assert.equal(sent(), 2);
  await refuse();
  mock.timers.tick(1_999); // each pause is twice as long, ten seconds at most
  assert.equal(sent(), 2);
  mock.timers.tick(1);
  assert.equal(sent(), 3);
  FakeSocket.last.ack("channel:send");
  await settled();
  assert.deepEqual(store.outbox.entries, []);
});

test("a conversation is asked for again while the database is away", async () => {
  const store = online();
  store.open("c");
  const { clientRef } = FakeSocket.last.command("channel:subscribe");
  FakeSocket.last.receive({
    type: "error",
    clientRef,
    code: "unavailable",
    message: "The database is away.",
  });
  await settled();
  assert.deepEqual(store.refused.value, {});
  mock.timers.tick(1_000);
  assert.notEqual(FakeSocket.last.command("channel:subscribe").clientRef, clientRef);
});

test("what the server cannot reach is shown until it can, or is another server", () => {
  const store = online();
  FakeSocket.last.receive({ type: "site:state", away: ["redis"] });
  assert.deepEqual(store.state.value.away, ["redis"]);
  again();
  assert.deepEqual(store.state.value.away, []);
});

test("a frame in pieces is folded once all of it is there", () => {
  const store = online();
  const whole = JSON.stringify({ type: "site:state", away: ["redis"] });
  const texts = [whole.slice(0, 7), whole.slice(7, 30), whole.slice(30)];
  texts.forEach((text, at) => {
    assert.deepEqual(store.state.value.away, []);
    FakeSocket.last.receive(
      at === 1
        ? [{ type: "piece", id: "p", at, of: 3, text }]
        : { type: "piece", id: "p", at, of: 3, text },
    );
  });
  assert.deepEqual(store.state.value.away, ["redis"]);
});

test("what a proxy finds too large is refused, and not sent again for ever", async () => {
  const store = online();
  store.say("c", "x".repeat(900));
  await settled();
  FakeSocket.last.onclose({ code: 1009 });
  await settled();
  assert.equal(store.outbox.entries[0].error.code, "too-large");
});

test("what is larger than the server takes is refused here, once, and never sent", async () => {
  const store = online();
  await assert.rejects(
    store.command("channel:send", { channel: "c", text: "日".repeat(400_000) }),
    { code: "too-large" },
  );
  store.say("c", "x".repeat(1_100_000));
  await settled();
  assert.equal(store.outbox.entries[0].error.code, "too-large");
  again();
  await settled();
  assert.equal(
    FakeSocket.made.flatMap((each) => each.sent).filter((each) => each.type === "channel:send")
      .length,
    0,
  );
});
