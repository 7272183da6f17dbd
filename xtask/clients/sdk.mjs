// The Anthropic SDK for TypeScript against a server at ANTHROPIC_BASE_URL.
// Prints the number of requests that it sent.

import Anthropic from "@anthropic-ai/sdk";
import assert from "node:assert/strict";

const model = "claude-opus-5-5";
const tools = [
  {
    name: "read_file",
    description: "Reads a file.",
    input_schema: {
      type: "object",
      properties: { path: { type: "string" } },
      required: ["path"],
    },
  },
];
const system = [
  {
    type: "text",
    text: "Be careful with the files of the user. ".repeat(200),
    cache_control: { type: "ephemeral" },
  },
];
const client = new Anthropic({ apiKey: "none", maxRetries: 4 });
let requests = 0;
const messages = [{ role: "user", content: [{ type: "text", text: "Read a file. ".repeat(50) }] }];
for (let turn = 0; turn < 6; turn += 1) {
  const last = messages.at(-1);
  const content = last.content.map((block, index) =>
    index === last.content.length - 1
      ? { ...block, cache_control: { type: "ephemeral" } }
      : block,
  );
  const sent = [...messages.slice(0, -1), { ...last, content }];
  const request = { model, max_tokens: 1024, system, tools, messages: sent };
  const answer =
    turn % 2
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
  requests += 1;
  if (turn > 0) assert.ok(answer.usage.cache_read_input_tokens > 0);
  messages.push({ role: "assistant", content: answer.content });
  const results = answer.content
    .filter((block) => block.type === "tool_use")
    .map((block) => ({
      type: "tool_result",
      tool_use_id: block.id,
      content: [{ type: "text", text: `The text of ${block.input.path}. `.repeat(40) }],
    }));
  messages.push({
    role: "user",
    content: results.length > 0 ? results : [{ type: "text", text: `Go on, ${turn}.` }],
  });
}
const counted = await client.messages.countTokens({ model, system, tools, messages });
assert.ok(counted.input_tokens > 1000);
requests += 1;
const models = await client.models.list();
assert.ok(models.data.some((it) => it.id === model));
console.log(requests);
