//! To add a provider, you add a row: everything else reads it from there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aside_messages::wire::Request;
use aside_providers::{
    Address, Collector, KeyVariable, ModelVariables, Options, Provider, ProviderSpec, ServerKind,
    Stream, answer, convert,
};

/// A row as you would write it in `provider/table.rs`.
static ACME: ProviderSpec = {
    let mut row = *Provider::OpenAi.spec();
    row.name = "acme";
    row.title = "Acme";
    row.chosen_by = Some("CLAUDE_CODE_USE_ACME");
    row.keys = &[KeyVariable::api_key("ACME_API_KEY")];
    row.address = Address::fixed("ACME_BASE_URL", "https://llm.acme.example/v1");
    row.model_variables =
        ModelVariables { outright: Some("ACME_MODEL"), opus: None, sonnet: None, haiku: None };
    row.stand_in = |_, _, _| "acme-1".to_owned();
    row
};

#[test]
fn a_row_is_a_provider() {
    let json = r#"{"model":"opus","max_tokens":99,"messages":[{"role":"user","content":"Hi"}]}"#;
    let request = Request::parse(json.as_bytes()).unwrap().value;
    let outgoing = convert(&request, &ACME, &Options::default()).unwrap();
    assert_eq!((outgoing.path.as_str(), outgoing.model.as_str()), ("/responses", "acme-1"));
    // The row names no hosts, so every server is its own.
    assert_eq!(ACME.server(Some("http://localhost")), ServerKind::Own);

    let body = r#"{"id":"r","model":"acme-1","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[]}]}]}"#;
    let whole = answer(outgoing.wire, body.as_bytes(), &outgoing.names).unwrap();
    let mut stream = Stream::new(&ACME, outgoing.names);
    let mut events = Vec::new();
    let data = format!("data: {{\"type\":\"response.completed\",\"response\":{body}}}\n\n");
    stream.push(data.as_bytes(), &mut events).unwrap();
    stream.finish(&mut events).unwrap();
    let mut collector = Collector::default();
    events.iter().for_each(|event| collector.push(event));
    assert_eq!(collector.finish(), whole);
}

/// Only the table names several providers: to add one, you change this file, and for a new wire you
/// add a folder.
#[test]
fn one_file_lists_providers() {
    let root: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", ".."].iter().collect();
    let mut listing = BTreeSet::new();
    let mut looked_at = 0;
    each_source(&root.join("crates"), &mut |path, text| {
        looked_at += 1;
        // Tests name the providers that they are about.
        let code: String = text
            .split("#[cfg(test)]")
            .next()
            .unwrap_or_default()
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let variants = Provider::ALL.map(|provider| format!("Provider::{provider:?}"));
        let named = variants.iter().filter(|variant| code.contains(*variant));
        // In the macro, variants have no type before them.
        if named.count() > 1 || code.contains("providers! {") {
            let path = path.strip_prefix(root.join("crates")).unwrap();
            listing.insert(path.to_string_lossy().replace('\\', "/"));
        }
    });
    assert!(looked_at > 100, "{looked_at} files");
    assert_eq!(listing.into_iter().collect::<Vec<_>>(), ["providers/src/provider/table.rs"]);
}

/// Calls `see` with every source file, except tests and benches.
fn each_source(directory: &Path, see: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_test = ["tests", "benches", "fuzz", "examples", "tests.rs"].contains(&&*name);
        if is_test {
            continue;
        }
        if path.is_dir() {
            each_source(&path, see);
        } else if name.ends_with(".rs") {
            see(&path, &fs::read_to_string(&path).unwrap());
        }
    }
}
