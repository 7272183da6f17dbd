//! OpenAI's models. Sources: OpenAI's documentation for its models, the Responses API and
//! deprecations, and the model lists in the Python SDK 3.54.0. Prices, limits and dates are in
//! `figures.txt`, except a window on which the price maps disagree, and the prices of models that
//! they do not have yet.

use crate::accepted::Effort::{High, Low, Max, Medium, XHigh};
use crate::accepted::Sampling;
use crate::date::Date;
use crate::facts::ModelFacts;
use crate::price::{Price, PriceBand};
use crate::tokenizer::Tokenizer;
use crate::wire::{Tier, ToolSupport, Vendor, Wire, WireTools};

/// When all rows in this file were compared with their sources.
const AS_OF: Date = Date::new(2026, 11, 21);

/// Tools on both wires.
const BOTH: &[WireTools] = &[
    WireTools::new(Wire::Responses, ToolSupport::Accepted),
    WireTools::new(Wire::ChatCompletions, ToolSupport::Accepted),
];
/// Tools on Chat Completions only without reasoning.
const RESPONSES_TO_REASON: &[WireTools] = &[
    WireTools::new(Wire::Responses, ToolSupport::Accepted),
    WireTools::new(Wire::ChatCompletions, ToolSupport::WithoutReasoning),
];
/// Tools on Responses only.
const RESPONSES: &[WireTools] = &[
    WireTools::new(Wire::Responses, ToolSupport::Accepted),
    WireTools::new(Wire::ChatCompletions, ToolSupport::Refused),
];

/// Before GPT-4o, with an earlier tokenizer.
pub(crate) const EARLY: ModelFacts = ModelFacts { tokenizer: None, efforts: Some(&[]), ..FAMILY };

/// On Responses, without other documented facts.
pub(crate) const RESPONSES_ONLY: ModelFacts =
    ModelFacts { wires: &[WireTools::new(Wire::Responses, ToolSupport::Unknown)], ..FAMILY };

/// Only the name is known.
pub(crate) const FAMILY: ModelFacts = ModelFacts {
    tokenizer: Some(Tokenizer::O200k),
    source: "https://platform.openai.com/docs/models and /docs/deprecations; \
             openai (Python) 3.54.0",
    ..ModelFacts::unknown(Vendor::OpenAi, AS_OF)
};

/// The prompt cache finds prefixes by itself, from 1,024 tokens on, and caches instructions like
/// the rest of the prompt.
const fn model(
    id: &'static str,
    name: &'static str,
    line: &'static str,
    generation: (u16, u16),
) -> ModelFacts {
    ModelFacts {
        cache_minimum: Some(1_024),
        turn_scoped_instructions: Some(false),
        cache_breakpoints: Some(false),
        ..FAMILY.row(id, name, line, generation)
    }
}

/// The o-series: a `developer` message, no sampling parameters.
const fn o_series(id: &'static str, generation: u16) -> ModelFacts {
    ModelFacts {
        wires: BOTH,
        developer_role: Some(true),
        sampling: Some(Sampling::Refused),
        ..model(id, id, "o", (generation, 0))
    }
}

/// GPT-4.1: a window of about a million tokens, sampling parameters accepted, no reasoning.
const fn four_one(id: &'static str, name: &'static str, line: &'static str) -> ModelFacts {
    ModelFacts {
        wires: BOTH,
        context_window: Some(1_047_576),
        efforts: Some(&[]),
        sampling: Some(Sampling::Accepted),
        ..model(id, name, line, (4, 1))
    }
}

/// GPT-4o: sampling parameters accepted, no reasoning.
const fn four_o(id: &'static str, name: &'static str, line: &'static str) -> ModelFacts {
    ModelFacts {
        wires: BOTH,
        efforts: Some(&[]),
        sampling: Some(Sampling::Accepted),
        ..model(id, name, line, (4, 0))
    }
}

const fn five(id: &'static str, name: &'static str, line: &'static str) -> ModelFacts {
    ModelFacts { wires: BOTH, sampling: Some(Sampling::Refused), ..model(id, name, line, (5, 0)) }
}

/// Before 5.4: takes tools on both wires.
const fn both(id: &'static str, name: &'static str, line: &'static str, minor: u16) -> ModelFacts {
    ModelFacts { wires: BOTH, less_certain: &["wires"], ..model(id, name, line, (5, minor)) }
}

/// Generation 5 from 5.4 on: on Chat Completions it takes tools only with effort `none`.
const fn five_four_on(
    id: &'static str,
    name: &'static str,
    line: &'static str,
    minor: u16,
) -> ModelFacts {
    ModelFacts {
        wires: RESPONSES_TO_REASON,
        effort_none: Some(true),
        ..model(id, name, line, (5, minor))
    }
}

/// Generation 5.6: has explicit cache breakpoints.
const fn five_six(id: &'static str, name: &'static str, line: &'static str) -> ModelFacts {
    ModelFacts { cache_breakpoints: Some(true), ..five_four_on(id, name, line, 6) }
}

/// Generation 6: tools on Responses only, no sampling parameters.
const fn six(id: &'static str, name: &'static str, line: &'static str, minor: u16) -> ModelFacts {
    ModelFacts {
        wires: RESPONSES,
        sampling: Some(Sampling::Refused),
        cache_breakpoints: Some(true),
        ..model(id, name, line, (6, minor))
    }
}

/// Generation 6 from 6.2 on: drops reasoning whose prefix changed.
const fn six_two(id: &'static str, name: &'static str, line: &'static str) -> ModelFacts {
    ModelFacts {
        bound_to_prefix: Some(true),
        effort_none: Some(false),
        turn_scoped_instructions: Some(true),
        ..six(id, name, line, 2)
    }
}

/// The price list from 5.6 on, in thousandths of a dollar: a write costs 1.25 times the input, for
/// 12 hours 2.5 times, and above 272,000 tokens input and cache cost twice as much, output 1.5 times.
const fn from_five_six(input: u32, output: u32, read: Option<u32>) -> [PriceBand; 2] {
    let short = openai_band(input, output, read);
    let read = match read {
        Some(read) => Some(2 * read),
        None => None,
    };
    let long = openai_band(2 * input, output + output / 2, read);
    [short.up_to(272_000), long]
}

const fn openai_band(input: u32, output: u32, read: Option<u32>) -> PriceBand {
    PriceBand {
        write_5m: Some(Price::from_mills(input + input / 4)),
        write_12h: Some(Price::from_mills(2 * input + input / 2)),
        read: match read {
            Some(read) => Some(Price::from_mills(read)),
            None => None,
        },
        ..PriceBand::plain(input, output)
    }
}

/// The rows, newest first in each line. Each generation shares a function above, and a row states
/// what differs from it. Models known only by their figures have no row here.
pub(crate) const MODELS: &[ModelFacts] = &[
    ModelFacts {
        prices: &from_five_six(8_000, 40_000, Some(400)),
        less_certain: &["prices"],
        ..six_two("gpt-6.2-astra", "GPT-6.2 Astra", "astra")
    },
    ModelFacts {
        prices: &from_five_six(2_000, 10_000, None),
        less_certain: &["prices"],
        stands_in_for: &[Tier::Opus],
        ..six_two("gpt-6.2-sol", "GPT-6.2 Sol", "sol")
    },
    ModelFacts {
        effort_none: Some(false),
        efforts: Some(&[Low, Medium, High, XHigh, Max]),
        less_certain: &["efforts"],
        ..six("gpt-6.1-sol", "GPT-6.1 Sol", "sol", 1)
    },
    ModelFacts {
        stands_in_for: &[Tier::Sonnet],
        ..six("gpt-6.1-terra", "GPT-6.1 Terra", "terra", 1)
    },
    ModelFacts { effort_none: Some(false), ..six("gpt-6-astra", "GPT-6 Astra", "astra", 0) },
    ModelFacts {
        sampling: Some(Sampling::WithoutThinking),
        effort_none: Some(true),
        less_certain: &["sampling"],
        ..six("gpt-6-sol", "GPT-6 Sol", "sol", 0)
    },
    ModelFacts {
        // Seen to accept temperature with effort none.
        sampling: Some(Sampling::WithoutThinking),
        effort_none: Some(true),
        less_certain: &["sampling"],
        stands_in_for: &[Tier::Haiku],
        ..six("gpt-6-luna", "GPT-6 Luna", "luna", 0)
    },
    five_six("gpt-5.6", "GPT-5.6", "gpt"),
    five_six("gpt-5.6-sol", "GPT-5.6 Sol", "sol"),
    five_six("gpt-5.6-terra", "GPT-5.6 Terra", "terra"),
    five_six("gpt-5.6-luna", "GPT-5.6 Luna", "luna"),
    five_four_on("gpt-5.5", "GPT-5.5", "gpt", 5),
    five_four_on("gpt-5.4", "GPT-5.4", "gpt", 4),
    ModelFacts {
        less_certain: &["wires"],
        ..five_four_on("gpt-5.4-mini", "GPT-5.4 mini", "mini", 4)
    },
    ModelFacts {
        less_certain: &["wires"],
        ..five_four_on("gpt-5.4-nano", "GPT-5.4 nano", "nano", 4)
    },
    ModelFacts { wires: &[], ..both("gpt-5.3-chat-latest", "GPT-5.3 Chat", "chat", 3) },
    ModelFacts {
        stands_in_for: &[Tier::Opus, Tier::Sonnet],
        ..both("gpt-5.2", "GPT-5.2", "gpt", 2)
    },
    ModelFacts { wires: &[], ..both("gpt-5.2-chat-latest", "GPT-5.2 Chat", "chat", 2) },
    ModelFacts { less_certain: &[], ..both("gpt-5.1", "GPT-5.1", "gpt", 1) },
    ModelFacts { stands_in_for: &[Tier::Haiku], ..both("gpt-5.1-mini", "GPT-5.1 mini", "mini", 1) },
    ModelFacts { wires: &[], ..both("gpt-5.1-chat-latest", "GPT-5.1 Chat", "chat", 1) },
    five("gpt-5", "GPT-5", "gpt"),
    five("gpt-5-mini", "GPT-5 mini", "mini"),
    five("gpt-5-nano", "GPT-5 nano", "nano"),
    ModelFacts { wires: &[], ..both("gpt-5-chat-latest", "GPT-5 Chat", "chat", 0) },
    four_one("gpt-4.1", "GPT-4.1", "gpt"),
    four_one("gpt-4.1-mini", "GPT-4.1 mini", "mini"),
    four_one("gpt-4.1-nano", "GPT-4.1 nano", "nano"),
    four_o("gpt-4o", "GPT-4o", "gpt"),
    four_o("gpt-4o-mini", "GPT-4o mini", "mini"),
    o_series("o4-mini", 4),
    o_series("o3", 3),
    o_series("o3-mini", 3),
    o_series("o1", 1),
    RESPONSES_ONLY.row("gpt-6.2-astra-law", "gpt-6.2-astra-law", "special", (0, 0)),
];
