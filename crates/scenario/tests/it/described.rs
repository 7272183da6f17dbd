//! Every key in every schema has a description for editors.

use std::collections::BTreeMap;

use aside_scenario::generated_files;
use serde_json::Value;

/// Collects the keys' paths, and whether each is described: one of the schemas
/// that mention it has a description.
fn keys(schema: &Value, path: &str, found: &mut BTreeMap<String, bool>) {
    let each: Vec<(String, &Value)> = match schema {
        Value::Array(schemas) => schemas.iter().map(|it| (path.to_owned(), it)).collect(),
        Value::Object(schema) => {
            for (key, value) in
                schema.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                let path = format!("{path}/{key}");
                let is_described = value.get("description").is_some_and(|it| it != "");
                *found.entry(path.clone()).or_default() |= is_described;
                keys(value, &path, found);
            }
            let inner = ["items", "anyOf", "oneOf", "additionalProperties"]
                .iter()
                .filter_map(|it| schema.get(*it));
            inner.map(|it| (path.to_owned(), it)).collect()
        }
        _ => Vec::new(),
    };
    for (path, schema) in each {
        keys(schema, &path, found);
    }
}

#[test]
fn every_key_is_described_by_paragraphs_of_one_line() {
    for file in generated_files() {
        let schema = serde_json::from_str(&file.text).unwrap();
        let mut found = BTreeMap::new();
        keys(&schema, "", &mut found);
        assert!(found.len() > 10, "{}: {found:?}", file.path);
        let silent: Vec<&String> = found
            .iter()
            .filter(|(_, is_described)| !**is_described)
            .map(|(path, _)| path)
            .collect();
        assert_eq!(silent, [""; 0], "{}", file.path);
        let lines = file.text.lines();
        let mut descriptions = lines.filter(|line| line.trim().starts_with("\"description\": \""));
        assert!(
            descriptions.all(|line| !line.replace("\\n\\n", " ").contains("\\n")),
            "{}",
            file.path
        );
    }
}
