use super::*;

fn check(property: &str, expected: &str) {
    let schema = format!(r#"{{"type":"object","properties":{{"p":{property}}}}}"#);
    let rewritten = rewrite(&RawJson::parse(&schema).unwrap()).unwrap();
    let schema = rewritten.schema.unwrap();
    let property = schema.at_pointer("/properties/p").unwrap();
    assert_eq!(serde_json::to_string(property).unwrap(), expected, "{schema:?}");
}

fn whole(schema: &str) -> Result<String, SchemaError> {
    let rewritten = rewrite(&RawJson::parse(schema).unwrap())?;
    Ok(serde_json::to_string(&rewritten.schema).unwrap())
}

#[test]
fn keywords() {
    check(
        r#"{"type":"string","$comment":"c","minLength":1}"#,
        r#"{"type":"string","minLength":1}"#,
    );
    check(r#"{"const":"a"}"#, r#"{"type":"string","enum":["a"]}"#);
    check(r#"{"type":"integer","const":5}"#, r#"{"type":"integer","description":"One of: 5"}"#);
    check(
        r#"{"enum":[1,2.5,null]}"#,
        r#"{"nullable":true,"type":"number","description":"One of: 1, 2.5"}"#,
    );
    // Values of other types than string are refused.
    check(
        r#"{"type":"boolean","const":true}"#,
        r#"{"type":"boolean","description":"One of: true"}"#,
    );
    check(r#"{"enum":["a",1]}"#, r#"{"description":"One of: a, 1"}"#);
    check(
        r#"{"type":["array","string"],"items":{"type":"integer","format":"int32"}}"#,
        r#"{"anyOf":[{"type":"array","items":{"type":"integer","format":"int32"}},{"type":"string"}]}"#,
    );
    check(
        r#"{"anyOf":[{"type":"array"},{"type":"string"}]}"#,
        r#"{"anyOf":[{"type":"array","items":{}},{"type":"string"}]}"#,
    );
    check(r#"{"type":["string","null"]}"#, r#"{"nullable":true,"type":"string"}"#);
    check(
        r#"{"type":["string","integer"]}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#,
    );
    check(r#"{"enum":["a",null]}"#, r#"{"nullable":true,"type":"string","enum":["a"]}"#);
    check(
        r#"{"anyOf":[{"type":"number","exclusiveMinimum":1.0},{"type":"null"}]}"#,
        r#"{"nullable":true,"type":"number"}"#,
    );
    check(r#"{"type":"string","format":"uri"}"#, r#"{"type":"string"}"#);
    check(r#"{"type":"integer","maximum":1e3}"#, r#"{"type":"integer","maximum":1e3}"#);
    check(r#"{"type":"array"}"#, r#"{"type":"array","items":{}}"#);
    check("true", "{}");
    check(
        r#"{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}"#,
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["a","b"]}"#,
    );
    check(r#"{"type":"object","properties":{},"required":["x"]}"#, r#"{"type":"object"}"#);
}

#[test]
fn a_limit_that_is_lost_is_reported() {
    let is_wider = |property: &str| {
        let schema = format!(r#"{{"type":"object","properties":{{"p":{property}}}}}"#);
        rewrite(&RawJson::parse(&schema).unwrap()).unwrap().width == Width::Wider
    };
    for property in [
        r#"{"const":{"a":1}}"#,
        r#"{"enum":[null]}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"integer"}],"oneOf":[{"minLength":1},{"minimum":1}]}"#,
        r#"{"allOf":[{"type":"integer","minimum":1},{"minimum":2}]}"#,
    ] {
        assert!(is_wider(property), "{property}");
    }
    for property in [
        r#"{"enum":["a",null]}"#,
        r#"{"allOf":[{"type":"string","title":"A","default":{"a":1}},{"title":"B","default":{"a":2}}]}"#,
    ] {
        assert!(!is_wider(property), "{property}");
    }
}

#[test]
fn properties_may_be_called_like_keywords() {
    let names = r#"{"type":"object","properties":{"$schema":{"type":"string"},"additionalProperties":{"type":"object","additionalProperties":false},"const":{"type":"string"},"$ref":{"type":"string"},"type":{"type":"string"}},"required":["$ref"]}"#;
    let expected = names.replace(r#","additionalProperties":false"#, "");
    check(names, &expected);
}

#[test]
fn properties_called_like_keywords_are_merged() {
    check(
        r#"{"allOf":[{"type":"object","properties":{"title":{"type":"string"},"required":{"type":"string"}}},{"properties":{"title":{"maxLength":9},"required":{"minLength":1}}}]}"#,
        r#"{"type":"object","properties":{"title":{"type":"string","maxLength":9},"required":{"type":"string","minLength":1}}}"#,
    );
    let schema = r#"{"allOf":[{"properties":{"title":{"maxLength":8}}},{"properties":{"title":{"maxLength":9}}}]}"#;
    assert!(
        rewrite(&RawJson::parse(schema).unwrap()).unwrap().width == Width::Wider,
        "a limit of the property `title` is lost"
    );
}

#[test]
fn references_are_inlined() {
    assert_eq!(
        whole(r##"{"$schema":"s","type":"object","properties":{"a":{"$ref":"#/$defs/x~1y","description":"d"},"b":{"$ref":"#/$defs/x~1y"},"c":{"$ref":"#/nowhere"}},"$defs":{"x/y":{"type":"string"}},"additionalProperties":false}"##).unwrap(),
        r#"{"type":"object","properties":{"a":{"type":"string","description":"d"},"b":{"type":"string"},"c":{"type":"object"}}}"#,
    );
    assert_eq!(
        whole(r##"{"type":"object","properties":{"next":{"$ref":"#"}}}"##).unwrap(),
        r#"{"type":"object","properties":{"next":{"type":"object","properties":{"next":{"type":"object"}}}}}"#,
    );
}

#[test]
fn no_parameters_are_no_schema() {
    assert_eq!(whole(r#"{"type":"object","properties":{}}"#).unwrap(), "null");
    assert_eq!(whole("{}").unwrap(), "null");
}

#[test]
fn a_small_schema_cannot_become_a_large_one() {
    let mut defs = vec![r#""d0":{"type":"string"}"#.to_owned()];
    for n in 1..40 {
        let below = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, n - 1);
        defs.push(format!(r#""d{n}":{{"properties":{{"a":{below},"b":{below}}}}}"#));
    }
    let schema = format!(r##"{{"$ref":"#/$defs/d39","$defs":{{{}}}}}"##, defs.join(","));
    let error = whole(&schema).unwrap_err();
    assert!(matches!(error, SchemaError::TooLarge | SchemaError::TooDeep), "{error:?}");
    let deep = format!("{}1{}", r#"{"items":"#.repeat(10_000), "}".repeat(10_000));
    assert_eq!(whole(&deep), Err(SchemaError::TooDeep));
    let long = format!(r#"{{"description":"{}"}}"#, "x".repeat(MAX_SCHEMA_BYTES));
    assert_eq!(whole(&long), Err(SchemaError::TooLarge));
    // As much as there may be, all in one object, and all of it required.
    let names: Vec<String> = (0..9_000).map(|n| format!("\"n{n}\"")).collect();
    let properties: Vec<String> = names.iter().map(|name| format!("{name}:{{}}")).collect();
    let wide = format!(
        r#"{{"type":"object","properties":{{{}}},"required":[{}]}}"#,
        properties.join(","),
        names.join(",")
    );
    assert_eq!(whole(&wide), Ok(wide));
    assert_eq!(whole("[]"), Err(SchemaError::NoObject));
}
