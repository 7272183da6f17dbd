// The SDKs of OpenAI and Google for TypeScript against servers at OPENAI_BASE_URL and
// GOOGLE_GEMINI_BASE_URL: Responses, Chat Completions and generateContent.
// Prints the number of requests that it sent.

import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import assert from "node:assert/strict";

const parameters = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
};
const instructions = "Be careful with the files of the user. ".repeat(900);
const task = "Read a file. ".repeat(50);
const text = "A text. ".repeat(40);
let requests = 0;

async function responses(client) {
  const tools = [{ type: "function", name: "read_file", strict: false, parameters }];
  const input = [
    { role: "developer", content: instructions },
    { role: "user", content: task },
  ];
  for (let turn = 0; turn < 4; turn += 1) {
    const request = { model: "gpt-6.2-sol", input, tools, store: false, prompt_cache_key: "wires" };
    const answer =
      turn % 2
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
    requests += 1;
    if (turn > 0) assert.ok(answer.usage.input_tokens_details.cached_tokens > 0);
    input.push(...answer.output.map(({ parsed_arguments, ...item }) => item));
    const calls = answer.output.filter((item) => item.type === "function_call");
    input.push(
      ...calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: text })),
    );
    if (calls.length === 0) input.push({ role: "user", content: `Go on, ${turn}.` });
  }
  requests += 1;
  await assert.rejects(client.responses.create({ model: "gpt-0", input: "Hello." }), {
    status: 404,
    code: "model_not_found",
  });
}

async function chat(client) {
  const tools = [{ type: "function", function: { name: "read_file", parameters } }];
  const messages = [
    { role: "system", content: instructions },
    { role: "user", content: task },
  ];
  for (let turn = 0; turn < 4; turn += 1) {
    const request = { model: "gpt-5.2", messages, tools };
    const answer =
      turn % 2
        ? await client.chat.completions
            .stream({ ...request, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await client.chat.completions.create(request);
    requests += 1;
    if (turn > 0) assert.ok(answer.usage.prompt_tokens_details.cached_tokens > 0);
    const { content, tool_calls: calls = [] } = answer.choices[0].message;
    const sent = calls.map(({ id, function: { name, arguments: json } }) => ({
      id,
      type: "function",
      function: { name, arguments: json },
    }));
    messages.push({ role: "assistant", content, ...(sent.length > 0 && { tool_calls: sent }) });
    messages.push(...sent.map(({ id }) => ({ role: "tool", tool_call_id: id, content: text })));
    if (sent.length === 0) messages.push({ role: "user", content: `Go on, ${turn}.` });
  }
}

async function gemini(client) {
  const model = "gemini-3.6-flash";
  const config = {
    systemInstruction: instructions,
    tools: [{ functionDeclarations: [{ name: "read_file", parametersJsonSchema: parameters }] }],
  };
  const contents = [{ role: "user", parts: [{ text: task }] }];
  for (let turn = 0; turn < 4; turn += 1) {
    const request = { model, contents, config };
    const answers = [];
    if (turn % 2) {
      for await (const answer of await client.models.generateContentStream(request)) {
        answers.push(answer);
      }
    } else {
      answers.push(await client.models.generateContent(request));
    }
    requests += 1;
    if (turn > 0) assert.ok(answers.at(-1).usageMetadata.cachedContentTokenCount > 0);
    const parts = answers.flatMap((answer) => answer.candidates[0].content.parts);
    contents.push({ role: "model", parts: parts.filter((part) => part.text !== "") });
    const outputs = parts
      .filter((part) => part.functionCall)
      .map(({ functionCall: { id, name } }) => ({
        functionResponse: { id, name, response: { output: text } },
      }));
    contents.push({
      role: "user",
      parts: outputs.length > 0 ? outputs : [{ text: `Go on, ${turn}.` }],
    });
  }
}

const client = new OpenAI({ apiKey: "none", maxRetries: 4 });
await responses(client);
await chat(client);
await gemini(
  new GoogleGenAI({
    apiKey: "none",
    httpOptions: { baseUrl: process.env.GOOGLE_GEMINI_BASE_URL },
  }),
);
console.log(requests);
