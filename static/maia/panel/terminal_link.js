/**
 * The socket of one terminal: bytes both ways, acknowledgements, and a way back after a loss.
 *
 * Text frames are JSON. From here: `resize {cols, rows}`, `ack {bytes}`, `focus`. From the server:
 * `replay {bytes}` before the screen as it is (the next binary bytes), `answers {yes}`, whether
 * this screen answers what programs ask in the bytes that follow, `exit {code}`, `error`.
 */

/** Bytes written to the screen between two acknowledgements. */
export const ACK_EVERY = 64 * 1024;
const SOCKET_OPEN = 1;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
/** Close codes after which trying again is of no use: signed out, not there, refused. */
const FINAL = new Set([1008, 4001, 4003, 4004]);

/** @typedef {"connecting" | "open" | "waiting" | "exited" | "lost"} LinkState */
/**
 * @typedef {object} LinkEvents
 * @property {(bytes: Uint8Array, done: () => void) => void} bytes call `done` once they are on
 *   screen
 * @property {() => void} replay the screen follows: forget what is shown, and answer nothing
 * @property {(yes: boolean) => void} answers whether to answer what is asked from here on
 * @property {(state: LinkState) => void} state
 * @property {(code: number | null) => void} exit
 * @property {(error: {code: string, message: string}) => void} error
 */
/**
 * @typedef {object} LinkTools for tests: what the browser gives
 * @property {(url: string) => WebSocket} open
 * @property {(run: () => void, ms: number) => any} after
 * @property {(timer: any) => void} cancel
 * @property {() => number} random
 */

/** @type {LinkTools} */
const BROWSER = {
  open: (url) => new WebSocket(url),
  after: (run, ms) => setTimeout(run, ms),
  cancel: (timer) => clearTimeout(timer),
  random: () => Math.random(),
};

/**
 * Returns milliseconds before try number `tries` (from 0): doubling, with a little chance.
 * @param {number} tries
 * @param {number} chance from 0 to 1
 */
export const backoff = (tries, chance) =>
  Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tries) * (0.75 + chance / 2);

export class TerminalLink {
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {LinkState} */ #state = "connecting";
  /** @type {{cols: number, rows: number} | null} */ #size = null;
  #tries = 0;
  #unacked = 0;
  #timer = null;

  /** @param {string} url @param {LinkEvents} events @param {LinkTools} [tools] */
  constructor(url, events, tools = BROWSER) {
    this.url = url;
    this.events = events;
    this.tools = tools;
  }

  get state() {
    return this.#state;
  }

  /** Opens the socket, at once; an open one is left alone. */
  connect() {
    if (this.#socket || this.#state === "exited") return;
    this.tools.cancel(this.#timer);
    this.#go("connecting");
    const socket = this.tools.open(this.url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) =>
      typeof data === "string" ? this.#told(data) : this.#received(socket, data);
    socket.onclose = ({ code }) => this.#closed(code);
    this.#socket = socket;
  }

  /**
   * Sends keystrokes; what is typed while the connection is away is dropped, as on a dead line.
   * @param {Uint8Array} bytes
   */
  send(bytes) {
    if (this.#mayWrite()) this.#socket?.send(bytes);
  }

  /** @param {number} cols @param {number} rows */
  resize(cols, rows) {
    const same = this.#size?.cols === cols && this.#size.rows === rows;
    this.#size = { cols, rows };
    if (!same) this.#say({ type: "resize", cols, rows });
  }

  /** Says that the keyboard is here: this screen answers from now on. */
  focus() {
    this.#say({ type: "focus" });
  }

  /** Leaves the terminal; the shell lives on. */
  close() {
    this.tools.cancel(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #opened() {
    this.#tries = 0;
    this.#unacked = 0;
    this.#go("open");
    if (this.#size) this.#say({ type: "resize", ...this.#size });
  }

  /** @param {WebSocket} socket @param {ArrayBuffer} data */
  #received(socket, data) {
    const bytes = new Uint8Array(data);
    this.events.bytes(bytes, () => {
      if (socket === this.#socket) this.#written(bytes.length);
    });
  }

  /** @param {number} count */
  #written(count) {
    this.#unacked += count;
    if (this.#unacked < ACK_EVERY) return;
    this.#say({ type: "ack", bytes: this.#unacked });
    this.#unacked = 0;
  }

  /** @param {string} text */
  #told(text) {
    const frame = JSON.parse(text);
    if (frame.type === "replay") this.events.replay();
    else if (frame.type === "answers") this.events.answers(frame.yes);
    else if (frame.type === "exit") this.#exited(frame.code ?? null);
    else if (frame.type === "error")
      this.events.error({ code: frame.code ?? "error", message: frame.message ?? "" });
  }

  /** @param {number | null} code */
  #exited(code) {
    this.#go("exited");
    this.events.exit(code);
    this.close();
  }

  /** @param {number} code */
  #closed(code) {
    this.#socket = null;
    if (this.#state === "exited") return;
    if (FINAL.has(code)) return this.#go("lost");
    this.#go("waiting");
    this.#timer = this.tools.after(() => this.connect(), backoff(this.#tries, this.tools.random()));
    this.#tries += 1;
  }

  /** @param {object} frame */
  #say(frame) {
    if (this.#mayWrite()) this.#socket?.send(JSON.stringify(frame));
  }

  /** Not once the server has begun to close: the browser would complain, and nobody hear it. */
  #mayWrite() {
    return this.#state === "open" && !((this.#socket?.readyState ?? 0) > SOCKET_OPEN);
  }

  /** @param {LinkState} state */
  #go(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.events.state(state);
  }
}

/** Returns the address of a terminal's socket. @param {string} id @param {Location} [here] */
export function terminalUrl(id, here = location) {
  const scheme = here.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${here.host}/ws/terminal/${encodeURIComponent(id)}`;
}
