//! The structure of a system prompt.

use aside_prompt_sections::{
    Lifetime, SectionError, SectionErrorKind, Segment, StaticBoundary, SystemPrompt, Zone,
};

/// The boundary in lists of strings by other tools.
const BOUNDARY_TEXT: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

fn shape(prompt: &SystemPrompt) -> String {
    let names = |zone| prompt.zone(zone).map(Segment::name);
    let boundary = (prompt.boundary() == StaticBoundary::Marked).then_some("|");
    let parts = names(Zone::Static).chain(boundary).chain(names(Zone::Dynamic));
    parts.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_boundary_is_between_the_zones() {
    let prompt = SystemPrompt::builder()
        .fixed("a", "A")
        .fixed("b", "B")
        .boundary()
        .dynamic("c", "C")
        .session("d", "D")
        .build()
        .unwrap();
    assert_eq!(shape(&prompt), "a b | c d");
    assert_eq!(prompt.to_strings(), ["A", "B", "C", "D"]);
    let kinds: Vec<_> = prompt.segments().map(|s| (s.zone(), s.lifetime())).collect();
    assert_eq!(
        kinds,
        [
            (Zone::Static, Lifetime::Project),
            (Zone::Static, Lifetime::Project),
            (Zone::Dynamic, Lifetime::Project),
            (Zone::Dynamic, Lifetime::Session),
        ]
    );
}

#[test]
fn a_prompt_without_boundary_still_knows_its_zones() {
    let prompt = SystemPrompt::builder().fixed("a", "A").dynamic("b", "B").build().unwrap();
    assert_eq!(prompt.boundary(), StaticBoundary::Absent);
    assert_eq!(shape(&prompt), "a b");
    assert_eq!(prompt.zone(Zone::Dynamic).count(), 1);
}

#[test]
fn the_boundary_text_inside_a_section_is_content() {
    let prompt = SystemPrompt::builder()
        .fixed("a", BOUNDARY_TEXT)
        .boundary()
        .dynamic("b", BOUNDARY_TEXT)
        .build()
        .unwrap();
    assert_eq!(shape(&prompt), "a | b");
    assert_eq!(prompt.to_strings(), [BOUNDARY_TEXT, BOUNDARY_TEXT]);
}

#[test]
fn blank_sections_are_left_out_and_zones_may_be_empty() {
    let prompt = SystemPrompt::builder().fixed("a", " \n").boundary().dynamic("b", "B").build();
    assert_eq!(shape(&prompt.unwrap()), "| b");
}

#[test]
fn names_follow_their_rules() {
    let kind = |result: Result<SystemPrompt, SectionError>| result.unwrap_err().kind();
    let fixed = |name: &str| SystemPrompt::builder().fixed(name, "text").build();
    assert_eq!(
        kind(SystemPrompt::builder().fixed("a", "1").boundary().dynamic("a", "2").build()),
        SectionErrorKind::DuplicateName
    );
    assert_eq!(kind(fixed("")), SectionErrorKind::InvalidName);
    assert_eq!(kind(fixed(" a")), SectionErrorKind::InvalidName);
    assert_eq!(kind(fixed("a\n# b")), SectionErrorKind::InvalidName);
    assert_eq!(kind(fixed("append")), SectionErrorKind::ReservedName);
    assert!(fixed("My section, v2").is_ok());
    insta::assert_snapshot!(
        fixed("a\n# b").unwrap_err(),
        @"section `a\\n# b` is not a valid name: one line, not empty, no outer white space"
    );
}
