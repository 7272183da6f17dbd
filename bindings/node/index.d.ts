import type {
  CacheRow, CheckResult, ContextResult, ConvertResult, DiffResult, ExplainResult, GitResult,
  MemoryResult, ModelsResult, PlanResult,
} from "./results.js";

export * from "./results.js";

/** A body: an object, its JSON, or its bytes. */
export type Body = object | string | Uint8Array | ArrayBufferView | ArrayBuffer;

export interface CheckOptions {
  wire?: "messages" | "chat-completions" | "responses" | "generate-content";
  model?: string;
  platform?: string;
  /** The betas that are sent; without the option they are unknown. */
  betas?: string[];
}

/** An input, an option or a file is at fault. */
export class AsideError extends Error {
  kind: "syntax" | "shape" | "option" | "refused" | "local" | "panic";
  /** The JSON path or the file; empty for the whole input. */
  path: string;
  /** The line of a text that is not JSON, from 1. */
  line: number | null;
}

export function check(body: Body, options?: CheckOptions & { apiVersion?: string }): CheckResult;
export function diff(before: Body, after: Body): DiffResult;
export function explain(requests: Iterable<Body>, options?: { every?: number; at?: number[]; latency?: number }): ExplainResult;
export class CacheModel {
  send(body: Body, options?: { at?: number; usage?: object; session?: string; latency?: number }): CacheRow;
}
export function plan(body: Body, options?: { ttl?: "5m" | "1h" }): PlanResult;
/** A view that is no `Uint8Array` comes back as one. */
export function mark<B extends Body>(
  body: B,
  options?: { ttl?: "5m" | "1h" },
): B extends Uint8Array ? B : B extends ArrayBufferView ? Uint8Array : B;
export function inject<M extends object[] | string | Uint8Array>(messages: M, reminder: string): M;
export function neutralize(text: string): string;
export function context(body: Body, options?: { depth?: number }): ContextResult;
export function readable(body: Body): string;
export function convert(
  body: Body,
  options: { to: string; from?: string; model?: string; betas?: string[]; sessionId?: string },
): ConvertResult;
export function convertStream(stream: string | Uint8Array, options: { from: string }): object[];
export function memory(directory: string, options?: { agent?: string; home?: string }): MemoryResult;
export function gitState(directory: string): GitResult;
/**
 * Returns the rows of `aside report --rows` of logs as an Arrow IPC stream. What cannot be read of a
 * log is a process warning, `AsideWarning`, and the rest is read.
 */
export function rows(paths: string | string[], options?: { format?: string }): Uint8Array;
export function models(...ids: string[]): ModelsResult;
export function estimate(text: string, model: string): number;

/** Fails if the API would refuse the body. */
export function assertAccepted(body: Body, options?: CheckOptions): void;
/** Fails if a request changes the prefix that an earlier one left in the cache. */
export function assertNoCacheMiss(requests: Iterable<Body>, options?: { every?: number }): void;
/** Fails unless `after` repeats `before` and continues it. */
export function assertPrefixStable(before: Body, after: Body, options?: { allowAfterMarker?: boolean }): void;
/** Fails if a body differs in meaning from a recorded one. */
export function assertSameMeaning(recorded: Body, sent: Body, options?: { ignore?: string[]; ignoreText?: string[] }): void;
/** Compares a body with a golden file of readable text. `ASIDE_BLESS=1` writes the file. */
export function assertGolden(body: Body, path: string, options?: { bless?: boolean }): void;

/** The strict Messages API in process. */
export class Api {
  /** The bodies that were sent. */
  requests: Uint8Array[];
  /** The `fetch` of a client of an SDK. */
  fetch: typeof globalThis.fetch;
  /** Adds a response: texts, or content blocks such as a `tool_use` without an id. A refused request leaves it to the next one. */
  reply(...blocks: (string | object)[]): this;
  /** Listens on a loopback port, for a client that takes no `fetch`, and returns the address. */
  listen(): Promise<string>;
  /** Stops listening. */
  close(): void;
}

export interface Watch {
  requests: string[];
  report(): ExplainResult;
  readonly misses: CacheRow[];
  readonly findings: (CheckResult["findings"][number] & { request: number })[];
}
/** Records the requests of a client in memory. Nothing is sent anywhere. */
export function watch(client: object, options?: { bodies?: number }): Watch;
