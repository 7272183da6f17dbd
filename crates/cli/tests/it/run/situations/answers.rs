use aside_gateway::strict::Draft;

use super::*;

fn draft() -> Draft {
    Draft::new()
}

/// Plays these responses, then one more turn. Returns the session.
fn played(answers: Vec<Draft>) -> Play {
    let mut play = Play::of(answers.into_iter().map(Answer::Draft).collect());
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    play.say(&["one"]);
    play.say(&["two", "three"]);
    play
}

#[test]
fn thinking_is_redacted() {
    let redacted = || draft().redacted_thinking();
    let read = redacted().tool_use("Read", r#"{"file_path":"a.md"}"#).unwrap();
    played(vec![read, redacted().text("Done.")]).kept(4, "redacted_thinking");
}

#[test]
fn thinking_is_interleaved_with_calls() {
    let interleaved = draft()
        .thinking("First.")
        .text("I look.")
        .thinking("Second.")
        .tool_use("Read", r#"{"file_path":"a.md"}"#)
        .unwrap();
    let both = draft().thinking("Third.").redacted_thinking().text("Done.");
    played(vec![interleaved, both]).kept(4, "I look.");
}

#[test]
fn an_answer_ends_in_thinking() {
    let ends = draft().thinking("A.").text("Yes.").thinking("B.");
    played(vec![ends]).kept(3, "Yes.");
}

#[test]
fn an_answer_is_thinking_alone() {
    played(vec![draft().thinking("Nothing to say.")]).accepted(3, "three");
}

#[test]
fn an_answer_is_empty() {
    let mut play = Play::of(vec![Answer::Draft(draft())]);
    play.say(&["one", "two", "three"]);
    play.kept(3, "three");
}

#[test]
fn calls_are_made_at_the_same_time() {
    let mut answers = vec![reading(1, &["a.md", "gone.md", "a.md", "a.md"])];
    answers.push(reading(2, &["a.md", "a.md"]));
    played(answers).kept(5, "toolu_1_3");
}

#[test]
fn calls_have_the_ids_of_earlier_ones() {
    played(vec![reading(1, &["a.md"]), reading(1, &["a.md"])]).kept(5, "toolu_1_0");
}

#[test]
fn a_call_names_no_tool() {
    let unknown = draft().thinking("T.").tool_use("Nothing", "{}").unwrap();
    played(vec![unknown]).kept(4, "Nothing");
}

#[test]
fn a_call_has_the_wrong_input() {
    let wrong = draft().thinking("T.").tool_use("Read", r#"{"path":1}"#).unwrap();
    played(vec![wrong]).kept(4, "is_error");
}

#[test]
fn a_todo_list_is_written_and_delivered_again() {
    let todos = r#"{"todos":[{"content":"Sing","status":"in_progress"}]}"#;
    let write = draft().thinking("T.").tool_use("TodoWrite", todos).unwrap();
    let mut answers = vec![write];
    answers.extend((0..12).map(|number| reading(number, &["a.md"])));
    played(answers).kept(16, "Sing");
}

#[test]
fn an_answer_is_too_long() {
    let cut = draft().thinking("T.").text("Once upon").stop_reason("max_tokens");
    let mut play = Play::of(vec![Answer::Draft(cut)]);
    play.ends(&["one"], 1);
    play.say(&["two", "three"]);
    play.kept(3, "Once upon");
}

#[test]
fn a_call_is_cut_off() {
    let cut = reading(1, &["a.md", "a.md"]).stop_reason("max_tokens");
    let mut play = Play::of(vec![Answer::Draft(cut)]);
    play.ends(&["one"], 1);
    play.say(&["two", "three"]);
    play.kept(3, "toolu_1_1");
}

#[test]
fn an_answer_is_refused() {
    let refusal = draft().thinking("T.").text("No.").stop_reason("refusal");
    let mut play = Play::of(vec![Answer::Draft(refusal)]);
    play.ends(&["one"], 1);
    play.say(&["two", "three"]);
    play.accepted(3, "three");
}

#[test]
fn an_answer_is_paused() {
    let call =
        r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}"#;
    let result = r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}"#;
    let paused = draft().thinking("T.").block(call).unwrap().block(result).unwrap();
    let answers = vec![paused.stop_reason("pause_turn")];
    played(answers).kept(4, "srvtoolu_1");
}

#[test]
fn an_answer_fell_back_to_another_model() {
    let fallback = r#"{"type":"fallback","from":{"model":"claude-sonnet-5-5"},"to":{"model":"claude-opus-5"}}"#;
    let fallback = draft().block(fallback).unwrap().text("Yes.");
    played(vec![fallback]).accepted(3, "fallback");
}

#[test]
fn streams_break_off_at_every_event() {
    let mut play = Play::new();
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    play.say(&["one"]);
    for events in 0..8 {
        play.judge.script(vec![Answer::Broken(events)]);
        play.ends(&["more"], 1);
        play.run(&[]);
    }
    play.accepted(17, "Continue with the task.");
}

#[test]
fn the_user_continues_after_broken_streams() {
    let mut play = Play::new();
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    play.say(&["one"]);
    for events in 0..8 {
        play.judge.script(vec![Answer::Broken(events)]);
        play.ends(&["more"], 1);
        play.say(&["something else"]);
    }
    play.accepted(17, "something else");
}

#[test]
fn two_streams_in_a_row_break_off() {
    let mut play = Play::of(vec![Answer::Broken(2), Answer::Broken(1), Answer::Broken(4)]);
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    play.ends(&["one"], 1);
    play.ends(&["two"], 1);
    play.ends(&[], 1);
    play.say(&["three", "four"]);
    play.accepted(5, "four");
}

#[test]
fn a_stream_breaks_off_in_a_call() {
    let mut play = Play::of(vec![call(1, &["a.md"]), Answer::Broken(3)]);
    play.ends(&["one"], 1);
    play.say(&["two", "three"]);
    play.accepted(4, "three");
}
