// A WebSocket that the test drives by hand.

export class FakeSocket {
  /** Every socket made, oldest first. */
  static made = [];

  constructor(url) {
    this.url = url;
    this.sent = [];
    FakeSocket.made.push(this);
  }

  static get last() {
    return FakeSocket.made.at(-1);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.closed = true;
  }

  open() {
    this.onopen?.({});
  }

  receive(message) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  lose(code = 1006) {
    this.onclose?.({ code });
  }

  /** Returns the last command sent of a type. */
  command(type) {
    return this.sent.findLast((each) => each.type === type);
  }

  ack(type, result = {}) {
    this.receive({ type: "ack", clientRef: this.command(type).clientRef, result });
  }
}

/** A storage like sessionStorage. */
export class FakeStorage {
  #kept = new Map();
  getItem = (key) => this.#kept.get(key) ?? null;
  setItem = (key, value) => this.#kept.set(key, value);
}
