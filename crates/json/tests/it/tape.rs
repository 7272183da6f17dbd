use aside_json::{Kind, MAX_DEPTH, Tape, Value, keys_once};
use proptest::prelude::*;

#[test]
fn values_keep_their_text() {
    let tape = Tape::parse(br#" {"a" : [1.0, {"b":null}] ,"c\n":"\u0041\"", "a":true} "#).unwrap();
    let root = tape.root();
    let members: Vec<_> = root.members().map(|(key, it)| (key, it.raw())).collect();
    let expected = [
        ("a".into(), r#"[1.0, {"b":null}]"#),
        ("c\n".into(), r#""\u0041\"""#),
        ("a".into(), "true"),
    ];
    assert_eq!(members, expected);
    assert_eq!(root.text_of("c\n").as_deref(), Some("A\""));
    assert_eq!(root.get("a").map(Value::kind), Some(Kind::Bool));
    let first = root.children().next().unwrap();
    let items: Vec<_> = first.items().map(Value::integer).collect();
    assert_eq!(items, [Some(1), None]);
    assert_eq!(tape.value_at(9).map(Value::raw), Some("1.0"));
    assert!(tape.value_at(8).is_some_and(|it| it.kind() == Kind::Array));
    assert!(tape.value_at(10).is_none());
}

#[test]
fn a_member_is_removed_with_one_comma() {
    let check = |text: &str, key: &str, expected: &str| {
        let tape = Tape::parse(text.as_bytes()).unwrap();
        let mut without = text.to_owned();
        without.replace_range(tape.root().get(key).unwrap().removal(), "");
        assert_eq!(without, expected);
    };
    check(r#"{"a":1,"b":2,"c":3}"#, "a", r#"{"b":2,"c":3}"#);
    check(r#"{"a":1,"b":2,"c":3}"#, "b", r#"{"a":1,"c":3}"#);
    check(r#"{"a":1, "c" : 3 }"#, "c", r#"{"a":1 }"#);
    check(r#"{"a":1}"#, "a", "{}");
}

#[test]
fn a_blank_text_is_one_of_white_space() {
    for (json, is_blank) in [
        (r#""""#, true),
        (r#"" ""#, true),
        (r#""\t\r\n\f ""#, true),
        (r#""\u0020\u00a0""#, true),
        ("\"\u{2003}\"", true),
        (r#""\b""#, false),
        (r#"" \u0041""#, false),
        (r#"" \ud800""#, false),
        (r#""\\n""#, false),
        (r#"" \"""#, false),
        (r#""\n.""#, false),
        ("8", false),
    ] {
        let tape = Tape::parse(json.as_bytes()).unwrap();
        let value = tape.root();
        assert_eq!(value.is_blank(), is_blank, "{json}");
        let is_trimmed_away = value.text().is_some_and(|text| text.trim().is_empty());
        assert_eq!(is_trimmed_away, is_blank, "{json}");
    }
}

#[test]
fn half_of_a_surrogate_pair_has_a_path() {
    let text =
        r#"{"a":["x",{"b":"\ud83d"}],"c":"\ud83d\ude00","d":[{"\udc00":1,"\ufffd":"\uFFFD"}]}"#;
    let tape = Tape::parse(text.as_bytes()).unwrap();
    let found = tape.lone_surrogates();
    let found: Vec<_> = found.map(Value::path).collect();
    assert_eq!(found, ["a[1].b", "d[0].\u{fffd}"]);
    let check = |text: &str, expected: &[&str]| {
        let tape = Tape::parse(text.as_bytes()).unwrap();
        let found: Vec<_> = tape.lone_surrogates().map(Value::path).collect();
        assert_eq!(found, expected, "{text}");
    };
    check(r#"["\\ud83d","\\\ud83d","\uD800 \udfff \ud800"]"#, &["[1]", "[2]"]);
    check(r#"{"a":{"\uD800":["x"]},"b":["\u0041",{},"\ud7ff"]}"#, &["a.\u{fffd}"]);
    check(r#""\ud800""#, &[""]);
}

#[test]
fn faults_have_their_place() {
    let check = |text: &str, expected: &str| {
        let error = Tape::parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    };
    check("", "expected a value at byte 0");
    check(" ", "expected a value at byte 1");
    check("[1,]", "expected a value at byte 3");
    check("[1 2]", "expected a comma or a closing bracket at byte 3");
    check("[1}", "expected a comma or a closing bracket at byte 2");
    check("{\"a\" 1}", "expected a colon at byte 5");
    check("{\"a\":1,}", "expected a key at byte 7");
    check("{1:2}", "expected a key at byte 1");
    check("\"a", "a string without its end at byte 0");
    check("\"a\n\"", "a control character that is not escaped at byte 2");
    check(r#""\x""#, "an escape that JSON does not have at byte 1");
    check(r#""\u12g4""#, "an escape that JSON does not have at byte 1");
    check("01", "expected one JSON value, found more at byte 1");
    check("1.e1", "expected a digit at byte 2");
    check("-", "expected a digit at byte 1");
    check("nul", "expected a value at byte 0");
    check("{} {}", "expected one JSON value, found more at byte 3");
    check("\u{feff}{}", "expected a value at byte 0");
    assert_eq!(
        Tape::parse(b"[\"\xff\"]").unwrap_err().to_string(),
        "a byte that is no UTF-8 at byte 2"
    );
}

#[test]
fn depth_has_a_limit_and_costs_no_stack() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Tape::parse(nested(MAX_DEPTH).as_bytes()).is_ok());
    let deep = nested(1_000_000);
    let error = Tape::parse(deep.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "nested too deeply at byte 512");
    let tape = Tape::parse_deep(deep.as_bytes()).unwrap();
    assert_eq!(tape.values().count(), 1_000_000);
}

fn json() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        Just("\\u00e9".to_owned()),
        Just("\\\"\\\\".to_owned()),
        "[ -~é]{0,6}".prop_map(|it| it.replace(['"', '\\'], "")),
    ];
    let text = text.prop_map(|it| format!("\"{it}\""));
    let scalar = prop_oneof![
        text.clone(),
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][+-]?[0-9])?",
        "true|false|null"
    ];
    let spaced = |it: String| prop_oneof![Just(it.clone()), Just(format!(" {it}\n"))];
    scalar.prop_recursive(4, 24, 4, move |inner| {
        let member =
            (text.clone(), inner.clone()).prop_map(|(key, value)| format!("{key} :{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|it| format!("[{}]", it.join(","))),
            prop::collection::vec(member, 0..4).prop_map(|it| format!("{{{}}}", it.join(","))),
        ]
        .prop_flat_map(spaced)
    })
}

/// Builds the value that serde would.
fn built(value: Value<'_>) -> serde_json::Value {
    match value.kind() {
        Kind::Array => value.items().map(built).collect(),
        Kind::Object => value.members().map(|(key, it)| (key.into_owned(), built(it))).collect(),
        Kind::String => value.text().unwrap_or_default().into_owned().into(),
        _ => serde_json::from_str(value.raw()).unwrap_or_default(),
    }
}

proptest! {
    #[test]
    fn a_tape_has_the_values_that_serde_has(text in json()) {
        let tape = Tape::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(built(tape.root()), serde_json::from_str::<serde_json::Value>(&text).unwrap());
    }

    #[test]
    fn serde_refuses_what_a_tape_refuses(text in json(), at in any::<prop::sample::Index>(), byte in "[ -~]") {
        let mut text = text;
        let at = at.index(text.len());
        if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
            text.replace_range(at..=at, &byte);
        }
        let expected = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
        prop_assert_eq!(Tape::parse(text.as_bytes()).is_ok(), expected, "{}", text);
    }
}

/// The search of a place is linear in the members before it.
#[test]
fn of_many_doubled_keys_the_first_hundred_are_named() {
    let members: Vec<_> = (0..200).map(|index| format!(r#""k{index}":0,"k{index}":1"#)).collect();
    let (text, paths) = keys_once(&format!("{{{}}}", members.join(","))).unwrap();
    assert_eq!(text.matches(":1").count(), 200);
    assert_eq!(text.matches(":0").count(), 0);
    assert_eq!((paths.len(), &*paths[99]), (100, "k99"));
}

#[test]
fn keys_that_differ_in_half_a_surrogate_pair_are_not_doubled() {
    let doubled = |text: &str| {
        let tape = Tape::parse(text.as_bytes()).unwrap();
        let doubled = tape.root().doubled_members().len();
        assert_eq!(keys_once(text).is_some(), doubled > 0, "{text}");
        doubled
    };
    assert_eq!(doubled(r#"{"\ud800":1,"\ud801":2}"#), 0);
    assert_eq!(doubled(r#"{"\ud800":1,"\ufffd":2}"#), 0);
    assert_eq!(doubled(r#"{"\ud800":1,"\uD800":2}"#), 1);
    let many: String = (0..16).map(|index| format!(r#""{index}":0,"#)).collect();
    assert_eq!(doubled(&format!(r#"{{{many}"\ud800":1,"\ud801":2}}"#)), 0);
    assert_eq!(doubled(&format!(r#"{{{many}"\ud800":1,"\uD800":2}}"#)), 1);
}
