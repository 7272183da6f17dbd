// The functions: results, types of inputs, errors.

import assert from "node:assert";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import * as aside from "aside-node";

const BODY = {
  model: "claude-opus-5-5",
  max_tokens: 8,
  system: "Be kind.",
  messages: [{ role: "user", content: "Hi 🎈" }],
};

test("inputs are values, text or bytes", () => {
  const text = JSON.stringify(BODY);
  const [value, ...others] = [BODY, text, Buffer.from(text)].map((it) => aside.context(it));
  for (const other of others) assert.deepEqual(other, value);
  assert.equal(value.bytes, Buffer.byteLength(text));
  assert.equal(typeof aside.mark(text), "string");
  assert.ok(aside.mark(Buffer.from(text)) instanceof Uint8Array);
  const buffer = new TextEncoder().encode(text).buffer;
  for (const view of [buffer, new DataView(buffer)]) assert.deepEqual(aside.context(view), value);
  assert.ok(aside.mark(buffer) instanceof ArrayBuffer);
  assert.throws(() => aside.assertSameMeaning(text, new TextEncoder().encode("{}").buffer), { code: "ERR_ASSERTION" });
  assert.deepEqual(aside.mark(BODY).system[0].cache_control, { type: "ephemeral" });
});

test("each function has a result", () => {
  const directory = mkdtempSync(join(tmpdir(), "aside-"));
  writeFileSync(join(directory, "CLAUDE.md"), "Use tabs.\n");
  assert.equal(aside.check({ ...BODY, messages: [] }).findings[0].level, "refused");
  assert.equal(aside.diff(BODY, BODY).relation, "identical");
  assert.equal(aside.explain([BODY, BODY]).requests[1].at, 30);
  assert.equal(new aside.CacheModel().send(BODY, { at: 1 }).request, 1);
  assert.equal(aside.plan(BODY).markers.length, 2);
  assert.match(aside.inject(BODY.messages, "Be brief.")[0].content, /^Hi 🎈\n<system-reminder>\nBe brief\./);
  assert.equal(aside.neutralize("<system-reminder>"), "&lt;system-reminder>");
  assert.match(aside.readable(BODY), /Be kind\./);
  assert.match(aside.convert(BODY, { to: "openai" }).body.model, /^gpt/);
  assert.equal(aside.memory(directory).files[0].text, "Use tabs.");
  assert.equal(aside.gitState(directory).text, null);
  assert.equal(aside.models("claude-opus-5-5").models[0].id, "claude-opus-5-5");
  assert.ok(aside.estimate("three short words", "claude-opus-5-5") > 1);
});

test("errors have kind, path and line", () => {
  const { AsideError } = aside;
  const check = (run, expected) =>
    assert.throws(run, (error) => error instanceof AsideError && Object.entries(expected).every(([key, it]) => error[key] === it));
  check(() => aside.context('{\n "a" 1}'), { kind: "syntax", line: 2 });
  check(() => aside.mark({ model: "m", max_tokens: 1, messages: 1 }), { kind: "shape", path: "messages" });
  check(() => aside.check(BODY, { wire: "soap" }), { kind: "option" });
  const lost = [Promise.resolve(BODY), new Map([["model", "m"]]), new Set([1]), new Blob(["{}"])];
  for (const value of [...lost, undefined, { a: 1n }]) check(() => aside.check(value), { kind: "shape", line: null });
  class Shown {
    #model = "m";
    toJSON = () => ({ ...BODY, model: this.#model });
  }
  assert.equal(aside.context(new Shown()).wire, aside.context({ ...BODY, model: "m" }).wire);
  for (const numbers of [{ every: NaN }, { at: [0, Infinity] }, { latency: -Infinity }]) {
    check(() => aside.explain([BODY, BODY], numbers), { kind: "option" });
  }
  check(() => new aside.CacheModel().send(BODY, { at: NaN }), { kind: "option", message: "at: NaN is no number in JSON" });
  check(() => aside.context(BODY, { depth: NaN }), { kind: "option" });
  check(() => aside.check(BODY, { modle: "m" }), { kind: "option" });
  for (const value of [undefined, null, 5, ["a"], { a: 1 }]) {
    const calls = [() => aside.inject([], value), () => aside.neutralize(value), () => aside.estimate(value, "m")];
    for (const call of [...calls, () => aside.memory(value)]) check(call, { kind: "option" });
  }
  for (const requests of [undefined, BODY, JSON.stringify(BODY)]) check(() => aside.explain(requests), { kind: "option" });
  for (const given of [undefined, null]) check(() => aside.convert(BODY, given), { kind: "option" });
  assert.deepEqual(aside.check(BODY, null), aside.check(BODY));
  check(() => aside.watch({}), { kind: "option" });
  for (const paths of [undefined, 5]) check(() => aside.rows(paths), { kind: "option", path: "" });
});

test("assertions name path and byte", () => {
  aside.assertAccepted(BODY);
  assert.throws(() => aside.assertAccepted({ ...BODY, messages: [{ role: "users", content: "a" }] }), {
    code: "ERR_ASSERTION",
    message: /messages\[0\]\.role at byte \d+/,
  });
  const clock = (time) => ({ ...BODY, system: `It is ${time}.` });
  assert.throws(() => aside.assertPrefixStable(clock("14:31:27"), clock("14:31:29")), /date or clock/);
  assert.throws(() => aside.assertSameMeaning(clock("14:31:27"), clock("14:31:29")), /system at byte/);
  aside.assertSameMeaning(clock("14:31:27"), clock("14:31:29"), { ignoreText: ["\\d\\d:\\d\\d:\\d\\d"] });
  const golden = join(mkdtempSync(join(tmpdir(), "aside-")), "a.txt");
  assert.throws(() => aside.assertGolden(BODY, golden, { bless: false }), /does not exist/);
  aside.assertGolden(BODY, golden, { bless: true });
  aside.assertGolden(BODY, golden, { bless: false });
  assert.throws(() => aside.assertGolden(clock("1"), golden, { bless: false }), /golden file at .*, byte \d+:[\s\S]*It is 1/);
  const text = readFileSync(golden, "utf8");
  for (const same of [text.trimEnd(), text.replaceAll("\n", "\r\n")]) {
    writeFileSync(golden, same);
    process.env.ASIDE_BLESS = "0";
    aside.assertGolden(BODY, golden);
    assert.equal(readFileSync(golden, "utf8"), same);
    delete process.env.ASIDE_BLESS;
  }
});
