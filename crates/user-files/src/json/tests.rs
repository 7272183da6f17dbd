use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use serde_json::value::RawValue;

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Skill {
    name: String,
    #[serde(default)]
    uses: Option<u32>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    Low,
    High,
    Exactly { percent: u8 },
    By(Skill),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Hook {
    Stopped(Skill),
    Added { texts: Vec<String> },
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct State {
    skills: Vec<Skill>,
    hooks: Vec<Hook>,
    level: Option<Level>,
    by_name: BTreeMap<String, Skill>,
    pair: Option<(u8, u8)>,
    ratio: f64,
    on: bool,
    delta: i32,
}

#[track_caller]
fn fault(json: &str, expected: &str) {
    let error = read::<State>(json).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn values_that_serde_accepts_are_accepted() {
    let check = |json: &str| {
        let expected: State = serde_json::from_str(json).unwrap();
        assert_eq!(read::<State>(json).unwrap(), expected);
    };
    check(WHOLE);
    check("{}");
    check(r#"{"level":"high"}"#);
    check(r#"{"level":{"by":{"name":"f"}}}"#);
    assert_eq!(read::<State>("\u{feff}{}").unwrap(), State::default());
}

#[test]
fn text_is_borrowed_and_raw_json_is_kept() {
    #[derive(Deserialize)]
    struct Holder<'a> {
        #[serde(borrow)]
        messages: Vec<&'a RawValue>,
        text: &'a str,
        schema: Box<RawValue>,
    }
    let holder: Holder<'_> =
        read(r#"{"messages":[ {"a" : 1}, [ ]],"text":"t","schema":{"b":1 }}"#).unwrap();
    assert_eq!(holder.messages[0].get(), r#"{"a" : 1}"#);
    assert_eq!(holder.messages[1].get(), "[ ]");
    assert_eq!((holder.text, holder.schema.get()), ("t", r#"{"b":1 }"#));
}

#[test]
fn a_list_is_no_object() {
    fault("[]", "1:2: expected an object, found a list");
    let skills = "skills[1]: expected an object, found a list";
    fault("{\"skills\":[{\"name\":\"a\"},\n [\"b\", 1]]}", &format!("2:2: {skills}"));
    let in_map = r#"{"by_name":{"a":["a"]}}"#;
    fault(in_map, "1:17: by_name.a: expected an object, found a list");
    let tagged = r#"{"hooks":[["stopped","a",1]]}"#;
    fault(tagged, "1:11: hooks[0]: expected an object, found a list");
    for variant in ["exactly", "by"] {
        let error = read::<State>(&format!(r#"{{"level":{{"{variant}":["a"]}}}}"#)).unwrap_err();
        assert_eq!(error.path(), format!("level.{variant}"));
        assert!(error.detail().ends_with("found a list"), "{error}");
    }
}

#[test]
fn messages_use_plain_words() {
    fault(r#"{"skills":[{"name":7}]}"#, "1:20: skills[0].name: expected a string, found 7");
    fault(
        r#"{"skills":[{"name":"a","uses":-1}]}"#,
        "1:32: skills[0].uses: expected a whole number that is not negative, found -1",
    );
    fault(
        r#"{"skills":[{"name":"a","uses":"x, expected y"}]}"#,
        "1:45: skills[0].uses: expected a whole number that is not negative, \
         found \"x, expected y\"",
    );
    fault(r#"{"delta":1.5}"#, "1:12: delta: expected a whole number, found 1.5");
    fault(r#"{"ratio":null}"#, "1:13: ratio: expected a number, found null");
    fault(r#"{"on":{}}"#, "1:6: on: expected true or false, found an object");
    fault(r#"{"skills":{}}"#, "1:10: skills: expected a list, found an object");
    fault("7", "1:1: expected an object, found 7");
    fault(r#"{"skills":[{}]}"#, "1:13: skills[0]: missing key `name`");
    fault(
        r#"{"skills":[{"name":"a","nme":1}]}"#,
        "1:28: skills[0]: unknown key `nme`: did you mean `name`?",
    );
    fault(r#"{"on":true,"on":true}"#, "1:15: twice the key `on`");
    let levels = "`low`, `high`, `exactly`, `by`";
    fault(
        r#"{"level":"middle"}"#,
        &format!("1:17: level: unknown value `middle`, expected one of {levels}"),
    );
    fault(r#"{"level":7}"#, &format!("1:10: level: expected one of {levels}"));
    fault(
        r#"{"level":{"exactly":{"percent":"x"}}}"#,
        "1:34: level.exactly.percent: \
         expected a whole number that is not negative, found \"x\"",
    );
    fault(r#"{"level":{"by":7}}"#, "1:16: level.by: expected an object, found 7");
    fault(
        r#"{"hooks":[{"type":"gone"}]}"#,
        "1:24: hooks[0].type: unknown value `gone`, expected `stopped` or `added`",
    );
    let long = format!(r#"{{"on":"{}"}}"#, "x".repeat(10_000));
    let error = read::<State>(&long).unwrap_err();
    assert!(error.detail().len() < 200, "{error}");
    let long = "x".repeat(10_000);
    for json in [format!(r#"{{"{long}":1}}"#), format!(r#"{{"by_name":{{"{long}":1}}}}"#)] {
        let error = read::<State>(&json).unwrap_err();
        assert!(error.to_string().len() < 1_200, "{error}");
    }
}

#[test]
fn syntax_errors_have_a_position() {
    fault("", "1:0: EOF while parsing a value");
    fault("{\n\"on\":}", "2:6: on: expected value");
    fault("{} {}", "1:4: trailing characters");
    let deep = "[".repeat(1_000);
    let error = read::<Value>(&deep).unwrap_err();
    assert_eq!(error.detail(), "recursion limit exceeded");
}

proptest! {
    /// For types without objects, the result equals serde's.
    #[test]
    fn any_text_is_read_as_serde_reads_it(json in "[\\[\\]{}\",:0-9.a\\-\u{feff} ]{0,24}") {
        let text = json.strip_prefix('\u{feff}').unwrap_or(&json);
        let expected = serde_json::from_str::<Value>(text).ok();
        prop_assert_eq!(read::<Value>(&json).ok(), expected);
    }

    /// serde accepts and this reader refuses only lists in place of objects.
    #[test]
    fn only_lists_in_place_of_objects_are_refused(
        pointer in prop::sample::select(PLACES),
        other in prop::sample::select(OTHERS),
    ) {
        let mut value: Value = serde_json::from_str(WHOLE).unwrap();
        *value.pointer_mut(pointer).unwrap() = serde_json::from_str(other).unwrap();
        let json = value.to_string();
        match (read::<State>(&json), serde_json::from_str::<State>(&json)) {
            (Ok(state), by_serde) => prop_assert_eq!(state, by_serde.unwrap()),
            (Err(error), Ok(_)) => prop_assert!(error.detail().ends_with("found a list"), "{}", error),
            (Err(_), Err(_)) => {}
        }
    }
}

const WHOLE: &str = r#"{
    "skills": [{"name": "a"}, {"name": "b", "uses": 2}],
    "hooks": [{"type": "stopped", "name": "c"}, {"type": "added", "texts": ["d"]}],
    "level": {"exactly": {"percent": 3}}, "by_name": {"e": {"name": "e"}}, "pair": [1, 2],
    "ratio": 1, "on": true, "delta": -1
}"#;

const PLACES: &[&str] = &[
    "",
    "/skills",
    "/skills/0",
    "/skills/1/uses",
    "/hooks",
    "/hooks/0",
    "/hooks/1/texts",
    "/level",
    "/level/exactly",
    "/by_name",
    "/by_name/e",
    "/pair",
    "/on",
];

const OTHERS: &[&str] = &[
    "[]",
    r#"["a"]"#,
    r#"["a",1]"#,
    r#"["stopped","a",1]"#,
    r#"["added",["d"]]"#,
    "[1]",
    "{}",
    r#"{"name":"a"}"#,
    r#"{"percent":1}"#,
    "1",
    "null",
    r#""low""#,
];

#[test]
fn the_position_is_reported_once() {
    let error = serde_json::from_str::<u8>("\n7e").unwrap_err();
    assert_eq!(without_place(&error), "EOF while parsing a value");
    let error = serde_json::from_str::<u8>("[]").unwrap_err();
    assert_eq!(without_place(&error), "invalid type: sequence, expected u8");
}
