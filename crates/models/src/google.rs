//! Google's models. Sources: Google's documentation for the Gemini API, and the model list in the
//! Python SDK 3.4.0. Prices, limits and dates are in `figures.txt`, except windows on which the
//! price maps disagree.

use crate::accepted::{Effort, Sampling};
use crate::date::Date;
use crate::facts::{Lifecycle, ModelFacts};
use crate::tokenizer::Tokenizer;
use crate::wire::{Tier, ToolSupport, Vendor, Wire, WireTools};

use Effort::{High, Low, Medium};

/// When all rows in this file were compared with their sources.
const AS_OF: Date = Date::new(2026, 11, 21);

/// Only the name is known.
pub(crate) const FAMILY: ModelFacts = ModelFacts {
    wires: &[WireTools::new(Wire::GenerateContent, ToolSupport::Accepted)],
    tokenizer: Some(Tokenizer::Gemini),
    source: "https://ai.google.dev/gemini-api/docs/models; google-genai (Python) 3.4.0",
    ..ModelFacts::unknown(Vendor::Google, AS_OF)
};

/// Generation 3 or later: signs its function calls and takes media in their results.
pub(crate) const SIGNING: ModelFacts =
    ModelFacts { media_in_results: Some(true), signed_calls: Some(true), ..FAMILY };

/// Generation 2.5: calls have no signatures, and function results no media.
const fn second(id: &'static str, name: &'static str, line: &'static str) -> ModelFacts {
    ModelFacts {
        cache_minimum: Some(2_048),
        media_in_results: Some(false),
        signed_calls: Some(false),
        ..FAMILY.row(id, name, line, (2, 5))
    }
}

/// Generation 3 or later.
const fn third(
    id: &'static str,
    name: &'static str,
    line: &'static str,
    generation: (u16, u16),
) -> ModelFacts {
    ModelFacts { cache_minimum: Some(4_096), ..SIGNING.row(id, name, line, generation) }
}

/// Generation 4: sampling parameters have no effect.
const fn fourth(id: &'static str, name: &'static str, line: &'static str) -> ModelFacts {
    ModelFacts {
        sampling: Some(Sampling::Ignored),
        less_certain: &["sampling"],
        ..third(id, name, line, (4, 0))
    }
}

/// For another purpose than conversation.
pub(crate) const SPECIAL: ModelFacts = ModelFacts { wires: &[], tokenizer: None, ..FAMILY };

/// A name that Google points at its newest model in a line.
///
/// Its facts change without notice, so a row has only those that all current models share.
const fn moving(id: &'static str) -> ModelFacts {
    ModelFacts {
        less_certain: &["media_in_results", "signed_calls"],
        ..SIGNING.row(id, id, "latest", (0, 0))
    }
}

/// The rows, newest first in each line. Models for images, speech, music and robots have rows only
/// when they have figures.
pub(crate) const MODELS: &[ModelFacts] = &[
    ModelFacts {
        stands_in_for: &[Tier::Opus, Tier::Sonnet],
        // The API's default; the price maps state no limit of their own.
        max_output: Some(65_536),
        efforts: Some(&[Low, Medium, High]),
        default_effort: Some(Medium),
        effort_none: Some(false),
        lifecycle: released(2026, 10, 13),
        ..fourth("gemini-4-argon", "Gemini 4 Argon", "argon")
    },
    ModelFacts {
        default_effort: Some(High),
        prefill: Some(false),
        cached_content: Some(false),
        less_certain: &["sampling", "default_effort", "prefill", "cached_content"],
        ..fourth("gemini-4-neon", "Gemini 4 Neon", "neon")
    },
    fourth("gemini-4-carbon", "Gemini 4 Carbon", "carbon"),
    fourth("gemini-4-hydrogen", "Gemini 4 Hydrogen", "hydrogen"),
    ModelFacts {
        stands_in_for: &[Tier::Haiku],
        context_window: Some(1_048_576),
        less_certain: &["context_window"],
        ..third("gemini-3.8-flash", "Gemini 3.8 Flash", "flash", (3, 8))
    },
    third("gemini-3.8-flash-lite", "Gemini 3.8 Flash-Lite", "flash-lite", (3, 8)),
    third("gemini-3.7-flash", "Gemini 3.7 Flash", "flash", (3, 7)),
    third("gemini-3.6-flash", "Gemini 3.6 Flash", "flash", (3, 6)),
    ModelFacts {
        context_window: Some(1_048_576),
        less_certain: &["context_window"],
        ..third("gemini-3.5-flash", "Gemini 3.5 Flash", "flash", (3, 5))
    },
    third("gemini-3.5-flash-lite", "Gemini 3.5 Flash-Lite", "flash-lite", (3, 5)),
    ModelFacts {
        aliases: &["gemini-3.1-pro"],
        ..third("gemini-3.1-pro-preview", "Gemini 3.1 Pro", "pro", (3, 1))
    },
    third(
        "gemini-3.1-pro-preview-customtools",
        "Gemini 3.1 Pro (custom tools)",
        "pro-customtools",
        (3, 1),
    ),
    third("gemini-3.1-flash-lite", "Gemini 3.1 Flash-Lite", "flash-lite", (3, 1)),
    ModelFacts {
        aliases: &["gemini-3-pro"],
        context_window: Some(1_048_576),
        max_output: Some(65_536),
        ..third("gemini-3-pro-preview", "Gemini 3 Pro", "pro", (3, 0))
    },
    ModelFacts {
        aliases: &["gemini-3-flash"],
        context_window: Some(1_048_576),
        ..third("gemini-3-flash-preview", "Gemini 3 Flash", "flash", (3, 0))
    },
    second("gemini-2.5-pro", "Gemini 2.5 Pro", "pro"),
    second("gemini-2.5-flash", "Gemini 2.5 Flash", "flash"),
    ModelFacts {
        context_window: Some(1_048_576),
        ..second("gemini-2.5-flash-lite", "Gemini 2.5 Flash-Lite", "flash-lite")
    },
    moving("gemini-flash-latest"),
    moving("gemini-flash-lite-latest"),
    moving("gemini-pro-latest"),
    SPECIAL.row(
        "gemini-robotics-er-1.6-preview",
        "gemini-robotics-er-1.6-preview",
        "special",
        (0, 0),
    ),
];

/// The day of general availability.
const fn released(year: u16, month: u8, day: u8) -> Lifecycle {
    Lifecycle { released: Some(Date::new(year, month, day)), ..Lifecycle::UNKNOWN }
}
