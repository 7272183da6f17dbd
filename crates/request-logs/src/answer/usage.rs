//! Usage in the meaning of each vendor, normalized to [`RecordedUsage`].
//!
//! The key names identify the vendor, since a log seldom does. The one
//! ambiguous name is `input_tokens`: with a cache figure of Anthropic next to
//! it, it excludes cached tokens; otherwise it is read as a total, which is the
//! same if nothing was cached.

use serde_json::Value;

use crate::exchange::RecordedUsage;
use crate::json::number;

/// Reads usage, by its keys:
///
/// | vendor | input figure | cached |
/// |---|---|---|
/// | Anthropic | `input_tokens`, without tokens read from or written to the cache | `cache_read_input_tokens`, `cache_creation_input_tokens` |
/// | OpenAI Responses | `input_tokens`, the total | `input_tokens_details.cached_tokens`, `cache_write_tokens` |
/// | OpenAI Chat Completions | `prompt_tokens`, the total | `prompt_tokens_details.cached_tokens` |
/// | Gemini | `promptTokenCount`, the total | `cachedContentTokenCount` |
/// | Bedrock Converse | `inputTokens`, without tokens read from or written to the cache | `cacheReadInputTokens`, `cacheWriteInputTokens` |
///
/// ```text
/// {"input_tokens":10,"cache_read_input_tokens":5}                           uncached 10, read 5
/// {"input_tokens":10,"input_tokens_details":{"cached_tokens":5}}            uncached 5,  read 5
/// {"promptTokenCount":9,"cachedContentTokenCount":4}                        uncached 5,  read 4
/// ```
///
/// Returns `None` if no known key is present. A figure that is missing, or is
/// not a whole number, counts as 0.
pub(crate) fn of_value(usage: &Value) -> Option<RecordedUsage> {
    let has = |key: &str| usage.get(key).is_some();
    if has("promptTokenCount") {
        let read = number(usage, &["cachedContentTokenCount"]);
        return Some(RecordedUsage {
            uncached: number(usage, &["promptTokenCount"]).saturating_sub(read),
            read,
            output: number(usage, &["candidatesTokenCount"])
                + number(usage, &["thoughtsTokenCount"]),
            ..RecordedUsage::default()
        });
    }
    if has("inputTokens") {
        return Some(RecordedUsage {
            uncached: number(usage, &["inputTokens"]),
            read: number(usage, &["cacheReadInputTokens"]),
            write_5m: number(usage, &["cacheWriteInputTokens"]),
            output: number(usage, &["outputTokens"]),
            ..RecordedUsage::default()
        });
    }
    let is_anthropic = has("cache_read_input_tokens") || has("cache_creation_input_tokens");
    if has("prompt_tokens") && !has("input_tokens") {
        return Some(gross(
            usage,
            "prompt_tokens",
            "prompt_tokens_details",
            "completion_tokens",
        ));
    }
    if has("input_tokens") && !is_anthropic {
        return Some(gross(
            usage,
            "input_tokens",
            "input_tokens_details",
            "output_tokens",
        ));
    }
    is_anthropic.then(|| anthropic(usage))
}

/// Reads usage whose input figure is the total, with a cached part.
///
/// `input` and `output` are the keys of the totals, `details` that of the
/// object with the parts.
fn gross(usage: &Value, input: &str, details: &str, output: &str) -> RecordedUsage {
    let read = number(usage, &[details, "cached_tokens"]);
    let write_other = number(usage, &[details, "cache_write_tokens"]);
    RecordedUsage {
        uncached: number(usage, &[input]).saturating_sub(read + write_other),
        read,
        write_other,
        output: number(usage, &[output]),
        ..RecordedUsage::default()
    }
}

/// Reads usage of the Messages API. The figures leave out the compactions in
/// `iterations`, which are paid for, and are added.
fn anthropic(usage: &Value) -> RecordedUsage {
    let iterations = usage.get("iterations").and_then(Value::as_array);
    let is_compaction = |it: &&Value| it.get("type").and_then(Value::as_str) == Some("compaction");
    let compactions = iterations.into_iter().flatten().filter(is_compaction);
    compactions
        .map(sampling)
        .fold(sampling(usage), |sum, one| RecordedUsage {
            uncached: sum.uncached.saturating_add(one.uncached),
            read: sum.read.saturating_add(one.read),
            write_5m: sum.write_5m.saturating_add(one.write_5m),
            write_1h: sum.write_1h.saturating_add(one.write_1h),
            output: sum.output.saturating_add(one.output),
            ..sum
        })
}

/// Reads the figures of one sampling. Writes without `cache_creation`, which
/// splits them by lifetime, count as writes for 5 minutes, the default.
fn sampling(usage: &Value) -> RecordedUsage {
    let write_1h = number(usage, &["cache_creation", "ephemeral_1h_input_tokens"]);
    let written = number(usage, &["cache_creation_input_tokens"]);
    let short = number(usage, &["cache_creation", "ephemeral_5m_input_tokens"]);
    RecordedUsage {
        uncached: number(usage, &["input_tokens"]),
        read: number(usage, &["cache_read_input_tokens"]),
        write_5m: written.saturating_sub(write_1h).max(short),
        write_1h,
        output: number(usage, &["output_tokens"]),
        ..RecordedUsage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_read_in_the_sense_of_its_vendor() {
        let check = |json: &str, uncached: u64, read: u64, written: [u64; 3]| {
            let usage = of_value(&serde_json::from_str(json).unwrap()).unwrap();
            assert_eq!((usage.uncached, usage.read), (uncached, read), "{json}");
            assert_eq!(
                [usage.write_5m, usage.write_1h, usage.write_other],
                written,
                "{json}"
            );
        };
        check(
            r#"{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":7,
            "cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":4}}"#,
            10,
            5,
            [3, 4, 0],
        );
        check(
            r#"{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":7}"#,
            10,
            5,
            [7, 0, 0],
        );
        check(
            r#"{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":7,"iterations":[
                {"type":"message","input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":7},
                {"type":"compaction","input_tokens":1,"cache_read_input_tokens":2,"cache_creation_input_tokens":3}]}"#,
            11,
            7,
            [10, 0, 0],
        );
        check(
            r#"{"input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":10}}"#,
            30,
            60,
            [0, 0, 10],
        );
        check(
            r#"{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":60}}"#,
            40,
            60,
            [0; 3],
        );
        check(
            r#"{"promptTokenCount":100,"cachedContentTokenCount":60}"#,
            40,
            60,
            [0; 3],
        );
        assert_eq!(of_value(&Value::Null), None);
    }
}
