use super::*;

/// Returns a session state with one server and tools with these names.
fn server(tools: &[&str]) -> String {
    let mut json = String::from(r#"{"mcp_servers":[{"name":"tracker","tools":["#);
    for (index, tool) in tools.iter().enumerate() {
        let (name, description) = tool.split_once('=').unwrap_or((tool, "Does it"));
        let comma = if index > 0 { "," } else { "" };
        write!(
            json,
            r#"{comma}{{"name":"mcp__tracker__{name}","description":"{description}","input_schema":{{"type":"object"}}}}"#
        )
        .unwrap();
    }
    json + "]}]}"
}

/// Plays a turn with each state, and one more.
fn check(states: &[String]) -> Play {
    let mut play = Play::new();
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    for (index, state) in states.iter().enumerate() {
        play.state(state);
        play.judge.script(vec![call(index, &["a.md"])]);
        play.run(&["Go"]);
    }
    play.say(&["And now?"]);
    play
}

#[test]
fn a_tool_is_added() {
    let play = check(&[server(&[]), server(&["search"])]);
    play.kept(5, r#"{"type":"tool_addition","tool":{"type":"tool_reference","name":"mcp__tracker__search"}}"#);
    assert!(play.last().contains(r#""defer_loading":true"#));
}

#[test]
fn a_tool_is_removed() {
    let play = check(&[server(&["search"]), server(&[])]);
    play.kept(
        5,
        r#"{"type":"tool_removal","tool":{"type":"tool_reference","name":"mcp__tracker__search"}}"#,
    );
    assert!(play.last().contains(r#""name":"mcp__tracker__search","description""#));
}

/// A run without the flag, or the servers, of the one before cannot call their
/// tools.
#[test]
fn tools_that_a_later_run_lacks_are_removed() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.run(&["one", "--allow-edits"]);
    let ran = play.run(&["two"]);
    assert!(!ran.stderr.contains("cannot be called"), "{ran:?}");
    play.kept(3, r#"{"type":"tool_removal","tool":{"type":"tool_reference","name":"Write"}}"#);
    let play = check(&[server(&["search"]), "{}".to_owned()]);
    play.kept(
        5,
        r#"{"type":"tool_removal","tool":{"type":"tool_reference","name":"mcp__tracker__search"}}"#,
    );
}

#[test]
fn tools_are_added_removed_and_added_again() {
    let play = check(&[
        server(&["search"]),
        server(&["search", "close", "add"]),
        server(&["add"]),
        server(&["close", "add", "search"]),
        server(&[]),
    ]);
    play.kept(11, "tool_removal");
}

#[test]
fn a_tool_returns_with_another_definition() {
    let play = check(&[server(&["search"]), server(&[]), server(&["search=Searches"])]);
    play.accepted(7, "Searches");
    // The list is written again, so the thinking before it is lost.
    assert!(!play.last().contains("tool_addition"));
    assert_eq!(thoughts(&play.last()), 2);
}

#[test]
fn tools_are_added_and_removed_without_betas() {
    let mut play = Play::new();
    play.variables.push(("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS", "1".to_owned()));
    play.state(&server(&[]));
    play.say(&["one"]);
    play.state(&server(&["search"]));
    play.say(&["two"]);
    play.state(&server(&[]));
    play.say(&["three", "four"]);
    play.accepted(4, "four");
}

#[test]
fn a_server_changes_its_instructions() {
    let state =
        |text: &str| format!(r#"{{"mcp_servers":[{{"name":"tracker","instructions":"{text}"}}]}}"#);
    check(&[state("Search first."), state("Search last.")]).kept(5, "Search last.");
}

/// In the classic layout, the instructions are a system prompt section that is
/// computed for every request.
#[test]
fn a_computed_section_changes() {
    let state =
        |text: &str| format!(r#"{{"mcp_servers":[{{"name":"tracker","instructions":"{text}"}}]}}"#);
    let mut play = Play::new();
    play.arguments = vec!["--layout".to_owned(), "classic".to_owned()];
    for text in ["Search first.", "Search last.", "Search never.", "Search first."] {
        play.state(&state(text));
        play.judge.script(vec![call(1, &["a.md"])]);
        play.run(&["Go"]);
    }
    play.say(&["And now?"]);
    play.kept(9, "Search never.");
}

#[test]
fn a_tool_is_loaded_on_demand() {
    let state = r#"{"mcp_servers":[{"name":"tracker","tools":[{"name":"mcp__tracker__close","description":"Closes","defer_loading":true}]}]}"#;
    check(&[server(&[]), state.to_owned(), server(&[])]).kept(7, "mcp__tracker__close");
}
