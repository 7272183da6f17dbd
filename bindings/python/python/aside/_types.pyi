"""The results. Written by `bindings/write_types.py` from `results.schema.json`."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from typing_extensions import NotRequired


class Finding(TypedDict):
    rule: str
    level: Literal["refused", "needs", "lossy", "unknown", "deprecated", "cost"]
    path: str
    found: str
    expected: str
    source: str


class NotChecked(TypedDict):
    topic: str
    count: int
    reason: str


class CheckResult(TypedDict):
    wire: str
    reason: str
    findings: list[Finding]
    not_checked: list[NotChecked]


class Excerpt(TypedDict):
    text: NotRequired[str]
    bytes: int
    hash: str


class Difference(TypedDict):
    path: str
    level: str | None
    byte_offset: int | None
    byte_offset_before: int | None
    value_offset: int
    before: Excerpt
    after: Excerpt
    cause: str
    is_json_equal: bool


ThinkingLoss = dict[str, Any]


class DiffResult(TypedDict):
    relation: str
    difference: Difference | None
    parameter: str | None
    lost_level: str | None
    lost_tokens: int
    is_unmarked: bool
    lost_cost: float | None
    prices_as_of: str | None
    thinking_lost: ThinkingLoss | None


class Usage(TypedDict):
    read: int
    write_5m: int
    write_1h: int
    write_other: NotRequired[int]
    write_12h: NotRequired[int]
    uncached: int
    fast: NotRequired[bool]


class Miss(TypedDict):
    reason: str
    detail: Any
    difference: Difference | None
    lost_tokens: int
    lost_cost: float | None
    unreached: NotRequired[Any]


class CacheVerdict(TypedDict):
    hit: Any
    usage: Usage
    cost: float | None
    prices_as_of: str | None
    markers: list[Any]
    miss: Miss | None
    parent: Any


class CacheRow(TypedDict):
    request: int
    at: float
    session: NotRequired[str]
    rules: str
    predicted: CacheVerdict
    recorded: NotRequired[Usage]
    thinking_lost: NotRequired[ThinkingLoss]


class ExplainResult(TypedDict):
    requests: list[CacheRow]


class PlannedMarker(TypedDict):
    path: str
    cache_control: NotRequired[dict[str, Any]]
    prompt_cache_breakpoint: NotRequired[dict[str, Any]]
    prompt_cache_key: NotRequired[str]
    reason: str


class PlanResult(TypedDict):
    markers: list[PlannedMarker]


class LayerSum(TypedDict):
    layer: str
    bytes: int
    tokens: int
    usage: Usage
    cost: float | None


class ReportMarker(TypedDict):
    path: str
    ttl: str
    tokens: int
    window_start: int
    effect: str | None


class ServerShare(TypedDict):
    name: str
    tools: int
    bytes: int
    tokens: int
    instructions: int
    never_called: list[str]
    deferrable_tokens: int


class ContextResult(TypedDict):
    wire: str
    model: str | None
    bytes: int
    tokens: int
    tokens_exact: int | None
    tokens_error_percent: int | None
    measured_error_percent: float | None
    usage: Usage
    cost: float | None
    prices_as_of: str | None
    window: int | None
    window_share: float | None
    cached_share: float
    json_bytes: int
    is_first: bool
    layers: list[LayerSum]
    markers: list[ReportMarker]
    hints: list[Any]
    servers: list[ServerShare]
    parts: dict[str, Any]


class ConvertResult(TypedDict):
    body: Any
    losses: list[Diagnostic]


class Diagnostic(TypedDict):
    severity: str
    code: str
    path: NotRequired[str]
    line: NotRequired[int]
    column: NotRequired[int]
    message: str


class InstructionFile(TypedDict):
    path: str
    kind: Literal["managed", "user", "project", "local", "auto_memory"]
    rule: bool
    reason: str
    globs: list[str]
    bytes: int
    text: str


class MemoryResult(TypedDict):
    text: str | None
    files: list[InstructionFile]
    diagnostics: list[Diagnostic]


class GitResult(TypedDict):
    text: str | None
    diagnostics: list[str]


class ModelsResult(TypedDict):
    as_of: str
    models: list[dict[str, Any]]

