//! Removes all texts from a body, for `--redact`. Replacements have the same
//! lengths, and equal texts have equal replacements, so that a record still
//! explains its cache.
//!
//! A redacted request has the original's breakpoints and differences, as far as
//! cache rules depend on lengths and equality, and about its tokens.
//!
//! ```text
//! {"role":"user","content":"Fix the bug"}      →      {"role":"user","content":"dhnhta tsew"}
//! ```
//!
//! Numbers, booleans and structure stay. The scan works on bytes and accepts
//! JSON that is cut off.

use std::borrow::Cow;

use aside_cache_model::{DECLARING_KEYS, LABELED_KEYS, NAMED_KEYS, OPAQUE_KEYS};
use aside_rules::is_closed_value;

use super::names::Name;
use super::unescape::end_of_string;
use crate::strict::digest::Sum;

/// Whether records contain texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texts {
    /// They do.
    #[default]
    Kept,
    /// A text is replaced by letters from its hash.
    Redacted,
}

/// Keys whose values describe a request's structure, not its content, besides those that take one of
/// a few values.
const KEPT: &[&str] = &[
    "$ref",
    "allowedFunctionNames",
    "allowed_function_names",
    "allowed_tools",
    "anthropic_beta",
    "approval_request_id",
    "cache_control",
    "call_id",
    "clear_at",
    "effort",
    "format",
    "id",
    "mcp_server_name",
    "media_type",
    "mimeType",
    "mime_type",
    "mode",
    "model",
    "name",
    "namespace",
    "object",
    "parent_id",
    "previous_response_id",
    "prompt_cache_key",
    "propertyOrdering",
    "property_ordering",
    "required",
    "role",
    "server_name",
    "service_tier",
    "speed",
    "status",
    "stop_reason",
    "tool_call_id",
    "tool_name",
    "tool_names",
    "tool_use_id",
    "ttl",
    "type",
];

/// The letters of a filler. Words of frequent letters have about as many tokens as the same length
/// of prose; hexadecimal digits have twice as many.
const LETTERS: &[u8; 16] = b"etaoinshrdlucmfw";

/// How many letters a word of a filler has.
const WORD_LETTERS: usize = 6;

/// How the URLs that a provider loads begin.
const SCHEMES: &[&str] = &["\"https://", "\"http://", "\"gs://"];

/// How deep a value in a known format may be.
const MAX_PATH: usize = 64;

/// A JSON text that is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// A request body, in which a top-level `input` is the list of Responses
    /// messages.
    Request,
    Block,
}

/// Replaces the strings in a JSON text, except key names and [`KEPT`] values,
/// by as many bytes. A URL keeps its scheme.
///
/// Below a key in [`OPAQUE_KEYS`], everything is replaced with all its keys, whatever
/// they are named: a tool may use the name `type` for a secret. Below one in
/// [`LABELED_KEYS`], the next keys stay: short ones could have the same filler. Below one in
/// [`NAMED_KEYS`], so are the next keys and their strings.
pub(crate) fn redact(json: &str, recorded: Recorded) -> String {
    replace(json, |path, is_key, token| -> usize {
        if path.len() > MAX_PATH {
            return 1;
        }
        let (parents, key) = match path.split_last() {
            Some((key, parents)) if !is_key => (parents, Some(key)),
            _ => (path, None),
        };
        let is_in = |keys: &[&str], at: usize| {
            let is_declared = at > 0 && DECLARING_KEYS.contains(&&*parents[at - 1]);
            // The messages.
            let is_list = at == 0 && recorded == Recorded::Request && parents[at] == "input";
            keys.contains(&&*parents[at]) && !is_declared && !is_list
        };
        let last = parents.len().checked_sub(1);
        let opaque = (0..parents.len()).find(|at| is_in(OPAQUE_KEYS, *at));
        let is_label = is_key && opaque == last && last.is_some_and(|at| is_in(LABELED_KEYS, at));
        let is_named = last.is_some_and(|at| is_in(NAMED_KEYS, at));
        if (opaque.is_some() || is_named) && !is_label {
            return 1;
        }
        let key = match key {
            _ if is_key => return token.len(),
            Some(key) => key,
            None => return 1,
        };
        // Of a participant, and not of a tool.
        let is_person = recorded == Recorded::Request && path == ["messages", "name"];
        match &**key {
            "signature" => seal_of(token),
            _ if is_person => 1,
            key if KEPT.contains(&key) || is_closed_value(key, token.trim_matches('"')) => {
                token.len()
            }
            key if key == "file_data" || Name::new(key).is_url() => scheme_of(token),
            _ => 1,
        }
    })
}

/// Replaces the strings after as many bytes as `kept` returns. Its arguments are
/// the keys from the root on; for a key, those of its object; and the string as
/// written.
fn replace(json: &str, kept: impl Fn(&[Cow<'_, str>], bool, &str) -> usize) -> String {
    let bytes = json.as_bytes();
    let mut replaced = String::with_capacity(json.len());
    // The keys, and for each open object or list how many keys are before it.
    let mut path: Vec<Cow<'_, str>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let end = match byte {
            b'"' => end_of_string(bytes, at),
            _ => at + 1,
        };
        // Only strings hold bytes other than ASCII, and they end at a quote.
        let token = json.get(at..end).unwrap_or_default();
        match byte {
            b'"' => {
                let is_key = is_key(bytes, end);
                if is_key {
                    path.truncate(open.last().copied().unwrap_or(0));
                }
                push_filler(token, kept(&path, is_key, token), &mut replaced);
                if is_key {
                    path.push(key_of(token));
                }
            }
            _ => {
                match byte {
                    b'{' | b'[' => open.push(path.len()),
                    b'}' | b']' => path.truncate(open.pop().unwrap_or(0)),
                    _ => {}
                }
                replaced.push_str(token);
            }
        }
        at = end.max(at + 1);
    }
    replaced
}

/// Returns the key that a token writes, its escapes replaced.
fn key_of(token: &str) -> Cow<'_, str> {
    let plain = token.get(1..token.len() - 1).unwrap_or_default();
    if plain.contains('\\') {
        serde_json::from_str(token).map_or(Cow::Borrowed(plain), Cow::Owned)
    } else {
        Cow::Borrowed(plain)
    }
}

/// Returns true if the string that ends at `end` is a key: a colon follows.
fn is_key(bytes: &[u8], end: usize) -> bool {
    let rest = bytes.get(end..).unwrap_or_default();
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// Returns how long a signature is without the texts in it: an item of another wire may be packed
/// there as JSON, such as `openai-responses:{"type":"reasoning",…}`.
fn seal_of(token: &str) -> usize {
    token.find('{').unwrap_or(token.len())
}

/// Returns how long the part of a URL is that decides whether a provider takes it: the scheme, and
/// the media type of a `data:` URL.
fn scheme_of(token: &str) -> usize {
    const BASE64: &str = ";base64,";
    let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"/+.-".contains(&byte);
    let data = token.split_once(BASE64).map(|(head, _)| head);
    let data =
        data.filter(|it| it.strip_prefix("\"data:").is_some_and(|kind| kind.bytes().all(is_type)));
    let scheme = || SCHEMES.iter().find(|it| token.starts_with(**it)).map(|it| it.len());
    data.map(|it| it.len() + BASE64.len()).or_else(scheme).unwrap_or(1)
}

/// Appends a string with as many bytes, of which the first ones are kept.
///
/// The filler is letters from the string's hash, in words if the string has any:
/// data stay base64. Strings with few bytes can have the same filler.
fn push_filler(token: &str, kept: usize, redacted: &mut String) {
    let (kept, rest) = token.split_at_checked(kept).unwrap_or((token, ""));
    redacted.push_str(kept);
    let Some(length) = rest.len().checked_sub(1) else {
        return;
    };
    let digest = Sum::new("text").with(token.as_bytes()).end();
    let letter = |at: usize| LETTERS[usize::from((digest[at / 2 % 16] >> (at % 2 * 4)) & 15)];
    let has_words = rest.contains(' ');
    redacted.extend((0..length).map(|at| match at % (WORD_LETTERS + 1) {
        // The API refuses a prefill that ends with a space.
        WORD_LETTERS if has_words && at + 1 < length => ' ',
        _ => char::from(letter(at)),
    }));
    redacted.push('"');
}

#[cfg(test)]
mod tests {
    use aside_models::{Tokenizer, estimate};

    use super::*;

    fn redacted(json: &str) -> String {
        redact(json, Recorded::Request)
    }

    #[test]
    fn values_of_closed_lists_are_kept() {
        let body = r#"{"thinking":{"display":"summarized"},"reasoning":{"summary":"auto"},"include":["reasoning.encrypted_content"],"text":{"verbosity":"low"},"truncation":"disabled","tool_choice":"auto"}"#;
        assert_eq!(redacted(body), body);
        let text = r#"{"reasoning":{"summary":"canary"},"tool_choice":"canary","content":"auto"}"#;
        let without = redacted(text);
        assert!(!without.contains("canary") && !without.contains(r#":"auto"#), "{without}");
    }

    #[test]
    fn names_and_ids_that_refer_to_each_other_are_kept() {
        for body in [
            r#"{"messages":[{"role":"tool","tool_call_id":"call_1"}],"previous_response_id":"resp_1"}"#,
            r##"{"tools":[{"input_schema":{"$defs":{"response":{"type":"string"}},"required":["input"],"properties":{"input":{"type":"object","$ref":"#/$defs/response"}}}}]}"##,
            r#"{"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["Read"]}}}"#,
            r#"{"tools":[{"allowed_tools":["Read"],"require_approval":{"never":{"tool_names":["Read"]}}}]}"#,
            r#"{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png"}}]}]}"#,
        ] {
            assert_eq!(redacted(body), body);
        }
        for body in [
            r#"{"messages":[{"role":"user","name":"canary"}]}"#,
            r#"{"messages":[{"content":[{"type":"tool_use","input":{"required":["canary"],"url":"https://canary"}}]}]}"#,
        ] {
            let without = redacted(body);
            assert!(!without.contains("canary") && !without.contains("http"), "{without}");
        }
        let tool = r#"{"tools":[{"name":"Read","url":"https://canary.example/canary","description":"https://canary"}]}"#;
        let without = redacted(tool);
        assert!(without.contains(r#""name":"Read","url":"https://"#), "{without}");
        assert!(
            !without.contains("canary") && !without.contains("\"description\":\"h"),
            "{without}"
        );
        assert_eq!(without.len(), tool.len());
        let data = r#"{"image_url":"data:image/png;base64,Y2FuYXJ5"}"#;
        let without = redacted(data);
        assert!(without.starts_with(r#"{"image_url":"data:image/png;base64,"#), "{without}");
        assert!(!without.contains("Y2FuYXJ5"), "{without}");
        let odd =
            r#"{"image_url":"data:a=canary;base64,Y2FuYXJ5","file_url":"see https://canary"}"#;
        assert!(!redacted(odd).contains("canary"), "{}", redacted(odd));
    }

    /// A body that an API accepts, as in the folder of the rules.
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Valid {
        body: Option<Box<serde_json::value::RawValue>>,
        wire: Option<String>,
        model: Option<String>,
        betas: Option<Vec<String>>,
        version: Option<String>,
        platform: Option<String>,
        endpoint: Option<String>,
    }

    #[test]
    fn a_valid_body_stays_valid() {
        use aside_rules::{ApiEndpoint, Context, Wire, check};
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../rules/tests/it/check/cases");
        let folders = std::fs::read_dir(root).unwrap().map(|it| it.unwrap().path());
        let files = folders.flat_map(|it| std::fs::read_dir(it).unwrap());
        let files = files.map(|it| it.unwrap().path());
        let mut faults = Vec::new();
        for path in files.filter(|it| it.to_string_lossy().ends_with(".valid.json")) {
            let valid: Valid = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let Some(body) = valid.body else { continue };
            let wire = valid.wire.as_deref().unwrap_or("messages");
            let wire = Wire::ALL.into_iter().find(|it| it.as_str() == wire).unwrap();
            let context = Context {
                version: valid.version.map(|it| it.parse().unwrap()),
                betas: valid.betas,
                model: valid.model,
                platform: valid.platform.map(|it| it.parse().unwrap()),
                endpoint: match valid.endpoint.as_deref() {
                    Some("count_tokens") => ApiEndpoint::CountTokens,
                    Some("batches") => ApiEndpoint::Batches,
                    _ => ApiEndpoint::Messages,
                },
            };
            let found = check(redacted(body.get()).as_bytes(), wire, &context).findings;
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // A text decides this one.
            let found = found.iter().filter(|it| it.rule != "json-word");
            faults.extend(found.map(|it| format!("{name}: {it}")));
        }
        faults.sort();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    /// The API refuses a prefill that ends with a space.
    #[test]
    fn no_filler_ends_with_a_space() {
        let text = "Sure, here is the text: ";
        for end in 1..text.len() {
            let without = redacted(&format!(r#"{{"content":"{}"}}"#, &text[..end]));
            assert!(!without.contains(" \""), "{without}");
        }
    }

    #[test]
    fn redaction_keeps_structure_and_lengths() {
        let body = r#"{"model":"m","messages":[{"role":"user","content":"canary \" é"},{"role":"user","content":[{"type":"text","text":"canary","cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"Read","input_schema":{"type":"object","properties":{"file_path":{"type":"string","description":"canary"}}}}],"n":1.50}"#;
        let without = redacted(body);
        assert!(!without.contains("canary"), "{without}");
        assert_eq!(without.len(), body.len());
        assert!(without.contains(r#""cache_control":{"type":"ephemeral"}"#));
        // Names of tools and properties stay.
        assert!(without.contains(r#""name":"Read","input_schema":{"type":"object","#));
        assert!(without.contains(r#""properties":{"file_path":{"type":"string","#));
        assert!(without.ends_with(r#""n":1.50}"#));
        assert_eq!(redacted(body), without);
        assert_ne!(redacted(&body.replace("canary\",", "banana\",")), without);
        for cut in 0..body.len() {
            if let Some(part) = body.get(..cut) {
                let _ = redacted(part);
            }
        }
    }

    #[test]
    fn a_filler_has_about_as_many_tokens() {
        let text = include_str!("../../README.md");
        let json = serde_json::to_string(text).expect("a string is JSON");
        for family in [Tokenizer::ClaudeNew, Tokenizer::ClaudeOld, Tokenizer::O200k] {
            let [before, after] = [&json, &redacted(&json)].map(|it| estimate(it, family).tokens());
            assert!(
                after * 10 > before * 8 && after * 10 < before * 15,
                "{family:?}: {before} {after}"
            );
        }
    }

    #[test]
    fn an_item_that_is_packed_in_a_signature_is_redacted() {
        let block = r#"{"type":"thinking","thinking":"","signature":"openai-responses:{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"canary\"}]}"}"#;
        let in_request = format!(r#"{{"messages":[{{"content":[{block}]}}]}}"#);
        for (json, recorded) in [(block, Recorded::Block), (&in_request, Recorded::Request)] {
            let without = redact(json, recorded);
            assert!(without.contains(r#""signature":"openai-responses:"#), "{without}");
            assert!(!without.contains("canary"), "{without}");
            assert_eq!(without.len(), json.len());
        }
        let sealed = r#"{"type":"thinking","thinking":"","signature":"EqQBCgIYAhIM/+=="}"#;
        assert_eq!(redact(sealed, Recorded::Block), sealed);
    }

    #[test]
    fn the_input_of_a_tool_is_redacted_with_its_keys() {
        let block = r#"{"type":"tool_use","id":"t","name":"Read","input":{"name":"canary","canary":{"id":["canary"],"canary":1},"labels":{"canary":1}}}"#;
        let without = redact(block, Recorded::Block);
        assert!(!without.contains("canary"), "{without}");
        assert_eq!(without.len(), block.len());
        assert!(without.contains(r#""id":"t","name":"Read""#), "{without}");
        let in_request = format!(r#"{{"messages":[{{"content":[{block}]}}]}}"#);
        assert!(!redacted(&in_request).contains("canary"));
        let items = r#"{"input":[{"type":"message","role":"user","content":"canary"}]}"#;
        let without = redacted(items);
        assert!(without.contains(r#""type":"message","role":"user""#), "{without}");
        assert!(!without.contains("canary"));
    }

    #[test]
    fn free_form_objects_are_redacted_whatever_their_keys_are() {
        for body in [
            r#"{"metadata":{"name":"canary","status":"canary","id":{"canary":1}}}"#,
            r#"{"labels":{"name":"canary"}}"#,
            r#"{"prompt":{"id":"p","variables":{"name":"canary","canary":{"type":"input_text","text":"canary"}}}}"#,
            r#"{"input":[{"type":"file_search_call","results":[{"attributes":{"name":"canary"}}]}]}"#,
            r#"{"input":[{"type":"local_shell_call","action":{"type":"exec","env":{"canary":"x"}}}]}"#,
            r#"{"tools":[{"name":"t","input_schema":{"properties":{"a":{"default":{"name":"canary"},"examples":[{"id":"canary"}]}}}}]}"#,
            r#"{"tools":[{"name":"t","input_examples":[{"name":"canary","status":"canary"}]}]}"#,
            r#"{"tools":[{"functionDeclarations":[{"parameters":{"properties":{"a":{"example":{"name":"canary"},"const":{"id":"canary"}}}}}]}]}"#,
        ] {
            let without = redacted(body);
            assert!(!without.contains("canary"), "{without}");
            assert_eq!(without.len(), body.len());
        }
        for body in [
            r#"{"tools":[{"name":"t","input_schema":{"type":"object","required":["env"],"properties":{"env":{"type":"string"},"metadata":{"type":"object","properties":{"default":{"type":"string"}}},"variables":{"type":"array"}}}}]}"#,
            r#"{"prompt":{"id":"p"},"input":[{"type":"message","role":"user","status":"completed"}]}"#,
        ] {
            assert_eq!(redacted(body), body);
        }
        let typed = redacted(r#"{"prompt":{"variables":{"a":{"type":"input_text","text":"b"}}}}"#);
        assert!(typed.contains(r#":{"type":"input_text","text":""#), "{typed}");
        let user = redacted(r#"{"metadata":{"user_id":"canary"}}"#);
        assert!(user.contains("user_id") && !user.contains("canary"), "{user}");
    }
}
