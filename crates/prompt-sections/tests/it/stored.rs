//! Storing resolved sections and reading them back.

use aside_prompt_sections::{
    Lifetime, PromptDiagnostic, Registry, Resolved, StaticBoundary, fixed_section, section,
    uncached_section,
};

use crate::{INPUTS, resolve};

fn session(text: &'static str) -> Registry {
    let mut registry = Registry::new(INPUTS);
    let sections = [
        fixed_section("rules", text),
        section("kept", Lifetime::Project, move || async move { Ok(Some(text.into())) }),
        section("silent", Lifetime::Project, move || async move {
            Ok((text == "new").then(|| text.into()))
        }),
        section("failing", Lifetime::Session, move || async move {
            match text {
                "new" => Ok(Some(text.into())),
                _ => Err("no luck".into()),
            }
        }),
        uncached_section(
            "anew",
            Lifetime::Session,
            move || async move { Ok(Some(text.into())) },
            "a test",
        ),
    ];
    for section in sections {
        registry.register(section).expect("names are new");
    }
    registry
}

#[test]
fn resolved_sections_round_trip() {
    let resolved = resolve(&session("old"));
    let json = serde_json::to_string_pretty(&resolved).unwrap();
    insta::assert_snapshot!(json);
    assert_eq!(serde_json::from_str::<Resolved>(&json).unwrap(), resolved);
}

#[test]
fn a_resumed_session_keeps_its_bytes() {
    let earlier = resolve(&session("old"));
    let registry = session("new");
    assert!(registry.restore(&earlier).is_empty());
    let resumed = resolve(&registry);
    assert_eq!(resumed.prompt(StaticBoundary::Marked).to_strings(), ["old", "old", "new"]);
    assert_eq!(resumed.diagnostics(), earlier.diagnostics());

    registry.clear();
    assert_eq!(resolve(&registry).prompt(StaticBoundary::Marked).to_strings(), ["new"; 5]);
}

#[test]
fn restoring_returns_unknown_names_and_adds_no_section() {
    let earlier = resolve(&session("old"));
    let mut registry = session("new");
    registry.remove("kept").unwrap();
    registry
        .register(section("later", Lifetime::Project, || async { Ok(Some("later".into())) }))
        .unwrap();
    assert_eq!(registry.restore(&earlier), ["kept"]);
    assert_eq!(resolve(&registry).prompt(StaticBoundary::Absent).to_strings(), ["old", "new"]);
}

#[test]
fn renewed_sections_are_those_of_the_earlier_session() {
    let earlier = resolve(&session("old"));
    let mut registry = session("new");
    registry.remove("kept").unwrap();
    registry.register(fixed_section("later", "later")).unwrap();
    let renewed = earlier.renewed(&resolve(&registry));
    let names = |resolved: &Resolved| -> Vec<String> {
        let sections = resolved.sections();
        sections.map(|section| section.name.clone()).collect()
    };
    assert_eq!(names(&renewed), names(&earlier));
    assert_eq!(
        renewed.prompt(StaticBoundary::Absent).to_strings(),
        ["new", "old", "new", "new", "new"]
    );
    assert_eq!(earlier.renewed(&earlier), earlier);
    let after = |before| futures_util::FutureExt::now_or_never(registry.resolve_after(before));
    assert_eq!(after(&earlier), Some(Some(renewed.clone())));
    assert!(registry.restore(&renewed).contains(&"kept".to_owned()));
    assert_eq!(after(&renewed), Some(None));
    // A section of another version, with another lifetime, is the same.
    let json = serde_json::to_string(&renewed).unwrap();
    let json = json.replace(r#""lifetime":"session""#, r#""lifetime":"project""#);
    let other = serde_json::from_str(&json).unwrap();
    assert_ne!(other, renewed);
    assert_eq!(after(&other), Some(None));
}

#[test]
fn impossible_values_are_not_read() {
    let entry = |name: &str, zone: &str| {
        format!(
            r#"{{"name":"{name}","zone":"{zone}","lifetime":"project","value":{{"text":"t"}}}}"#
        )
    };
    let read = |entries: [String; 2]| {
        serde_json::from_str::<Resolved>(&format!("[{}]", entries.join(",")))
    };
    assert!(read([entry("a", "static"), entry("b", "dynamic")]).is_ok());
    let doubled = read([entry("a", "static"), entry("a", "dynamic")]).unwrap_err();
    assert!(doubled.to_string().starts_with("section `a` is registered already"));
    assert!(read([entry("a", "dynamic"), entry("b", "static")]).is_err());
    assert!(read([entry("a", "static"), entry("append", "dynamic")]).is_err());
}

#[test]
fn a_diagnostic_of_a_later_version_can_be_read() {
    let known = PromptDiagnostic::SectionFailed { section: "a".into(), message: "no luck".into() };
    let json = serde_json::to_string(&known).unwrap();
    assert_eq!(json, r#"{"kind":"section_failed","section":"a","message":"no luck"}"#);
    assert_eq!(serde_json::from_str::<PromptDiagnostic>(&json).unwrap(), known);
    let later = r#"{"kind":"section_slow","section":"a"}"#;
    assert_eq!(serde_json::from_str::<PromptDiagnostic>(later).unwrap(), PromptDiagnostic::Unknown);
}
