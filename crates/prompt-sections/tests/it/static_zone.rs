//! The static zone is static.

use std::collections::HashSet;

use aside_prompt_sections::{
    ASIDE, BuiltinTool, BuiltinTools, CodingInstructions, Environment, OsKind, Product, Registry,
    Segment, StaticBoundary, StaticInputs, SystemPrompt, Zone, coordinator_prompt,
};

use crate::{INPUTS, environment, resolve};

fn prompt(inputs: StaticInputs) -> SystemPrompt {
    resolve(&Registry::standard(inputs)).prompt(StaticBoundary::Marked)
}

fn zone(inputs: StaticInputs) -> Vec<String> {
    prompt(inputs).to_strings()
}

#[test]
fn two_environments_have_the_same_static_zone() {
    let with = |environment: Environment| {
        let mut registry = Registry::standard(INPUTS);
        registry.provide(environment).expect("the section is there");
        resolve(&registry).prompt(StaticBoundary::Marked)
    };
    let here = with(environment());
    let there = with(Environment {
        working_directory: r"C:\other".into(),
        is_git_repository: false,
        platform: OsKind::Windows,
        ..environment()
    });
    let texts = |prompt: &SystemPrompt, zone| -> Vec<String> {
        prompt.zone(zone).map(|segment| segment.text().to_owned()).collect()
    };
    assert_eq!(texts(&here, Zone::Static), texts(&there, Zone::Static));
    assert_ne!(texts(&here, Zone::Dynamic), texts(&there, Zone::Dynamic));
}

#[test]
fn a_product_has_as_many_static_zones_as_variants() {
    let variants: Vec<_> = StaticInputs::variants(&ASIDE, &[BuiltinTools::ALL]).collect();
    let zones: HashSet<_> = variants.iter().map(|inputs| zone(*inputs)).collect();
    assert_eq!((variants.len(), zones.len()), (2, 2));
}

/// Each condition that a static section adds increases this number.
#[test]
fn every_condition_in_the_static_zone_is_counted() {
    let all = 1 << BuiltinTool::ALL.len();
    let sets: Vec<_> = (0..all)
        .map(|bits| {
            let chosen = (0..).zip(BuiltinTool::ALL).filter(|(at, _)| bits & (1 << at) != 0);
            let tools: Vec<_> = chosen.map(|(_, tool)| tool).collect();
            BuiltinTools::of(&tools)
        })
        .collect();
    let zones: HashSet<_> = StaticInputs::variants(&ASIDE, &sets).map(zone).collect();
    assert_eq!(zones.len(), 192);
}

#[test]
fn the_default_texts() {
    insta::assert_snapshot!(zone(INPUTS).join("\n\n"));
}

#[test]
fn an_output_style_replaces_the_coding_instructions() {
    let coding = CodingInstructions::Replaced;
    let prompt = prompt(StaticInputs { coding, ..INPUTS });
    let names: Vec<_> = prompt.segments().map(Segment::name).collect();
    assert!(!names.contains(&"doing_tasks"));
    insta::assert_snapshot!(prompt.to_strings()[0]);
}

#[test]
fn only_shipped_tools_are_named() {
    for missing in BuiltinTool::ALL {
        let others: Vec<_> = BuiltinTools::ALL.iter().filter(|tool| *tool != missing).collect();
        let tools = BuiltinTools::of(&others);
        let prompt = prompt(StaticInputs { tools, ..INPUTS });
        let mut segments = prompt.segments();
        let using_tools = segments.find(|segment| segment.name() == "using_tools");
        let mut words =
            using_tools.expect("the section is there").text().split(|c: char| !c.is_alphanumeric());
        assert!(!words.any(|word| word == missing.as_str()), "{}", missing.as_str());
    }
}

#[test]
fn tools_are_known_by_name() {
    let tools = BuiltinTools::from_names(["Grep", "mcp__shop__Read", "Read", "Read"]);
    assert_eq!(tools.iter().map(BuiltinTool::as_str).collect::<Vec<_>>(), ["Read", "Grep"]);
    assert_eq!(BuiltinTools::from_names([]), BuiltinTools::NONE);
}

#[test]
fn the_product_is_a_parameter_and_its_identity_is_not_repeated() {
    static OTHER: Product = Product { name: "Quill", identity: "You are Quill." };
    let text = zone(StaticInputs { product: &OTHER, ..INPUTS }).join("\n");
    assert!(text.contains("Quill") && !text.contains("Aside"));
    assert!(!text.contains(OTHER.identity));
    assert!(!text.contains("{product}"));
    assert!(!zone(INPUTS).join("\n").contains(ASIDE.identity));
}

#[test]
fn reminders_are_explained() {
    let prompt = prompt(INPUTS);
    let rules = prompt.segments().find(|segment| segment.name() == "system_rules").unwrap();
    assert!(rules.text().contains("`<system-reminder>`"));
    assert!(coordinator_prompt(&ASIDE, "Agent").contains("`<system-reminder>`"));
}

#[test]
fn the_coordinators_prompt() {
    insta::assert_snapshot!(coordinator_prompt(&ASIDE, "Agent"));
}
