import "../setup.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { boundRepetitions } = await import("maia/panel/terminal_screen");

test("a program repeats a sign over the whole screen, and no further", () => {
  /** @type {any} */ let taken;
  const parser = {
    registerCsiHandler(/** @type {any} */ form, /** @type {any} */ handler) {
      assert.deepEqual(form, { final: "b" });
      taken = handler;
    },
  };
  boundRepetitions({ cols: 80, rows: 24, parser });
  assert.equal(taken([79]), false);
  assert.equal(taken([80 * 24]), false);
  assert.equal(taken([80 * 24 + 1]), true);
  assert.equal(taken([2_147_483_647]), true);
});
