//! xAI's models. Source: xAI's documentation for its models and for the Responses API. Facts that
//! it does not state are left out; prices and windows are in `figures.txt`.

use crate::date::Date;
use crate::facts::ModelFacts;
use crate::wire::{Tier, ToolSupport, Vendor, Wire, WireTools};

/// When all rows in this file were compared with their source.
const AS_OF: Date = Date::new(2026, 11, 21);

/// Only the name is known.
pub(crate) const FAMILY: ModelFacts = ModelFacts {
    source: "https://docs.x.ai/docs/models",
    wires: &[
        WireTools::new(Wire::Responses, ToolSupport::Accepted),
        WireTools::new(Wire::ChatCompletions, ToolSupport::Accepted),
    ],
    ..ModelFacts::unknown(Vendor::Xai, AS_OF)
};

/// In the line `grok`; a row may name another line.
const fn model(id: &'static str, name: &'static str, generation: (u16, u16)) -> ModelFacts {
    FAMILY.row(id, name, "grok", generation)
}

/// The rows, newest first. One model stands in for all three Claude lines.
pub(crate) const MODELS: &[ModelFacts] = &[
    model("grok-4.7", "Grok 4.7", (4, 7)),
    model("grok-4.6", "Grok 4.6", (4, 6)),
    ModelFacts {
        stands_in_for: &[Tier::Opus, Tier::Sonnet, Tier::Haiku],
        ..model("grok-4.5", "Grok 4.5", (4, 5))
    },
    model("grok-4.3", "Grok 4.3", (4, 3)),
    ModelFacts { aliases: &["grok-4.20-reasoning"], ..model("grok-4.20", "Grok 4.20", (4, 2)) },
    ModelFacts {
        line: "grok-non-reasoning",
        ..model("grok-4.20-non-reasoning", "Grok 4.20 non-reasoning", (4, 2))
    },
    model("grok-4", "Grok 4", (4, 0)),
    ModelFacts { line: "grok-fast", ..model("grok-4-fast", "Grok 4 Fast", (4, 0)) },
    ModelFacts {
        line: "grok-code-fast",
        aliases: &["grok-code-fast"],
        ..model("grok-code-fast-1", "Grok Code Fast 1", (1, 0))
    },
    model("grok-3", "Grok 3", (3, 0)),
];
