/** The outbox: messages that wait for the connection; each goes once, told apart by clientRef. */

import { t } from "maia/lib/i18n";
import { newRef } from "maia/socket";

/**
 * @typedef {{clientRef: string, channel: string, text: string, at: string, sending: boolean,
 *   after?: number, held?: boolean, error?: {code: string, message: string}}} Waiting
 * `after` is the position of the last message when it was typed; `held`: the server could not keep
 * it
 * now, it goes by itself when that is over
 */

const KEY = "maia-outbox";
/** Characters of one message; the server takes no more. */
export const MOST_TEXT = 200_000;
/** Returns how many characters the server counts. @param {string} text */
export function lengthOf(text) {
  return text.length > MOST_TEXT ? [...text].length : text.length;
}

/** @param {string} text */
export function isTooLong(text) {
  return lengthOf(text) > MOST_TEXT;
}

/** Codes of what will pass: the message is not refused, only late. */
const PASSING = new Set(["offline", "unavailable"]);
/** Pauses in ms between tries while the server cannot keep messages. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 10_000;
/** So many refused messages are remembered after they left the conversation. */
const MOST_REFUSED = 20;

export class Outbox {
  /** @type {Waiting[]} */ #entries;
  #pause = FIRST_PAUSE;
  /** @type {any} */ #timer;
  /** @type {Waiting[]} refused, and gone since the next message was sent */ #gone = [];

  /**
   * @param {object} options
   * @param {(command: any) => Promise<any>} options.send
   * @param {(entries: Waiting[]) => void} options.onChange
   * @param {Pick<Storage, "getItem" | "setItem">} [options.storage] keeps entries over a reload
   */
  constructor({ send, onChange, storage }) {
    this.send = send;
    this.onChange = onChange;
    this.storage = storage;
    this.#entries = this.#read();
  }

  get entries() {
    return this.#entries;
  }

  /**
   * Adds a message and sends it if that is possible now; what was refused in its channel goes.
   * @param {string} channel @param {string} text @param {number} [after]
   */
  add(channel, text, after = 0) {
    const entry = {
      clientRef: newRef(),
      channel,
      text,
      at: new Date().toISOString(),
      sending: false,
      after,
    };
    const refused = this.#entries.filter((each) => each.channel === channel && each.error);
    this.#gone = [...this.#gone, ...refused].slice(-MOST_REFUSED);
    this.#change([...this.#entries.filter((each) => !refused.includes(each)), entry]);
    return this.#try(entry);
  }

  /**
   * Returns the messages that were refused in a channel, also those that are no longer shown.
   * @param {string} channel
   */
  refusedIn(channel) {
    return [...this.#gone, ...this.#entries].filter(
      (each) => each.channel === channel && each.error,
    );
  }

  /** Sends everything that waits, oldest first; after each (re)connection. */
  async flush() {
    for (const entry of this.#entries) if (!entry.sending && !entry.error) this.#try(entry);
  }

  /** Tries a refused message again. @param {string} clientRef */
  again(clientRef) {
    this.#patch(clientRef, { error: undefined });
    const entry = this.#entries.find((each) => each.clientRef === clientRef);
    return entry ? this.#try(entry) : undefined;
  }

  /**
   * Forgets a message: it arrived, or the person took it back.
   * @param {string | undefined} clientRef
   */
  retire(clientRef) {
    if (this.#entries.some((each) => each.clientRef === clientRef)) {
      this.#change(this.#entries.filter((each) => each.clientRef !== clientRef));
    }
  }

  /** @param {Waiting} entry */
  async #try({ clientRef, channel, text }) {
    this.#patch(clientRef, { sending: true });
    try {
      await this.send({ type: "channel:send", clientRef, channel, text });
      this.#pause = FIRST_PAUSE;
      this.retire(clientRef);
    } catch (error) {
      const { code, message } = worded(/** @type {import("maia/socket").CommandError} */ (error));
      const held = code === "unavailable";
      this.#patch(clientRef, {
        sending: false,
        held,
        error: PASSING.has(code) ? undefined : { code, message },
      });
      if (held) this.#flushLater();
    }
  }

  /** The server is there, but cannot keep anything now: everything goes again after a pause. */
  #flushLater() {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, this.#pause);
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
  }

  /** @param {string} clientRef @param {Partial<Waiting>} fields */
  #patch(clientRef, fields) {
    this.#change(
      this.#entries.map((each) => (each.clientRef === clientRef ? { ...each, ...fields } : each)),
    );
  }

  /** @param {Waiting[]} entries */
  #change(entries) {
    this.#entries = entries;
    try {
      this.storage?.setItem(KEY, JSON.stringify(entries));
    } catch {
      // A full or forbidden storage only means that a reload forgets what waits.
    }
    this.onChange(entries);
  }

  /** @returns {Waiting[]} */
  #read() {
    try {
      const kept = JSON.parse(this.storage?.getItem(KEY) ?? "[]");
      return kept.map((/** @type {Waiting} */ each) => ({ ...each, sending: false }));
    } catch {
      return [];
    }
  }
}

/** The socket knows no words. @param {import("maia/socket").CommandError} error */
function worded({ code, message }) {
  return { code, message: code === message && code === "too-large" ? t("tooLarge") : message };
}
