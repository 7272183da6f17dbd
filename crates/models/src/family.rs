//! What all models by one vendor have in common, for a model without a row.

use crate::facts::ModelFacts;
use crate::wire::Vendor;
use crate::{anthropic, google, openai, xai};

static UNKNOWN: ModelFacts = ModelFacts::unknown(Vendor::Other, crate::AS_OF);
static CLAUDE: ModelFacts = anthropic::FAMILY;
static OPENAI: ModelFacts = openai::FAMILY;
static RESPONSES_OPENAI: ModelFacts = openai::RESPONSES_ONLY;
static EARLY_OPENAI: ModelFacts = openai::EARLY;
static GEMINI: ModelFacts = google::FAMILY;
static SPECIAL_GOOGLE: ModelFacts = google::SPECIAL;
static SIGNING_GEMINI: ModelFacts = google::SIGNING;
static GROK: ModelFacts = xai::FAMILY;

/// Parts of names: OpenAI documents these models for Responses only.
const RESPONSES_ONLY: &str = "-pro codex computer-use cyber daybreak deep-research law rosalind";

/// Parts of names: Google's models for other purposes than conversation, and open models.
const SPECIAL: &str = "banana gemma image live lyria omni robotics transcribe tts";

/// Returns a model's vendor, judged by how its name begins.
pub(crate) fn vendor_of(id: &str) -> Vendor {
    let is_o_series = || {
        let number = id.strip_prefix('o').unwrap_or_default();
        number.starts_with(|first: char| first.is_ascii_digit())
    };
    match id {
        _ if id.starts_with("claude-") => Vendor::Anthropic,
        // A fine-tuned model is `ft:gpt-4o-2024-08-06:org::id`.
        _ if id.starts_with("gpt-") || id.starts_with("ft:") || is_o_series() => Vendor::OpenAi,
        _ if id.starts_with("gemini-") => Vendor::Google,
        _ if id.starts_with("grok-") => Vendor::Xai,
        _ => Vendor::Other,
    }
}

/// Returns what a vendor's models have in common.
pub(crate) fn family(vendor: Vendor, id: &str) -> &'static ModelFacts {
    let has_word = |words: &str| words.split(' ').any(|word| id.contains(word));
    match vendor {
        Vendor::Anthropic => &CLAUDE,
        Vendor::OpenAi if has_word(RESPONSES_ONLY) => &RESPONSES_OPENAI,
        Vendor::OpenAi if is_early(id) => &EARLY_OPENAI,
        Vendor::OpenAi => &OPENAI,
        Vendor::Google if has_word(SPECIAL) => &SPECIAL_GOOGLE,
        Vendor::Google if id.starts_with("gemini-") && generation(id) >= 3 => &SIGNING_GEMINI,
        Vendor::Google => &GEMINI,
        Vendor::Xai => &GROK,
        Vendor::Other => &UNKNOWN,
    }
}

/// Returns true for GPT-3.5 and GPT-4 before GPT-4o and GPT-4.1.
fn is_early(id: &str) -> bool {
    id == "gpt-4" || id.starts_with("gpt-4-") || id.starts_with("gpt-3.5")
}

/// Returns the major version in a name such as `gemini-3.9-flash`, or 0.
fn generation(id: &str) -> u32 {
    let number = id.trim_start_matches(|first: char| !first.is_ascii_digit());
    let end = number.find(|it: char| !it.is_ascii_digit());
    number[..end.unwrap_or(number.len())].parse().unwrap_or(0)
}
