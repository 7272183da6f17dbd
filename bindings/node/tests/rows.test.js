// The rows of logs as an Arrow IPC stream, and watched clients of other SDKs.

import assert from "node:assert";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { GoogleGenAI } from "@google/genai";
import { rows, watch } from "aside-node";
import { tableFromIPC } from "apache-arrow";
import OpenAI from "openai";

test("rows are those of the log", async () => {
  const directory = mkdtempSync(join(tmpdir(), "aside-"));
  const usage = { input_tokens: 3, cache_creation_input_tokens: 9000 };
  const line = (id, minute) =>
    JSON.stringify({ type: "assistant", sessionId: "s", timestamp: `2026-11-01T00:0${minute}:00Z`, message: { id, model: "claude-haiku-4-5", usage } }) + "\n";
  writeFileSync(join(directory, "a.jsonl"), line("1", 0) + line("2", 9));
  const table = tableFromIPC(rows(directory));
  assert.equal(table.numRows, 2);
  assert.deepEqual(table.schema.fields.slice(0, 3).map((it) => it.name), ["time", "at", "agent"]);
  const [first, second] = table.toArray().map((it) => it.toJSON());
  assert.deepEqual([first.cause, second.cause], ["cold start", "expired"]);
  assert.equal(second.lost_tokens, 9000n);
  writeFileSync(join(directory, "damaged.jsonl"), '{"type":');
  const warned = once(process, "warning");
  assert.equal(tableFromIPC(rows(directory)).numRows, 2);
  const [{ name, message }] = await warned;
  assert.equal(name, "AsideWarning");
  assert.match(message, /damaged\.jsonl: line 1: /);
  assert.throws(() => rows(join(directory, "missing.jsonl")), { name: "AsideError", kind: "local" });
  assert.throws(() => rows(directory, { format: "soap" }), { kind: "option" });
});

test("a client of OpenAI is watched", async () => {
  const reply = { choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }] };
  const client = new OpenAI({ apiKey: "none", fetch: async () => Response.json(reply) });
  const watched = watch(client);
  await client.chat.completions.create({ model: "gpt-5.5", messages: [{ role: "user", content: "Hi" }] });
  assert.equal(JSON.parse(watched.requests[0]).model, "gpt-5.5");
  assert.equal(watched.report().requests.length, 1);
});

test("only addresses for messages are recorded", async () => {
  const client = { fetch: async () => Response.json({}) };
  const watched = watch(client);
  const paths = {
    "/v1/messages?beta=true": 1,
    "/v1/messages/count_tokens": 0,
    "/v1/threads/t1/messages": 0,
    "/v1/responses": 1,
    "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse": 1,
    "/v1beta/models/gemini-2.5-pro:batchGenerateContent": 0,
    "/v1/publishers/anthropic/models/count-tokens:rawPredict": 0,
    "/model/anthropic.claude-opus-4-6-v1%3A0/invoke": 1,
    "/model/anthropic.claude-opus-4-6-v1%3A0/invoke-with-response-stream": 1,
  };
  for (const [path, count] of Object.entries(paths)) {
    const before = watched.requests.length;
    await client.fetch(`https://localhost${path}`, { method: "POST", body: "{}" });
    assert.equal(watched.requests.length - before, count, path);
  }
});

test("a client of Google is watched", async (context) => {
  const reply = { candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] } }] };
  context.mock.method(globalThis, "fetch", async () => Response.json(reply));
  const client = new GoogleGenAI({ apiKey: "none" });
  const watched = watch(client);
  await client.models.generateContent({ model: "gemini-2.5-pro", contents: "Hi" });
  assert.equal(JSON.parse(watched.requests[0]).contents[0].parts[0].text, "Hi");
});
