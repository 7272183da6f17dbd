//! A session with thirty turns and a different event in each.

use super::*;

const TURNS: usize = 30;

/// Returns a turn's state: a server whose tools come and go, and modes.
fn state(turn: usize) -> String {
    let tool = |name: &str| format!(r#"{{"name":"mcp__tracker__{name}","description":"Does it"}}"#);
    let tools = match turn / 4 % 3 {
        0 => vec![tool("search")],
        1 => vec![tool("search"), tool("close")],
        _ => vec![tool("close")],
    };
    let (plan, used) = (turn % 9 == 4, 1_000 * turn);
    format!(
        r#"{{"mcp_servers":[{{"name":"tracker","tools":[{}]}}],"plan":{{"is_on":{plan},"file":"/plans/p.md"}},"token_usage":{{"used":{used},"total":200000}}}}"#,
        tools.join(",")
    )
}

/// Writes reminders for every owner and delivery.
fn remind(play: &Play) {
    for owner in ["home", "project"] {
        for delivery in ["ephemeral", "persistent"] {
            let header =
                format!("schedule: {{kind: turn, turn_interval: 2}}\ndelivery: {delivery}");
            reminder(&play.place, owner, &format!("{owner}-{delivery}"), &header);
        }
        reminder(&play.place, owner, &format!("{owner}-always"), "schedule: {kind: always}");
    }
}

/// Ends a run with a signal during its last response.
fn interrupt(play: &mut Play, prompt: &str, signal: &str) {
    let before = play.judge.seen().bodies.len();
    let (open, gate) = gate();
    play.judge.script(vec![call(before, &["a.md"]), Answer::Midway(8, gate)]);
    let run = play.start(&[prompt]);
    play.judge.await_requests(before + 2);
    run.signal(signal);
    let id = play.id.clone();
    run.end();
    let _ = open.send(());
    play.id = id;
    play.judge.script(Vec::new());
}

/// Sends lines while a tool runs, and while the last response arrives.
fn steer(play: &mut Play, prompt: &str) {
    let before = play.judge.seen().bodies.len();
    let (open, gate) = gate();
    play.judge.script(vec![Answer::Held(reading(before, &["a.md"]), gate)]);
    let mut run = play.start(&[prompt]);
    play.judge.await_requests(before + 1);
    run.say("Between, see @a.md.");
    open.send(()).unwrap();
    play.ended(run, Some(0));
}

#[test]
fn a_session_of_thirty_turns() {
    let mut play = Play::new();
    remind(&play);
    for turn in 0..TURNS {
        let prompt = format!("Turn {turn}");
        play.state(&state(turn));
        play.arguments.retain(|it| it != "--date" && !it.starts_with("2027-"));
        let day = format!("2027-01-{:02}", 1 + turn / 7);
        play.arguments.extend(["--date".to_owned(), day]);
        play.write("a.md", format!("one\nturn {}\n", turn / 5));
        match turn % 10 {
            2 => steer(&mut play, &prompt),
            4 => {
                interrupt(&mut play, &prompt, "-INT");
                play.run(&[]);
            }
            6 => {
                interrupt(&mut play, &prompt, "-KILL");
                play.run(&[]);
            }
            8 => {
                play.judge.script(vec![Answer::Broken(turn % 5)]);
                play.ends(&[&prompt], 1);
                play.run(&["Go on"]);
            }
            _ => {
                play.judge.script(vec![call(100 + turn, &["a.md", "gone.md", "a.md"])]);
                play.run(&[&prompt]);
            }
        }
        play.judge.refuses_nothing();
    }
    // A cancelled answer may have kept its thinking, too.
    let last = play.last();
    assert!(last.contains("Turn 0") && last.contains("Turn 29"));
    for expected in ["tool_addition", "tool_removal", "clear_at", "Today's date is now 2027-01-05."]
    {
        assert!(last.contains(expected), "{expected}: {last}");
    }
    assert!(thoughts(&last) >= play.produced(), "{last}");
    assert!(play.judge.seen().bodies.len() > 60);
}
