// The example of the README in Vitest: it passes, and a clock in the system text fails.

import assert from "node:assert";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { test } from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import { Api, watch } from "aside-node";

const readme = readFileSync(new URL("node_modules/aside-node/README.md", import.meta.url), "utf8");
const example = readme.match(/```js\n([\s\S]*?)```/)[1];

function vitest(program) {
  writeFileSync("example.spec.js", program);
  try {
    const run = ["node_modules/vitest/vitest.mjs", "run", "--no-color", "example.spec.js"];
    const done = spawnSync(process.execPath, run, { encoding: "utf8" });
    return [done.status, done.stdout + done.stderr];
  } finally {
    rmSync("example.spec.js");
  }
}

test("the example of the readme passes", () => {
  const [status, text] = vitest(example);
  assert.equal(status, 0, text);
});

test("a clock in the system text fails and names the byte", () => {
  const clock = example.replace('system: "Be kind."', "system: `Be kind. It is 14:31:0${messages.length}.`");
  const [status, text] = vitest(clock);
  assert.equal(status, 1, text);
  assert.match(text, /system at byte \d+ .*date or clock/);
  assert.match(text, /fix {3}: /);
});

test("a watched client has its requests", async () => {
  const api = new Api();
  const client = new Anthropic({ apiKey: "none", fetch: api.fetch, maxRetries: 0 });
  const watched = watch(client);
  const messages = [];
  for (const second of [1, 2]) {
    messages.push({ role: "user", content: "Hi" });
    const text = `It is 14:31:0${second}. ` + "Be kind. ".repeat(1500);
    const system = [{ type: "text", text, cache_control: { type: "ephemeral" } }];
    await client.messages.create({ model: "claude-haiku-4-5", max_tokens: 8, system, messages });
    messages.push({ role: "assistant", content: "Hello" });
  }
  assert.equal(watched.requests.length, 2);
  assert.deepEqual(watched.misses.map((row) => row.request), [2]);
  assert.deepEqual(watched.findings, []);
  const prefill = { model: "claude-opus-5-5", max_tokens: 8, messages: messages.slice(0, 2) };
  const refused = client.messages.create(prefill);
  await assert.rejects(refused, { status: 400 });
});

test("a reply that cannot be sent is refused, and a refused request leaves one to the next", async () => {
  const api = new Api();
  for (const block of [5, null, { text: "a block without its type" }, { type: "tool_use" }]) {
    assert.throws(() => api.reply(block), { name: "AsideError", kind: "option", path: "[0]" });
  }
  api.reply({ type: "tool_use", name: "Read" });
  const client = new Anthropic({ apiKey: "none", fetch: api.fetch, maxRetries: 0 });
  const ask = { model: "claude-haiku-4-5", max_tokens: 64 };
  await assert.rejects(client.messages.create({ messages: [], ...ask }), { status: 400 });
  const reply = await client.messages.create({ messages: [{ role: "user", content: "Hi" }], ...ask });
  assert.deepEqual([reply.content[0].name, reply.content[0].input], ["Read", {}]);
});

test("a client without a fetch uses a loopback port", async () => {
  const api = new Api();
  const [baseURL, ...others] = await Promise.all([api.listen(), api.listen()]);
  assert.deepEqual([...others, await api.listen()], [baseURL, baseURL]);
  const client = new Anthropic({ apiKey: "none", baseURL, maxRetries: 0 });
  const ask = { model: "claude-opus-5-5", max_tokens: 64 };
  const stream = client.messages.stream({ messages: [{ role: "user", content: "Hi" }], ...ask });
  assert.equal((await stream.finalMessage()).stop_reason, "end_turn");
  await assert.rejects(client.messages.create({ messages: [], ...ask }), { status: 400 });
  assert.equal(api.requests.length, 2);
  await assert.rejects(client.models.list(), { status: 404 });
  await assert.rejects(client.messages.create(
    { messages: [], ...ask }, { headers: { "anthropic-version": null } }), { status: 400 });
  // An error here is a response, not the end of the process.
  const traced = await new Promise((done) => request(baseURL, { method: "TRACE" }, done).end());
  assert.equal(traced.statusCode, 500);
  traced.resume();
  api.close();
  await assert.rejects(client.messages.create({ messages: [], ...ask }), /Connection error/);
});
