import "../setup.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { ACK_EVERY, TerminalLink, backoff, terminalUrl } = await import("maia/panel/terminal_link");

class FakeSocket {
  sent = [];
  send(data) {
    this.sent.push(data);
  }
  close() {
    this.closed = true;
  }
  get said() {
    return this.sent.filter((d) => typeof d === "string").map((d) => JSON.parse(d));
  }
}

/** A link, its sockets so far, what it told, and the timers that wait. */
function world() {
  const sockets = [];
  const told = [];
  const timers = [];
  const tools = {
    open: () => {
      sockets.push(new FakeSocket());
      return sockets.at(-1);
    },
    after: (run, ms) => timers.push({ run, ms }),
    cancel: () => undefined,
    random: () => 0.5,
  };
  const events = {
    bytes: (bytes, done) => {
      told.push(["bytes", new TextDecoder().decode(bytes)]);
      done();
    },
    replay: () => told.push(["replay"]),
    answers: (yes) => told.push(["answers", yes]),
    state: (state) => told.push(["state", state]),
    exit: (code) => told.push(["exit", code]),
    error: (error) => told.push(["error", error.code]),
  };
  const link = new TerminalLink("ws://x", events, tools);
  link.connect();
  return { link, sockets, told, timers };
}
const bytes = (text) => new TextEncoder().encode(text).buffer;
const frame = (value) => ({ data: JSON.stringify(value) });

test("the size is told once the socket opens, then only when it changes", () => {
  const {
    link,
    sockets: [socket],
  } = world();
  link.resize(80, 24);
  assert.deepEqual(socket.sent, []);
  socket.onopen();
  link.resize(80, 24);
  link.resize(100, 30);
  assert.deepEqual(socket.said, [
    { type: "resize", cols: 80, rows: 24 },
    { type: "resize", cols: 100, rows: 30 },
  ]);
});

test("what reached the screen is acknowledged every 64 KiB, and no byte is counted twice", () => {
  const {
    sockets: [socket],
  } = world();
  socket.onopen();
  const part = ACK_EVERY / 2 + 1;
  for (let i = 0; i < 4; i += 1) socket.onmessage({ data: new ArrayBuffer(part) });
  assert.deepEqual(socket.said, [
    { type: "ack", bytes: 2 * part },
    { type: "ack", bytes: 2 * part },
  ]);
});

test("a lost socket is opened again, later each time, and the screen is replayed", () => {
  const { sockets, told, timers } = world();
  sockets[0].onopen();
  sockets[0].onclose({ code: 1006 });
  assert.equal(timers[0].ms, 500);
  timers[0].run();
  sockets[1].onclose({ code: 1006 });
  assert.equal(timers[1].ms, 1000);
  timers[1].run();
  sockets[2].onopen();
  sockets[2].onmessage(frame({ type: "replay", bytes: 2 }));
  sockets[2].onmessage({ data: bytes("$ ") });
  assert.deepEqual(told.slice(-2), [["replay"], ["bytes", "$ "]]);
  sockets[2].onclose({ code: 1006 });
  assert.equal(timers[2].ms, 500, "a connection that held starts the waiting anew");
});

test("who answers is told among the bytes, where it changes", () => {
  const {
    link,
    sockets: [socket],
    told,
  } = world();
  link.focus();
  socket.onopen();
  link.focus();
  assert.deepEqual(socket.said, [{ type: "focus" }]);
  socket.onmessage({ data: bytes("before") });
  socket.onmessage(frame({ type: "answers", yes: true }));
  socket.onmessage({ data: bytes("after") });
  assert.deepEqual(told.slice(-3), [
    ["bytes", "before"],
    ["answers", true],
    ["bytes", "after"],
  ]);
});

test("the size is told again to a new socket", () => {
  const { link, sockets, timers } = world();
  sockets[0].onopen();
  link.resize(80, 24);
  sockets[0].onclose({ code: 1012 });
  timers[0].run();
  sockets[1].onopen();
  assert.deepEqual(sockets[1].said, [{ type: "resize", cols: 80, rows: 24 }]);
});

test("an acknowledgement owed to a lost socket is not sent to the next", () => {
  const { link, sockets, timers } = world();
  let finish;
  link.events.bytes = (_, done) => {
    finish = done;
  };
  sockets[0].onopen();
  sockets[0].onmessage({ data: new ArrayBuffer(ACK_EVERY) });
  sockets[0].onclose({ code: 1006 });
  timers[0].run();
  sockets[1].onopen();
  finish();
  assert.deepEqual(sockets[1].said, []);
});

test("a shell that ended is not joined again", () => {
  const { link, sockets, told, timers } = world();
  sockets[0].onopen();
  sockets[0].onmessage(frame({ type: "exit", code: 0 }));
  link.connect();
  assert.deepEqual(told.slice(-2), [
    ["state", "exited"],
    ["exit", 0],
  ]);
  assert.deepEqual([sockets.length, timers.length, sockets[0].closed], [1, 0, true]);
});

for (const code of [1008, 4001, 4003, 4004]) {
  test(`close code ${code} is final`, () => {
    const { link, sockets, timers } = world();
    sockets[0].onclose({ code });
    assert.equal(link.state, "lost");
    assert.equal(timers.length, 0);
  });
}

test("an error frame is told and the socket stays", () => {
  const {
    sockets: [socket],
    told,
    link,
  } = world();
  socket.onopen();
  socket.onmessage(frame({ type: "error", code: "too-much" }));
  socket.onmessage(frame({ type: "something-new" }));
  assert.deepEqual([told.at(-1), link.state], [["error", "too-much"], "open"]);
});

test("keystrokes while the line is away are dropped", () => {
  const {
    link,
    sockets: [socket],
  } = world();
  link.send(new Uint8Array([1]));
  socket.onopen();
  link.send(new Uint8Array([2]));
  assert.deepEqual(socket.sent, [new Uint8Array([2])]);
});

test("leaving closes the socket for good", () => {
  const {
    link,
    sockets: [socket],
    timers,
  } = world();
  socket.onopen();
  link.close();
  assert.equal(socket.closed, true);
  assert.equal(socket.onclose, null);
  assert.equal(timers.length, 0);
});

test("waiting doubles up to 10 s, with a quarter of chance on both sides", () => {
  assert.deepEqual(
    [0, 1, 2, 10].map((n) => backoff(n, 0.5)),
    [500, 1000, 2000, 10_000],
  );
  assert.deepEqual([backoff(0, 0), backoff(0, 1)], [375, 625]);
});

test("the socket is on the page's own host and scheme", () => {
  assert.equal(
    terminalUrl("t1", { protocol: "https:", host: "maia.example" }),
    "wss://maia.example/ws/terminal/t1",
  );
  assert.equal(
    terminalUrl("a/b", { protocol: "http:", host: "[::1]:8000" }),
    "ws://[::1]:8000/ws/terminal/a%2Fb",
  );
});
