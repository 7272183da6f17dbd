// Values of JavaScript to bytes and back; the functions are in the native module.
//
// A body is an object, a string, or bytes (a Uint8Array, or another view or an ArrayBuffer). Byte offsets in results are those of the
// UTF-8 of a string or bytes; an object is written by JSON.stringify, as the SDKs write it.

import { AssertionError } from "node:assert";
import { once } from "node:events";
import { mkdirSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { types } from "node:util";

import { platform } from "./platform.js";

const require = createRequire(import.meta.url);
const native = require(`./aside.${platform}.node`);

/** An input, an option or a file is at fault. */
export class AsideError extends Error {
  constructor({ kind, message, path, line }) {
    super(message);
    Object.assign(this, { name: "AsideError", kind, path, line });
  }
}

function fail(kind, message) {
  throw new AsideError({ kind, message, path: "", line: null });
}

const isBytes = (value) => ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value);

/** Returns true for what JSON.stringify writes as `{}`, or as its own state, though it has a value. */
function isLost(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  if (typeof value.then === "function") return true;
  const above = Object.getPrototypeOf(value);
  const isPlain = above === null || Object.getPrototypeOf(above) === null;
  return !isPlain && typeof value.toJSON !== "function" && Object.keys(value).length === 0;
}

function bytes(value) {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (isBytes(value)) return Buffer.from(value);
  if (isLost(value)) fail("shape", `a ${value.constructor?.name ?? "value"} is no JSON: pass what it has`);
  try {
    return Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
  } catch (error) {
    fail("shape", error.message);
  }
}

function text(value) {
  if (typeof value !== "string" && !isBytes(value)) fail("option", `expected text, found ${value === null ? "null" : typeof value}`);
  return value;
}

/** Refuses what JSON.stringify would write as null: an option would be the default then. */
function finite(_, value) {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${value} is no number in JSON`);
  return value;
}

/** Writes the options, in the names of the native module: `apiVersion` is `api_version` there. */
function options(given) {
  const snake = (name) => name.replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`);
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const written = set.map(([name, value]) => {
    try {
      return `${JSON.stringify(snake(name))}:${JSON.stringify(value, finite)}`;
    } catch (error) {
      fail("option", `${name}: ${error.message}`);
    }
  });
  return Buffer.from(written.length ? `{${written}}` : "");
}

function raising(run) {
  try {
    return run();
  } catch (error) {
    if (error instanceof AsideError) throw error;
    if (error.message?.startsWith("{")) throw new AsideError(JSON.parse(error.message));
    // The native module refuses an argument of another type.
    fail("option", error.message);
  }
}

/** Returns the bodies of a list. The letters of a string would hide the mistake. */
function list(values) {
  if (typeof values === "string" || isBytes(values) || typeof values?.[Symbol.iterator] !== "function") {
    fail("option", "expected a list of bodies");
  }
  return [...values];
}

const facts = (output) => JSON.parse(output.json.toString());
const output = (name, inputs, given) => raising(() => native.call(name, inputs.map(bytes), options(given)));
const call = (name, inputs, given) => facts(output(name, inputs, given));

/** Returns the body of an output in the type of the input. */
function like(given, body) {
  if (types.isAnyArrayBuffer(given)) return body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength);
  if (isBytes(given)) return body;
  return typeof given === "string" ? body.toString() : JSON.parse(body.toString());
}

/** Returns the rows of `aside report --rows` of logs as an Arrow IPC stream. */
export function rows(paths, given) {
  const output = raising(() => native.rows([paths].flat(), given?.format));
  for (const fault of facts(output)) process.emitWarning(fault, "AsideWarning");
  return output.body;
}

/** Returns what the API would refuse, and what costs or reads badly. */
export const check = (body, given) => call("check", [body], given);

/** Compares two bodies as a prompt cache does. */
export const diff = (before, after) => call("diff", [before, after]);

/** Returns what the cache reads and writes for each request, in the order of the times `at`, and why it misses. */
export const explain = (requests, given) => call("explain", list(requests), given);

/** The prompt cache of a provider, to which you send one request after the other. */
export class CacheModel {
  #model = new native.CacheModel();

  send(body, given) {
    return facts(raising(() => this.#model.send(bytes(body), options(given))));
  }
}

/** Returns the cache markers that Aside would set, with reasons. */
export const plan = (body, given) => call("plan", [body], given);

/** Returns the body with the markers of `plan`, in the type of the input. */
export const mark = (body, given) => like(body, output("mark", [body], given).body);

/** Returns the messages with a reminder in the last user message; those of OpenAI with one in a message at the end. */
export const inject = (messages, reminder) => like(messages, output("inject", [messages, text(reminder)]).body);

/** Returns text from outside in a form that neither opens nor closes a reminder. */
export const neutralize = (value) => output("neutralize", [text(value)]).body.toString();

/** Returns the parts of a body, which sum to it. */
export const context = (body, given) => call("context", [body], given);

/** Returns a body as lines of text, as `assertGolden` writes them. */
export const readable = (body) => output("readable", [body]).body.toString();

/** Returns the `body` for another provider, and the `losses` of the conversion. */
export function convert(body, given) {
  const found = output("convert", [body], given);
  return { body: like(body, found.body), ...facts(found) };
}

/** Returns a recorded stream of server-sent events as events of the Messages API. */
export const convertStream = (stream, given) => call("convert_stream", [text(stream)], given);

/** Returns the instruction files of a directory. Nothing outside of it is read without `home`. */
export const memory = (directory, given) => call("memory", [text(directory)], given);

/** Returns the state of the repository as text for a model. */
export const gitState = (directory) => call("git_state", [text(directory)]);

/** Returns the facts and prices of models; without ids, of all. */
export const models = (...ids) => call("models", [], { ids });

/** Returns the estimated tokens of a text for a model. */
export const estimate = (value, model) => call("estimate", [text(value)], { model }).tokens;

function assertion(name, inputs, given, caller) {
  const { message } = call(name, inputs, given);
  if (message !== null) throw new AssertionError({ message, stackStartFn: caller });
}

/** Fails if the API would refuse the body. */
export function assertAccepted(body, given) {
  assertion("accepted", [body], given, assertAccepted);
}

/** Fails if a request changes the prefix that an earlier one left in the cache. */
export function assertNoCacheMiss(requests, given) {
  assertion("no_cache_miss", list(requests), given, assertNoCacheMiss);
}

/** Fails unless `after` repeats `before` and continues it. */
export function assertPrefixStable(before, after, given) {
  assertion("prefix_stable", [before, after], given, assertPrefixStable);
}

/** Fails if a body differs in meaning from a recorded one. */
export function assertSameMeaning(recorded, sent, given) {
  assertion("same_meaning", [recorded, sent], given, assertSameMeaning);
}

/** Compares a body with a golden file of readable text. `ASIDE_BLESS=1` writes the file. */
export function assertGolden(body, path, given) {
  const text = readable(body);
  const differs = (message) => {
    throw new AssertionError({ message, stackStartFn: assertGolden });
  };
  let expected;
  try {
    if (given?.bless ?? !["", "0", undefined].includes(process.env.ASIDE_BLESS)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return;
    }
    if (existsSync(path)) expected = readFileSync(path);
  } catch (error) {
    const kind = error.code?.startsWith("ERR_") ? "option" : "local";
    throw new AsideError({ kind, message: error.message, path: String(path), line: null });
  }
  if (expected === undefined) differs(`${path} does not exist: write it with ASIDE_BLESS=1, and review it`);
  const { message } = call("golden", [body, expected]);
  if (message === null) return;
  const [before, after] = [expected.toString(), text].map((it) => it.trimEnd().split(/\r?\n/));
  const line = before.findIndex((it, index) => it !== after[index]);
  const at = line < 0 ? before.length : line;
  differs(
    `${message}\n${path}, line ${at + 1}\n` +
      `- ${before[at] ?? "nothing"}\n+ ${after[at] ?? "nothing"}\n` +
      "if this is intended, run with ASIDE_BLESS=1 and review the change",
  );
}

/** The strict Messages API in process: `fetch` for a client of an SDK. Nothing is sent. */
export class Api {
  #api = new native.StrictApi();
  #server;
  /** The bodies that were sent. */
  requests = [];

  /** Adds a response: texts, or content blocks such as a `tool_use` without an id. A refused request leaves it to the next one. */
  reply(...blocks) {
    const texts = blocks.map((it) => (typeof it === "string" ? { type: "text", text: it } : it));
    raising(() => this.#api.reply(bytes(texts)));
    return this;
  }

  fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = Buffer.from(await request.arrayBuffer());
    const path = new URL(request.url).pathname;
    if (path === "/v1/messages") this.requests.push(body);
    const found = raising(() =>
      this.#api.answer(
        body,
        options({
          path,
          version: request.headers.get("anthropic-version") ?? "",
          betas: request.headers.get("anthropic-beta"),
        }),
      ),
    );
    const { status, content_type, request_id } = facts(found);
    const headers = { "content-type": content_type, "request-id": request_id };
    return new Response(found.body, { status, headers });
  };

  /** Listens on a loopback port, for a client that takes no `fetch`, and returns the address. */
  async listen() {
    this.#server ??= createServer((request, response) => this.#respond(request, response))
      .listen(0, "127.0.0.1")
      .unref();
    const server = this.#server;
    if (!server.listening) await once(server, "listening");
    return `http://127.0.0.1:${server.address().port}`;
  }

  async #respond(request, response) {
    try {
      const body = Buffer.concat(await request.toArray());
      const { method, url, headers } = request;
      const sent = { method, headers, body: method === "POST" ? body : undefined };
      const reply = await this.fetch(`http://127.0.0.1${url}`, sent);
      response.writeHead(reply.status, Object.fromEntries(reply.headers));
      response.end(Buffer.from(await reply.arrayBuffer()));
    } catch (error) {
      // Nobody awaits this: without a response, the error would end the process.
      response.writeHead(500, { "content-type": "text/plain" }).end(String(error));
    }
  }

  /** Stops listening. */
  close() {
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = undefined;
  }
}

// On Google Cloud, a Claude model is called by :rawPredict or :streamRawPredict; a message of a thread
// is no request. As in `_http.py`.
const REQUEST =
  /^(?!.*\/threads\/[^/]+\/messages$).*(\/messages|\/responses|\/chat\/completions|:(g|streamG)enerateContent|(?<!\/count-tokens):(r|streamR)awPredict|\/model\/[^/]+\/invoke(-with-response-stream)?)$/;
const isRequest = (url) => REQUEST.test(url.split("?")[0]);

/** Records the requests of a client of an SDK in memory. Nothing is sent anywhere. */
export function watch(client, given) {
  const bodies = given?.bodies ?? 1000;
  // The SDKs of Anthropic and OpenAI keep the `fetch` that they were given, that of Google calls
  // the global one in a method.
  const places = [[client, "fetch"], [client?.apiClient, "apiCall"]];
  const [owner, name] = places.find(([it, key]) => typeof it?.[key] === "function") ?? [];
  if (!owner) fail("option", "the client has no fetch: pass one of the SDKs' clients");
  const sent = owner[name];
  const watched = new Watch();
  owner[name] = (input, init, ...others) => {
    const url = String(input?.url ?? input);
    if (typeof init?.body === "string" && isRequest(url)) watched.record(init.body, bodies);
    return sent.call(owner, input, init, ...others);
  };
  return watched;
}

class Watch {
  requests = [];
  #times = [];

  record(body, bodies) {
    this.requests.push(body);
    this.#times.push(performance.now() / 1000);
    if (this.requests.length > bodies) {
      this.requests.shift();
      this.#times.shift();
    }
  }

  /**
   * Returns `explain` of the requests, at the times when they were sent. A request counts as
   * answered at once, as a mocked one is.
   */
  report() {
    return explain(this.requests, { at: this.#times.map((time) => time - this.#times[0]), latency: 0 });
  }

  /** The rows of the requests that miss the cache. */
  get misses() {
    return this.report().requests.filter((row) => row.predicted.miss);
  }

  /** The findings of all requests, each with the number of its request, from 1. */
  get findings() {
    const found = (body, index) =>
      check(body).findings.map((finding) => ({ request: index + 1, ...finding }));
    return this.requests.flatMap(found);
  }
}
