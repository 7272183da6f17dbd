use super::*;

/// Plays a turn with each state, and two more with the last one.
fn check(states: &[&str], expected: &str) {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.say(&["one"]);
    for state in states {
        play.state(state);
        play.say(&["more"]);
    }
    play.say(&["two", "three"]);
    play.kept(4 + states.len(), expected);
}

#[test]
fn plan_mode_comes_and_goes() {
    let on = r#"{"plan":{"is_on":true,"file":"/plans/p.md"}}"#;
    let off = r#"{"plan":{"is_on":false,"file":"/plans/p.md"}}"#;
    check(&[on, on, off, on], "/plans/p.md");
}

#[test]
fn auto_mode_comes_and_goes() {
    check(&[r#"{"auto_mode":true}"#, r#"{"auto_mode":false}"#, r#"{"auto_mode":true}"#], "more");
}

#[test]
fn skills_and_agents_change() {
    let one = r#"{"skills":[{"name":"a","description":"A skill"}],"agents":[{"agent_type":"x","description":"An agent"}]}"#;
    let two = r#"{"skills":[{"name":"b","description":"B skill"}],"agents":[{"agent_type":"y","description":"Y agent"}]}"#;
    check(&[one, two], "B skill");
}

#[test]
fn usage_and_budget_change() {
    let used = |tokens: u64| {
        format!(
            r#"{{"token_usage":{{"used":{tokens},"total":200000}},"budget":{{"used_cents":{tokens},"total_cents":9000}}}}"#
        )
    };
    check(&[&used(100), &used(200), &used(300)], "300");
}

#[test]
fn an_output_style_is_active() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.write(".claude/output-styles/terse.md", "Answer in one sentence.");
    play.write(".claude/settings.json", r#"{"outputStyle":"terse"}"#);
    play.say(&["one", "two", "three"]);
    play.kept(4, "terse output style is active");
    // The system prompt keeps the style that the session began with.
    play.write(".claude/output-styles/other.md", "Answer in rhyme.");
    play.write(".claude/settings.json", r#"{"outputStyle":"other"}"#);
    play.say(&["four"]);
    play.kept(5, "Answer in rhyme.");
    assert!(!play.last().contains("other output style is active"), "{}", play.last());
}

#[test]
fn the_editor_has_a_selection() {
    let selected = r#"{"opened_file":{"path":"/p/a.md"},"selection":{"path":"/p/a.md","first_line":1,"last_line":2,"content":"selected"}}"#;
    check(&[selected], "selected");
}
