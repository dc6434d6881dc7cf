// A small model of the server's side of one channel, to fold its frames against its snapshots.

/** A generator of numbers that gives the same ones for the same seed (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return { next, below, pick: (list) => list[below(list.length)] };
}

const WORDS = ["hello ", "**bold** ", "é", "🎭", "\n\n", "```py\n", "x = 1\n", "```", " ", "日本"];
const person = { id: 1, username: "alice", name: "Alice" };

/** One channel whose every change returns the frames that tell of it. */
export class World {
  constructor(seed) {
    this.random = randomOf(seed);
    this.seq = 0;
    this.position = 0;
    this.count = 0;
    this.messages = [];
    this.permissions = [];
    this.usage = {};
    this.turn = { busy: false, queued: 0, answering: undefined };
  }

  snapshot() {
    return structuredClone({
      type: "channel:snapshot",
      seq: this.seq,
      messages: this.messages,
      more: false,
      channel: {
        id: "c",
        workspace: "w",
        name: "general",
        description: "",
        members: [],
        role: "owner",
        busy: false,
        waiting: 0,
        unread: 0,
        lastActivity: "",
      },
      ...this.turn,
      usage: this.usage,
      permissions: this.permissions,
      people: [person],
    });
  }

  /** Does one random thing and returns its frames. */
  act() {
    const open = this.messages.filter((each) => !each.done);
    const acts = [this.post, this.begin];
    if (open.length)
      acts.push(this.text, this.text, this.text, this.tool, this.plan, this.finish, this.ask);
    if (this.messages.some((each) => each.queued)) acts.push(this.unqueue);
    if (this.permissions.some((each) => each.state === "pending")) acts.push(this.answer);
    acts.push(this.measure);
    return structuredClone(this.random.pick(acts).call(this, this.random.pick(open)));
  }

  durable(type, fields) {
    this.seq += 1;
    return { type, channel: "c", seq: this.seq, ...fields };
  }

  message(fields) {
    this.position += 1;
    this.count += 1;
    const message = {
      id: `m${this.count}`,
      channel: "c",
      position: this.position,
      createdAt: "",
      parts: [],
      done: true,
      queued: false,
      attachments: [],
      ...fields,
    };
    this.messages.push(message);
    return message;
  }

  post() {
    const queued = this.turn.busy && this.random.below(2) === 0;
    const text = this.random.pick(WORDS);
    const message = this.message({
      role: "user",
      author: person,
      queued,
      parts: [{ type: "text", text, interrupted: false }],
    });
    return [this.durable("message:updated", { message })];
  }

  begin() {
    const message = this.message({ role: "agent", agent: "maia", done: false });
    const answering = { agent: "maia", messageId: message.id, startedAt: "", waitsFor: "model" };
    this.turn = {
      busy: true,
      queued: this.messages.filter((each) => each.queued).length,
      answering,
    };
    return [this.durable("message:updated", { message }), this.durable("turn:changed", this.turn)];
  }

  text(message) {
    const kind = this.random.pick(["text", "thought"]);
    const last = message.parts.at(-1);
    const text = this.random.pick(WORDS);
    if (last?.type === kind) {
      const offset = last.text.length;
      last.text += text;
      return [this.delta(message, message.parts.length - 1, kind, { text, offset })];
    }
    message.parts.push({ type: kind, text, interrupted: false });
    return [this.delta(message, message.parts.length - 1, kind, { text, offset: 0 })];
  }

  delta(message, index, kind, fields) {
    return { type: "message:delta", channel: "c", messageId: message.id, index, kind, ...fields };
  }

  tool(message) {
    const known = message.parts.findIndex(
      (each) => each.type === "tool" && each.status !== "completed",
    );
    const index = known < 0 ? message.parts.length : known;
    const part =
      known < 0
        ? {
            type: "tool",
            rev: 0,
            id: `t${this.count}`,
            name: "Bash",
            title: "",
            kind: "execute",
            status: "pending",
            input: "{}",
            output: "",
            locations: [],
            diffs: [],
          }
        : {
            ...message.parts[known],
            rev: message.parts[known].rev + 1,
            status: this.random.pick(["in_progress", "completed"]),
            output: this.random.pick(WORDS),
          };
    message.parts[index] = part;
    return [this.delta(message, index, "tool", { part, offset: part.rev })];
  }

  plan(message) {
    const part = {
      type: "plan",
      rev: 0,
      entries: [{ content: "a", status: "pending", active: "" }],
    };
    message.parts.push(part);
    return [this.delta(message, message.parts.length - 1, "plan", { part, offset: 0 })];
  }

  finish(message) {
    message.done = true;
    message.stopReason = "end_turn";
    this.turn = { busy: false, queued: 0, answering: undefined };
    return [this.durable("message:updated", { message }), this.durable("turn:changed", this.turn)];
  }

  ask(message) {
    const request = {
      id: `r${this.seq}`,
      channel: "c",
      agent: "maia",
      messageId: message.id,
      createdAt: String(this.seq).padStart(6, "0"),
      state: "pending",
      starter: person,
    };
    this.permissions.push(request);
    return [this.durable("permission:requested", { request })];
  }

  answer() {
    const request = this.permissions.find((each) => each.state === "pending");
    request.state = this.random.pick(["answered", "cancelled", "expired"]);
    if (request.state === "answered") {
      request.answer = { option: "allow_once", by: person, at: "", instruction: "" };
    }
    return [
      this.durable("permission:resolved", {
        id: request.id,
        state: request.state,
        answer: request.answer,
      }),
    ];
  }

  unqueue() {
    const message = this.messages.find((each) => each.queued);
    this.messages = this.messages.filter((each) => each !== message);
    return [this.durable("message:removed", { messageId: message.id })];
  }

  measure() {
    this.usage = { ...this.usage, maia: { used: this.random.below(1000), size: 1000 } };
    return [{ type: "usage:changed", channel: "c", agent: "maia", usage: this.usage.maia }];
  }
}
