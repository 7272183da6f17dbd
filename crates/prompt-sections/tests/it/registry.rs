//! The list of sections and its order.

use aside_prompt_sections::{
    Lifetime, Place, Registry, Section, SectionError, SectionErrorKind, Zone, fixed_section, names,
    section, uncached_section,
};

use crate::INPUTS;

fn dynamic(name: &str) -> Section {
    let text = format!("{name}'s text");
    section(name, Lifetime::Project, move || {
        let text = text.clone();
        async { Ok(Some(text)) }
    })
}

/// Has the static sections `a b c` and the dynamic sections `x y z`.
fn small() -> Registry {
    let mut registry = Registry::new(INPUTS);
    for name in ["x", "y", "z"] {
        registry.register(dynamic(name)).expect("names are new");
    }
    for name in ["a", "b", "c"] {
        registry.register(fixed_section(name, "text")).expect("names are new");
    }
    registry
}

fn order(registry: &Registry) -> String {
    let names = registry.list().into_iter().map(|section| section.name);
    names.collect::<Vec<_>>().join(" ")
}

fn check_place(name: &str, place: Place<'_>, expected: &str) {
    let mut registry = small();
    registry.place(name, place).expect("the place exists");
    assert_eq!(order(&registry), expected);
}

fn kind(result: Result<(), SectionError>) -> SectionErrorKind {
    result.expect_err("it is refused").kind()
}

#[test]
fn a_section_is_added_at_the_end_of_its_zone() {
    assert_eq!(order(&small()), "a b c x y z");
}

#[test]
fn a_section_moves_within_its_zone() {
    check_place("c", Place::First, "c a b x y z");
    check_place("a", Place::Last, "b c a x y z");
    check_place("a", Place::After("b"), "b a c x y z");
    check_place("c", Place::Before("b"), "a c b x y z");
    check_place("b", Place::Before("b"), "a b c x y z");
    check_place("z", Place::First, "a b c z x y");
    check_place("x", Place::Last, "a b c y z x");
    check_place("x", Place::After("y"), "a b c y x z");
    check_place("z", Place::Before("x"), "a b c z x y");
}

#[test]
fn no_section_leaves_its_zone() {
    let mut registry = small();
    assert_eq!(kind(registry.place("a", Place::After("x"))), SectionErrorKind::WrongZone);
    assert_eq!(kind(registry.place("x", Place::Before("a"))), SectionErrorKind::WrongZone);
    assert_eq!(kind(registry.replace("a", dynamic("d"))), SectionErrorKind::WrongZone);
    assert_eq!(order(&registry), "a b c x y z");
}

#[test]
fn a_section_is_replaced_and_removed() {
    let mut registry = small();
    registry.replace("b", fixed_section("b", "new")).unwrap();
    registry.replace("y", dynamic("w")).unwrap();
    assert_eq!(registry.remove("a").unwrap().name(), "a");
    assert_eq!(order(&registry), "b c x w z");
    assert_eq!(
        crate::resolve(&registry)
            .prompt(aside_prompt_sections::StaticBoundary::Absent)
            .to_strings()[0],
        "new"
    );
}

#[test]
fn names_are_unique() {
    let mut registry = small();
    assert_eq!(kind(registry.register(dynamic("a"))), SectionErrorKind::DuplicateName);
    assert_eq!(
        kind(registry.replace("b", fixed_section("a", ""))),
        SectionErrorKind::DuplicateName
    );
    assert_eq!(
        kind(registry.register(dynamic(names::SYSTEM_CONTEXT))),
        SectionErrorKind::ReservedName
    );
    assert_eq!(kind(registry.register(dynamic("a\u{1b}[2J"))), SectionErrorKind::InvalidName);
    insta::assert_snapshot!(registry.register(dynamic("a")).unwrap_err(), @"section `a` is registered already");
}

#[test]
fn an_unknown_name_is_an_error() {
    let mut registry = small();
    assert_eq!(kind(registry.remove("q").map(drop)), SectionErrorKind::UnknownName);
    assert_eq!(kind(registry.replace("q", dynamic("r"))), SectionErrorKind::UnknownName);
    assert_eq!(kind(registry.place("q", Place::First)), SectionErrorKind::UnknownName);
    assert_eq!(kind(registry.place("a", Place::After("q"))), SectionErrorKind::UnknownName);
    assert_eq!(kind(registry.retry("q")), SectionErrorKind::UnknownName);
    assert_eq!(order(&registry), "a b c x y z");
}

#[test]
fn an_uncached_section_needs_a_reason() {
    let compute = || async { Ok(None) };
    let mut registry = Registry::new(INPUTS);
    let silent = uncached_section("a", Lifetime::Session, compute, " ");
    assert_eq!(kind(registry.register(silent)), SectionErrorKind::MissingReason);
    let reason = "the weather changes";
    assert!(registry.register(uncached_section("a", Lifetime::Session, compute, reason)).is_ok());
}

#[test]
fn the_standard_sections_in_order() {
    let lines = Registry::standard(INPUTS).list().into_iter().map(|section| {
        let zone = match section.zone {
            Zone::Static => "static",
            Zone::Dynamic => "dynamic",
        };
        format!("{zone:7} {:24} {:?} {:?}", section.name, section.lifetime, section.caching)
    });
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}
