// The results. Written by `bindings/write_types.py` from `results.schema.json`.

export interface Finding {
  /** The id of the rule, which is stable. */
  rule: string;
  level: "refused" | "needs" | "lossy" | "unknown" | "deprecated" | "cost";
  /** The JSON path; empty for the whole body. */
  path: string;
  found: string;
  expected: string;
  source: string;
}

export interface NotChecked {
  topic: string;
  count: number;
  reason: string;
}

export interface CheckResult {
  wire: string;
  /** What decided the wire. */
  reason: string;
  findings: Finding[];
  not_checked: NotChecked[];
}

export interface Excerpt {
  text?: string;
  bytes: number;
  hash: string;
}

export interface Difference {
  path: string;
  level: string | null;
  /** In the later body; null for a model that only the path of the request names. */
  byte_offset: number | null;
  byte_offset_before: number | null;
  value_offset: number;
  before: Excerpt;
  after: Excerpt;
  cause: string;
  is_json_equal: boolean;
}

export type ThinkingLoss = Record<string, unknown>;

export interface DiffResult {
  relation: string;
  difference: Difference | null;
  parameter: string | null;
  lost_level: string | null;
  lost_tokens: number;
  /** True if the earlier request has no cache marker. */
  is_unmarked: boolean;
  /** In US dollars. */
  lost_cost: number | null;
  prices_as_of: string | null;
  thinking_lost: ThinkingLoss | null;
}

export interface Usage {
  read: number;
  write_5m: number;
  write_1h: number;
  /** Written for another time (OpenAI), if any. */
  write_other?: number;
  /** Those of `write_other` that are kept for 12 hours, if any. */
  write_12h?: number;
  uncached: number;
  /** True if billed at the prices of fast mode. */
  fast?: boolean;
}

export interface Miss {
  reason: string;
  detail: unknown;
  difference: Difference | null;
  lost_tokens: number;
  lost_cost: number | null;
  unreached?: unknown;
}

export interface CacheVerdict {
  hit: unknown;
  usage: Usage;
  /** In US dollars. */
  cost: number | null;
  prices_as_of: string | null;
  markers: unknown[];
  miss: Miss | null;
  parent: unknown;
}

export interface CacheRow {
  /** Its number, from 1. */
  request: number;
  /** In seconds. */
  at: number;
  session?: string;
  rules: string;
  predicted: CacheVerdict;
  recorded?: Usage;
  thinking_lost?: ThinkingLoss;
}

export interface ExplainResult {
  requests: CacheRow[];
}

export interface PlannedMarker {
  path: string;
  cache_control?: Record<string, unknown>;
  prompt_cache_breakpoint?: Record<string, unknown>;
  prompt_cache_key?: string;
  reason: string;
}

export interface PlanResult {
  markers: PlannedMarker[];
}

export interface LayerSum {
  layer: string;
  bytes: number;
  tokens: number;
  usage: Usage;
  cost: number | null;
}

export interface ReportMarker {
  path: string;
  ttl: string;
  /** In the prefix that it ends. */
  tokens: number;
  window_start: number;
  effect: string | null;
}

export interface ServerShare {
  name: string;
  tools: number;
  bytes: number;
  tokens: number;
  instructions: number;
  never_called: string[];
  deferrable_tokens: number;
}

export interface ContextResult {
  wire: string;
  model: string | null;
  bytes: number;
  tokens: number;
  tokens_exact: number | null;
  tokens_error_percent: number | null;
  measured_error_percent: number | null;
  usage: Usage;
  cost: number | null;
  prices_as_of: string | null;
  window: number | null;
  window_share: number | null;
  cached_share: number;
  /** Bytes of JSON around content. */
  json_bytes: number;
  is_first: boolean;
  layers: LayerSum[];
  markers: ReportMarker[];
  hints: unknown[];
  servers: ServerShare[];
  parts: Record<string, unknown>;
}

export interface ConvertResult {
  /** In the type of the input. */
  body: unknown;
  losses: Diagnostic[];
}

export interface Diagnostic {
  severity: string;
  code: string;
  path?: string;
  line?: number;
  column?: number;
  message: string;
}

export interface InstructionFile {
  path: string;
  kind: "managed" | "user" | "project" | "local" | "auto_memory";
  rule: boolean;
  reason: string;
  globs: string[];
  bytes: number;
  text: string;
}

export interface MemoryResult {
  /** As the model gets it. */
  text: string | null;
  files: InstructionFile[];
  diagnostics: Diagnostic[];
}

export interface GitResult {
  /** Null outside of a repository. */
  text: string | null;
  diagnostics: string[];
}

export interface ModelsResult {
  as_of: string;
  models: Record<string, unknown>[];
}

