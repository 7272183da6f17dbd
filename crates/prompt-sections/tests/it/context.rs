//! The session context in both layouts.

use aside_prompt_sections::{
    ContextEntry, Lifetime, SystemPrompt, comparable_sections, session_context, system_context,
};

fn entries() -> Vec<ContextEntry> {
    vec![
        ContextEntry::git_status("Branch: main\n\nStatus:\n M src/cart.rs"),
        ContextEntry::current_date("2026-11-21".parse().expect("a date")),
    ]
}

fn prompt() -> SystemPrompt {
    SystemPrompt::builder()
        .fixed("rules", "Rules.")
        .boundary()
        .dynamic("environment", "Environment.")
        .session("token_budget", "# Token budget\n\nUse 5 tokens.")
        .session("deploys", "# How we deploy\nBy hand.")
        .build()
        .expect("names are unique")
}

#[test]
fn the_classic_layout_appends_key_and_value() {
    let mut all = entries();
    all.push(ContextEntry::cache_breaker("7"));
    insta::assert_snapshot!(system_context(&all).unwrap(), @r"
    gitStatus: Branch: main

    Status:
     M src/cart.rs
    currentDate: Today's date is 2026-11-21.
    cacheBreaker: 7
    ");
    let prompt = prompt().with_system_context(&entries()[..1]);
    let last = prompt.segments().next_back().unwrap();
    assert_eq!((last.name(), last.lifetime()), ("system_context", Lifetime::Session));
    assert!(last.text().starts_with("gitStatus: Branch: main\n"));
}

#[test]
fn appending_the_context_again_replaces_it() {
    let once = prompt().with_system_context(&entries());
    assert_eq!(once.clone().with_system_context(&entries()), once);
}

#[test]
fn the_layered_layout_has_a_heading_for_each() {
    insta::assert_snapshot!(session_context(&entries(), &prompt()).unwrap(), @r"
    # gitStatus
    Branch: main

    Status:
     M src/cart.rs

    # currentDate
    Today's date is 2026-11-21.

    # token_budget
    Use 5 tokens.

    # deploys
    # How we deploy
    By hand.
    ");
}

#[test]
fn comparable_sections_have_the_text_of_the_context() {
    let prompt = prompt();
    let sections = comparable_sections(&prompt);
    let all = session_context(&sections, &SystemPrompt::builder().build().unwrap()).unwrap();
    let of_the_session = session_context(&[], &prompt).unwrap();
    assert!(all.ends_with(&of_the_session), "{all}");
    assert_eq!(sections.len(), 4);
}

#[test]
fn without_entries_there_is_no_context() {
    let blank = [ContextEntry::git_status(" \n")];
    let prompt = SystemPrompt::builder().fixed("a", "A").build().unwrap();
    assert_eq!(system_context(&blank), None);
    assert_eq!(session_context(&blank, &prompt), None);
    assert_eq!(prompt.clone().with_system_context(&blank), prompt);
}

#[test]
fn a_name_stays_on_its_line() {
    let entry = [ContextEntry::new("a\n# currentDate", "text")];
    let prompt = SystemPrompt::builder().build().unwrap();
    assert_eq!(system_context(&entry).unwrap(), "a\\n# currentDate: text");
    assert_eq!(session_context(&entry, &prompt).unwrap(), "# a\\n# currentDate\ntext");
}
