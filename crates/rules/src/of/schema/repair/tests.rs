use super::{SchemaUse, repair};
use crate::of::schema::faults;

/// Repairs a schema and checks that the result has no faults.
fn check(of: SchemaUse, schema: &str, expected: &str) -> super::Repaired {
    let repaired = repair(of, schema).expect("it can be repaired");
    let repaired = repaired.expect("it has faults");
    assert_eq!(repaired.schema, expected, "{:?}", repaired.repairs);
    let of = match of {
        SchemaUse::OpenAiStrict if repaired.is_loose => SchemaUse::OpenAi,
        of => of,
    };
    assert_eq!(faults(of, &repaired.schema), [], "{}", repaired.schema);
    let again = repair(of, &repaired.schema).expect("it can be repaired");
    assert_eq!(again, None);
    repaired
}

#[test]
fn missing_keywords_are_added() {
    check(SchemaUse::OpenAi, r#"{"type":"object"}"#, r#"{"type":"object","properties":{}}"#);
    check(
        SchemaUse::OpenAi,
        r#"{"type": "object", "properties": {"a": {"anyOf": [{"type": "array"}, {"type": "null"}]}}}"#,
        r#"{"type": "object", "properties": {"a": {"anyOf": [{"type": "array","items":{}}, {"type": "null"}]}}}"#,
    );
    check(
        SchemaUse::OpenAi,
        r#"{"type":"object","properties":{"a":{"type":["array","null"],"items":null}}}"#,
        r#"{"type":"object","properties":{"a":{"type":["array","null"],"items":{}}}}"#,
    );
    check(
        SchemaUse::MessagesTool,
        r#"{"properties":{"a":{}}}"#,
        r#"{"properties":{"a":{}},"type":"object"}"#,
    );
}

/// An object that gets its type from a repair is open.
#[test]
fn a_repaired_object_is_checked_as_strict() {
    let of = SchemaUse::OpenAiStrict;
    for (schema, expected, is_loose) in [
        (r#"{"k":{}}"#, r#"{"k":{},"type":"object","properties":{}}"#, true),
        (
            r#"{"type":["object","null"],"properties":{}}"#,
            r#"{"type":"object","properties":{}}"#,
            true,
        ),
        (
            r#"{"properties":{},"additionalProperties":false}"#,
            r#"{"properties":{},"additionalProperties":false,"type":"object"}"#,
            false,
        ),
    ] {
        assert_eq!(check(of, schema, expected).is_loose, is_loose, "{schema}");
    }
}

#[test]
fn combinators_move_to_the_description_and_keep_their_properties() {
    let schema = r#"{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":true}}]}"#;
    for of in [SchemaUse::MessagesTool, SchemaUse::OpenAi] {
        let repaired =
            check(of, schema, r#"{"type":"object","properties":{"a":{"type":"string"},"b":true}}"#);
        let description = repaired.description.expect("the constraint");
        assert!(description.contains(r#"anyOf: [{"properties""#));
    }
    check(
        SchemaUse::OpenAi,
        r#"{"oneOf":[{"type":"object"}]}"#,
        r#"{"type":"object","properties":{}}"#,
    );
}

#[test]
fn keys_are_renamed_with_a_way_back() {
    let repaired = check(
        SchemaUse::MessagesTool,
        r#"{"type":"object","properties":{"a b":{},"a_b":{},"$top":{"a b":1}},"required":["a b","a_b"]}"#,
        r#"{"type":"object","properties":{"a_b_2":{},"a_b":{},"_top":{"a b":1}},"required":["a_b_2","a_b"]}"#,
    );
    let pairs: Vec<_> = repaired.keys.iter().map(|pair| (&*pair.original, &*pair.sent)).collect();
    assert_eq!(pairs, [("a b", "a_b_2"), ("$top", "_top")]);
}

/// To compare each key with all others and their numbers would take minutes.
#[test]
fn many_keys_become_one_with_numbers() {
    let count = 4_000;
    let keys = || (0..count).map(|it| char::from_u32(0x4e00 + it).unwrap());
    let properties: Vec<_> =
        keys().map(|it| format!(r#""{it}":{{"type":"array","required":true}}"#)).collect();
    let required: Vec<_> = keys().map(|it| format!("\"{it}\"")).collect();
    let schema = format!(
        r#"{{"type":"object","properties":{{{}}},"required":[{}]}}"#,
        properties.join(","),
        required.join(",")
    );
    let repaired = repair(SchemaUse::MessagesTool, &schema).unwrap().unwrap();
    let sent: Vec<_> = repaired.keys.iter().map(|it| &*it.sent).collect();
    assert_eq!((sent[0], sent[1], sent[3_999]), ("_", "__2", "__4000"));
    assert!(repaired.schema.ends_with(r#","__4000"]}"#), "{}", repaired.schema);
}

#[test]
fn a_strict_schema_with_optional_properties_is_sent_as_not_strict() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"array"}}}"#;
    let repaired = check(
        SchemaUse::OpenAiStrict,
        schema,
        r#"{"type":"object","properties":{"a":{"type":"array","items":{}}}}"#,
    );
    assert!(repaired.is_loose);
}

#[test]
fn outputs_are_closed_and_bounds_described() {
    check(
        SchemaUse::MessagesOutput,
        r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}"#,
        concat!(
            r#"{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false,"#,
            r#""description":"The output also has to match this JSON Schema:\nproperties.n.minimum: 1"}"#,
        ),
    );
}

/// A number takes the place of a long key's last characters: no key is too long again.
#[test]
fn many_long_keys_stay_within_their_limit() {
    let long = "é".repeat(60);
    let properties: Vec<_> = (0..1_100).map(|it| format!(r#""{long}{it}":{{}}"#)).collect();
    let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","));
    let repaired = repair(SchemaUse::MessagesTool, &schema).unwrap().unwrap();
    assert_eq!(repaired.keys.len(), 1_100);
    assert!(repaired.keys.iter().all(|it| it.sent.len() <= 64));
    assert!(repair(SchemaUse::MessagesTool, &repaired.schema).unwrap().is_none());
}

#[test]
fn the_last_of_doubled_keys_is_kept() {
    check(
        SchemaUse::MessagesTool,
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{},"a":{}}}"#,
        r#"{"type":"object","properties":{"b":{},"a":{}}}"#,
    );
}

#[test]
fn another_type_cannot_be_repaired() {
    for of in [SchemaUse::MessagesTool, SchemaUse::OpenAi] {
        let fault = repair(of, r#"{"type":"string"}"#).unwrap_err();
        assert_eq!(fault.path, "type");
        assert_eq!(fault.found, "\"string\"");
        check(
            of,
            r#"{"type":["object","null"],"properties":{}}"#,
            r#"{"type":"object","properties":{}}"#,
        );
    }
}

#[test]
fn what_is_no_schema_moves_to_the_description() {
    let schema = r#"{"type":"object","properties":{"a":"string","b":{"anyOf":["x"]},"c":true},"required":["a"]}"#;
    for of in [SchemaUse::MessagesTool, SchemaUse::OpenAi] {
        // A property that is required stays, with any value.
        let expected =
            r#"{"type":"object","properties":{"a":{},"b":{},"c":true},"required":["a"]}"#;
        let repaired = check(of, schema, expected);
        let description = repaired.description.expect("the constraints");
        assert!(description.contains(r#"properties.b.anyOf[0]: "x""#), "{description}");
    }
}

/// A keyword of another type has no schemas inside: it is one fault.
#[test]
fn a_keyword_of_another_type_is_described_once() {
    let schema = r#"{"type":"object","properties":{},"$defs":["x","y"]}"#;
    let repaired = check(SchemaUse::OpenAi, schema, r#"{"type":"object","properties":{}}"#);
    assert_eq!(repaired.repairs.len(), 1);
}
