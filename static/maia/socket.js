/** The WebSocket: connects, reconnects with growing pauses, matches commands with their answers. */

/** How long a command may wait for its answer before the connection counts as dead. */
const ANSWER_WITHIN = 20_000;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;
/** Bytes of one command; the server refuses more. */
const MOST_BYTES = 1024 * 1024;
/** The close code of a server, or a proxy, that takes no message of this size. */
const TOO_LARGE = 1009;
/** Close codes that say: sign in again. */
const SIGNED_OUT = new Set([4001, 4401]);

/** A refused command; `code` is stable, the message is for people. */
export class CommandError extends Error {
  /** @param {string} code @param {string} message @param {Record<string, any>} [data] */
  constructor(code, message, data = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Returns a new name for a command. */
export function newRef() {
  return (
    globalThis.crypto?.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`
  );
}

/** @param {string} text */
function isTooLarge(text) {
  return text.length > MOST_BYTES / 4 && new TextEncoder().encode(text).length > MOST_BYTES;
}

/**
 * Returns how long to wait before attempt `n` (from 0), in ms; half of it is chance.
 * @param {number} n
 * @param {number} chance from 0 to 1
 */
export function pauseBefore(n, chance) {
  const full = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** n);
  return Math.round(full / 2 + (full / 2) * chance);
}

/**
 * @typedef {{state: "connecting"|"online"|"waiting"|"signed-out", since: number, retryAt: number}}
 *   Connection
 * `since`: when it was last online or first tried; `retryAt`: when the next attempt comes.
 */

export class Socket {
  /** @type {WebSocket | undefined} */ #socket;
  /** @type {string[]} the pieces of a long frame that have come */ #pieces = [];
  /**
   * @type {Map<string, {settle: (result: any) => void, fail: (error: Error) => void, timer: any,
   *   size: number}>}
   */
  #pending = new Map();
  #attempt = 0;
  /** @type {any} */ #timer;
  #closed = false;

  /**
   * @param {object} options
   * @param {string} options.url
   * @param {(frames: any[]) => void} options.onFrames every frame but answers and pings
   * @param {(connection: Connection) => void} options.onConnection
   * @param {new (url: string) => WebSocket} [options.make]
   */
  constructor({ url, onFrames, onConnection, make = globalThis.WebSocket }) {
    this.url = url;
    this.onFrames = onFrames;
    this.onConnection = onConnection;
    this.make = make;
    /** @type {Connection} */
    this.connection = { state: "connecting", since: Date.now(), retryAt: 0 };
  }

  get online() {
    return this.connection.state === "online";
  }

  /** Connects now, whatever pause was planned. */
  connect() {
    clearTimeout(this.#timer);
    if (this.#closed || this.#socket) return;
    this.#become("connecting");
    const socket = new this.make(this.url);
    this.#socket = socket;
    socket.onopen = () => this.#opened(socket);
    socket.onmessage = (event) => this.#received(socket, event.data);
    socket.onclose = (event) => this.#lost(socket, event.code);
  }

  /** Drops a connection that is known to be dead, and tries again. */
  reconnect() {
    const socket = this.#socket;
    if (socket) this.#lost(socket, 0);
    socket?.close();
    this.#attempt = 0;
    this.connect();
  }

  /** Ends for good. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  /**
   * Sends a command; returns the result of its `ack`.
   * Rejects with CommandError: the server's, or `offline` when it could not be sent or answered.
   * @param {{type: string, clientRef?: string, [field: string]: any}} command
   * @returns {Promise<Record<string, any>>}
   */
  send(command) {
    const clientRef = command.clientRef ?? newRef();
    const socket = this.#socket;
    if (!socket || !this.online) return Promise.reject(new CommandError("offline", "offline"));
    const text = JSON.stringify({ ...command, clientRef });
    if (isTooLarge(text)) return Promise.reject(new CommandError("too-large", "too-large"));
    return new Promise((settle, fail) => {
      const timer = setTimeout(() => this.#silent(socket), ANSWER_WITHIN);
      this.#pending.set(clientRef, { settle, fail, timer, size: text.length });
      socket.send(text);
    });
  }

  /** @param {WebSocket} socket */
  #silent(socket) {
    if (socket === this.#socket) this.reconnect();
  }

  /** @param {WebSocket} socket */
  #opened(socket) {
    if (socket !== this.#socket) return;
    this.#become("online");
  }

  /** @param {WebSocket} socket @param {string} data */
  #received(socket, data) {
    if (socket !== this.#socket) return;
    const message = JSON.parse(data);
    const rest = (Array.isArray(message) ? message : [message])
      .flatMap((frame) => this.#whole(frame))
      .filter((frame) => !this.#handled(socket, frame));
    if (rest.length) this.onFrames(rest);
  }

  /**
   * Returns the frame, or the one whose last piece it is; nothing while pieces are missing.
   * @param {any} frame
   */
  #whole(frame) {
    if (frame.type !== "piece") return [frame];
    if (frame.at === 0) this.#pieces = [];
    this.#pieces.push(frame.text);
    if (this.#pieces.length < frame.of) return [];
    const text = this.#pieces.join("");
    this.#pieces = [];
    return [JSON.parse(text)];
  }

  /** @param {WebSocket} socket @param {any} frame @returns {boolean} */
  #handled(socket, frame) {
    switch (frame.type) {
      case "ping":
        socket.send(JSON.stringify({ type: "pong", n: frame.n }));
        return true;
      case "ack":
        this.#answer(frame.clientRef)?.settle(frame.result ?? {});
        return true;
      case "error": {
        const error = new CommandError(frame.code, frame.message, frame.data);
        const waiting = this.#answer(frame.clientRef);
        waiting?.fail(error);
        return waiting !== undefined;
      }
      case "hello":
        this.#attempt = 0;
        return false;
      default:
        return false;
    }
  }

  /** @param {string | undefined} clientRef */
  #answer(clientRef) {
    const waiting = clientRef === undefined ? undefined : this.#pending.get(clientRef);
    if (!waiting || clientRef === undefined) return undefined;
    clearTimeout(waiting.timer);
    this.#pending.delete(clientRef);
    return waiting;
  }

  /** @param {WebSocket} socket @param {number} code */
  #lost(socket, code) {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    const largest = Math.max(...[...this.#pending.values()].map((each) => each.size));
    for (const [ref, { size }] of [...this.#pending]) {
      const why = code === TOO_LARGE && size === largest ? "too-large" : "offline";
      this.#answer(ref)?.fail(new CommandError(why, why));
    }
    if (this.#closed) return;
    if (SIGNED_OUT.has(code)) {
      this.#become("signed-out");
      return;
    }
    const pause = pauseBefore(this.#attempt, Math.random());
    this.#attempt += 1;
    this.#become("waiting", Date.now() + pause);
    this.#timer = setTimeout(() => this.connect(), pause);
  }

  /** @param {Connection["state"]} state @param {number} [retryAt] */
  #become(state, retryAt = 0) {
    const wasOnline = this.connection.state === "online";
    const since = state === "online" || wasOnline ? Date.now() : this.connection.since;
    this.connection = { state, since, retryAt };
    this.onConnection(this.connection);
  }
}
