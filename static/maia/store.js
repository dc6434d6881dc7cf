/** The store: the page's state as signals, fed by the socket; commands as methods. */

import { Outbox } from "maia/outbox";
import { allStale, emptyState, reduce, withOlder, withoutChannel } from "maia/reducers/app";
import { Socket } from "maia/socket";
import { batch, signal } from "signals";

/** Channels that stay subscribed after leaving them, so that coming back is instant. */
const KEPT_OPEN = 4;
/** The shortest pause between two snapshots of a channel asked for because of gaps. */
const GAP_PAUSE = 1_000;

export class Store {
  /** @type {string[]} channels in the order they were opened, the current one last */
  #opened = [];
  /** @type {Map<string, number>} */ #subscribedAt = new Map();
  /** @type {Set<string>} */ #watched = new Set();
  /** @type {import("maia/reducers/app").State} */ #now = emptyState();
  /** @type {any} */ #frame;
  #everOnline = false;

  /**
   * @param {object} options
   * @param {string} options.url
   * @param {new (url: string) => WebSocket} [options.make]
   * @param {Pick<Storage, "getItem" | "setItem">} [options.storage]
   * @param {(publish: () => void) => void} [options.soon] when to tell about new state
   */
  constructor({ url, make, storage, soon = beforePaint }) {
    this.state = signal(this.#now);
    this.connection = signal(
      /** @type {import("maia/socket").Connection} */ ({
        state: "connecting",
        since: Date.now(),
        retryAt: 0,
      }),
    );
    /**
     * @type {import("signals").Signal<{events: number, at: number} | undefined>} back after a loss
     */
    this.caughtUp = signal(undefined);
    /** @type {import("signals").Signal<Record<string, {code: string, message: string}>>} */
    this.refused = signal({});
    /** @type {import("signals").Signal<any>} the latest `workspace:changed` */
    this.changed = signal(undefined);
    this.soon = soon;
    this.socket = new Socket({
      url,
      make,
      onFrames: (frames) => this.#received(frames),
      onConnection: (connection) => this.#connected(connection),
    });
    this.outbox = new Outbox({
      send: (command) => this.socket.send(command),
      onChange: () => this.#publishSoon(),
      storage,
    });
    this.waiting = signal(this.outbox.entries);
  }

  start() {
    this.socket.connect();
  }

  /** Opens a channel: its state arrives as `state.open[id]`. @param {string} id */
  open(id) {
    this.#opened = [...this.#opened.filter((each) => each !== id), id];
    if (!this.#now.open[id]) this.#subscribe(id);
    for (const old of this.#opened.splice(0, Math.max(0, this.#opened.length - KEPT_OPEN))) {
      this.#leave(old);
    }
  }

  /** Follows the files of a workspace, and of no other. @param {string} id */
  watch(id) {
    for (const old of this.#watched) {
      if (old !== id) this.command("workspace:unwatch", { workspace: old }).catch(ignoreOffline);
    }
    if (!this.#watched.has(id)) {
      this.command("workspace:watch", { workspace: id }).catch(ignoreOffline);
    }
    this.#watched = new Set([id]);
  }

  /**
   * Sends a command by its type and fields.
   * @param {string} type
   * @param {Record<string, any>} [fields]
   */
  command(type, fields = {}) {
    return this.socket.send({ type, ...fields });
  }

  /**
   * Says something; waits in the outbox while there is no connection.
   * @param {string} channel
   * @param {string} text
   */
  say(channel, text) {
    return this.outbox.add(channel, text, this.#now.open[channel]?.messages.at(-1)?.position);
  }

  /** Loads the messages before the first one known. @param {string} id */
  async older(id) {
    const first = this.#now.open[id]?.messages[0];
    if (!first) return;
    const page = await this.command("channel:older", { channel: id, before: first.position });
    this.#set(
      withOlder(this.#now, id, { messages: page.messages ?? [], more: Boolean(page.more) }),
    );
  }

  /** @param {any[]} frames */
  #received(frames) {
    let state = this.#now;
    const gaps = new Set();
    for (const frame of frames) {
      this.#noticed(frame, state);
      const step = reduce(state, frame);
      state = step.state;
      if (step.gap) gaps.add(step.gap);
    }
    this.#set(state);
    for (const id of gaps) this.#subscribeSoon(id);
  }

  /** @param {any} frame @param {import("maia/reducers/app").State} state */
  #noticed(frame, state) {
    if (frame.type === "message:updated") this.outbox.retire(frame.message.clientRef);
    if (frame.type === "workspace:changed") this.changed.value = frame;
    if (frame.type === "channel:snapshot") {
      for (const message of frame.messages) this.outbox.retire(message.clientRef);
      this.#countCaughtUp(frame, state.open[frame.channel.id]);
    }
    if (frame.type === "channel:gone")
      this.#opened = this.#opened.filter((each) => each !== frame.channel);
  }

  /** @param {any} frame @param {import("maia/reducers/channel").Channel | undefined} known */
  #countCaughtUp(frame, known) {
    const before = this.caughtUp.value;
    if (!before || !known || known.seq < 0) return;
    this.caughtUp.value = { ...before, events: before.events + Math.max(0, frame.seq - known.seq) };
  }

  /** @param {import("maia/socket").Connection} connection */
  #connected(connection) {
    this.connection.value = connection;
    if (connection.state !== "online") {
      if (this.#everOnline) this.caughtUp.value = undefined;
      return;
    }
    if (this.#everOnline) this.caughtUp.value = { events: 0, at: Date.now() };
    this.#everOnline = true;
    this.#set(allStale(this.#now));
    for (const id of this.#opened) this.#subscribe(id, this.#now.open[id]?.seq);
    for (const id of this.#watched)
      this.command("workspace:watch", { workspace: id }).catch(ignoreOffline);
    this.outbox.flush();
  }

  /** @param {string} id */
  #subscribeSoon(id) {
    const pause = (this.#subscribedAt.get(id) ?? 0) + GAP_PAUSE - Date.now();
    if (pause <= 0) this.#subscribe(id);
    else setTimeout(() => this.#subscribe(id), pause);
  }

  /**
   * @param {string} id
   * @param {number} [seq] how far it is, for who comes back: if nothing was missed, nothing is sent
   */
  #subscribe(id, seq = -1) {
    this.#subscribedAt.set(id, Date.now());
    if (!this.socket.online || !this.#opened.includes(id)) return;
    const { [id]: _again, ...others } = this.refused.value;
    this.refused.value = others;
    this.command("channel:subscribe", { channel: id, ...(seq >= 0 && { seq }) }).catch((error) => {
      if (error.code === "offline") return;
      if (error.code === "unavailable") {
        setTimeout(() => this.#subscribe(id, seq), GAP_PAUSE);
        return;
      }
      this.refused.value = {
        ...this.refused.value,
        [id]: { code: error.code, message: error.message },
      };
    });
  }

  /** @param {string} id */
  #leave(id) {
    const { channels } = this.#now;
    this.#set({ ...withoutChannel(this.#now, id), channels });
    this.command("channel:unsubscribe", { channel: id }).catch(ignoreOffline);
  }

  /** @param {import("maia/reducers/app").State} state */
  #set(state) {
    if (state === this.#now) return;
    this.#now = state;
    this.#publishSoon();
  }

  /**
   * A message and its place in the outbox change in one step: it is never shown twice, nor not at
   * all.
   */
  #publishSoon() {
    if (this.#frame) return;
    this.#frame = true;
    this.soon(() =>
      batch(() => {
        this.#frame = undefined;
        this.state.value = this.#now;
        this.waiting.value = this.outbox.entries;
      }),
    );
  }
}

/** @param {Error & {code?: string}} error */
function ignoreOffline(error) {
  if (error.code !== "offline") console.warn("maia:", error.message);
}

/**
 * Calls `publish` once before the next paint; hidden tabs do not paint, so also after a while.
 * @param {() => void} publish
 */
function beforePaint(publish) {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    publish();
  };
  requestAnimationFrame(once);
  setTimeout(once, 120);
}
