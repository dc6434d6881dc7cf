// Folds the sessions that tests/agents/test_same_truth.py recorded from the real services.
import "./setup.js";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const { emptyState, reduce } = await import("maia/reducers/app");

const folder = new URL("../golden/sessions/", import.meta.url);
const byId = (a, b) => (a.id < b.id ? -1 : 1);

/** What every reader must see alike, whenever they joined. */
function essence({ messages, permissions, usage, busy, queued, answering, seq }) {
  const sorted = [...permissions].sort(byId);
  return JSON.parse(
    JSON.stringify({ messages, permissions: sorted, usage, busy, queued, answering, seq }),
  );
}

const opened = (snapshot) => reduce(emptyState(), snapshot).state;

for (const name of readdirSync(folder)) {
  test(`the recorded session ${name} folds to its last snapshot`, () => {
    const { snapshot, frames, final } = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
    let state = opened(snapshot);
    for (const frame of frames) {
      const step = reduce(state, frame);
      assert.equal(step.gap, undefined, `no gap at ${JSON.stringify(frame)}`);
      state = step.state;
    }
    const id = snapshot.channel.id;
    assert.deepEqual(essence(state.open[id]), essence(opened(final).open[id]));
  });
}
