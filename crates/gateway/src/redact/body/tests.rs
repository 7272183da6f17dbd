use proptest::prelude::*;
use serde_json::Value;
use serde_json::value::RawValue;

use super::*;

fn redacted(json: &str) -> String {
    let redacted = body(json.as_bytes()).into_owned();
    String::from_utf8(redacted).expect("replacements are ASCII")
}

fn check(json: &str, expected: &str) {
    assert_eq!(redacted(json), expected);
}

#[test]
fn secrets_are_replaced_by_as_many_bytes() {
    check(r#"{"api_key":"12345"}"#, r#"{"api_key":"*****"}"#);
    check(r#"{"pin": 4711, "max_tokens": 4711}"#, r#"{"pin": 1111, "max_tokens": 4711}"#);
    check(r#"{"url":"https://u@h/p?k=v&alt=sse"}"#, r#"{"url":"https://*@h/p?***&alt=sse"}"#);
    let long = r#"{"token":"a secret of more than twenty bytes","a":"b"}"#;
    let found = redacted(long);
    assert!(
        found.starts_with(r#"{"token":"redacted:"#) && found.ends_with(r#"","a":"b"}"#),
        "{found}"
    );
    assert_eq!(found.len(), long.len());
    assert_ne!(redacted(&long.replace("twenty", "thirty")), found);
}

#[test]
fn a_body_without_secrets_is_not_copied() {
    for json in [r#"{"model":"m","messages":[{"role":"user","content":"key"}]}"#, "", "[]", "null"]
    {
        assert!(matches!(body(json.as_bytes()), Cow::Borrowed(_)), "{json}");
    }
}

#[test]
fn a_body_that_is_not_json_is_replaced_from_there_on() {
    check("key=canary", "**********");
    check(r#"{"a":1} canary"#, r#"{"a":1} ******"#);
    check("{\"a\":1,\n\"b\":'canary'}", "{\"a\":1,\n\"b\":*********");
    check(r#"{"a":1,"token":"cana"#, r#"{"a":1,"token":"****"#);
    check(r#"{"a":1,"tok"#, r#"{"a":1,"tok"#);
}

/// JSON with the keys that the redactor knows, anywhere.
fn json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("headers"),
        Just("tools"),
        Just("messages"),
        Just("input"),
        Just("mcp_servers"),
        Just("url"),
        Just("api_key"),
        Just("input_schema"),
        Just("properties"),
        Just("a"),
        Just("tok\u{e9}n"),
    ];
    let text = prop_oneof![
        "\\PC{0,30}",
        "https://[a-z:@/?&=#\"\\\\é]{0,30}",
        Just(r#"{"token":"https://u:p@h/?k"}"#.to_owned()),
        Just("Bearer abc".to_owned()),
    ];
    let leaf = prop_oneof![
        text.prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(Value::Null)
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..4).prop_map(|members| {
                let members = members.into_iter().map(|(key, value)| (key.to_owned(), value));
                Value::Object(members.collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn redaction_keeps_length_and_validity_and_is_idempotent(value in json(), is_pretty: bool) {
        let text = if is_pretty { format!("{value:#}") } else { value.to_string() };
        let once = redacted(&text);
        prop_assert_eq!(once.len(), text.len());
        prop_assert!(serde_json::from_str::<&RawValue>(&once).is_ok(), "{}", once);
        prop_assert_eq!(redacted(&once), once);
    }

    #[test]
    fn a_body_that_is_cut_off_is_redacted(value in json(), cut in 0_usize..400) {
        let text = value.to_string();
        let part = text.as_bytes();
        let part = &part[..cut.min(part.len())];
        let once = body(part).into_owned();
        prop_assert_eq!(once.len(), part.len());
        prop_assert_eq!(body(&once).into_owned(), once);
    }

    #[test]
    fn any_bytes_are_redacted(bytes: Vec<u8>) {
        prop_assert_eq!(body(&bytes).len(), bytes.len());
    }
}

/// The string fields in the SDKs' request types, each with its class.
const FIELDS: &str = include_str!("../../../tests/it/http/redact/fields.txt");

/// Returns a body with a string at a path such as `tools[].headers.{}`.
fn body_with(path: &str, value: &str) -> String {
    let json = serde_json::to_string(value).expect("a string is JSON");
    path.rsplit('.').fold(json, |json, segment| {
        let key = segment.trim_end_matches("[]");
        let lists = (segment.len() - key.len()) / 2;
        let (open, close) = ("[".repeat(lists), "]".repeat(lists));
        let key = if key == "{}" { "any" } else { key };
        format!(r#"{{"{key}":{open}{json}{close}}}"#)
    })
}

/// Every string field in the official SDKs' requests has a class, and is recorded accordingly.
/// `xtask/conformance/string_fields.py` writes the fields.
#[test]
fn every_string_field_of_the_sdks_has_its_class() {
    let mut counts = std::collections::BTreeMap::new();
    let mut faults = Vec::new();
    for line in FIELDS.lines().filter(|it| !it.starts_with('#')) {
        let mut words = line.split(' ').skip(1);
        let (path, class) = (words.next().unwrap(), words.next().unwrap());
        let secret = redacted(&body_with(path, "canary-0123456789"));
        let url = redacted(&body_with(path, "https://user@host.example/path?key=canary"));
        let is_kept = secret.contains("canary");
        let is_cut = url.contains("host.example/path") && !url.contains("canary");
        let is_right = match class {
            "kept" => is_kept,
            "secret" => !is_kept && !url.contains("path"),
            "url" => is_cut,
            _ => false,
        };
        *counts.entry(class).or_insert(0) += 1;
        faults.extend((!is_right).then(|| format!("{line}: {secret}")));
    }
    assert!(faults.is_empty(), "{} faults: {faults:#?}", faults.len());
    assert!(counts["secret"] > 20 && counts["url"] > 10 && counts["kept"] > 500, "{counts:?}");
}
