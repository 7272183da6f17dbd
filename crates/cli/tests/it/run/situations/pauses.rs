//! `aside run --resume` sessions with pauses between runs. The cache model
//! prices them; time passes only in the test.

use aside_cache_model::{Cost, Timed, lower_bound};

use super::*;

/// How many calls each turn has, and how many minutes to pause after it.
type Turns = &'static [(usize, u64)];

/// With pauses that outlive five minutes.
const PAUSED: [Turns; 7] = [
    &[(1, 10), (1, 1)],
    &[(3, 50), (2, 1)],
    &[(2, 10), (1, 50), (2, 1)],
    &[(9, 10), (1, 1)],
    &[(2, 10), (0, 10), (0, 10), (1, 1)],
    &[(0, 1), (0, 10), (1, 1)],
    &[(0, 1), (0, 50), (0, 10), (3, 1)],
];

const UNBROKEN: [Turns; 2] = [&[(1, 1), (1, 1)], &[(6, 1), (0, 1), (2, 1)]];

/// Plays a session, and returns its cost and the lowest cost possible for its
/// bytes.
fn play(turns: Turns, arguments: &[&str]) -> (Cost, Cost) {
    let mut play = Play::new();
    let arguments = ["--model", "claude-opus-5"].iter().chain(arguments);
    play.arguments = arguments.map(|it| (*it).to_owned()).collect();
    play.write("CLAUDE.md", "Keep every rule of this project. ".repeat(2_000));
    let mut log = Vec::new();
    let (mut at, mut file) = (Duration::ZERO, 0);
    for (number, (calls, minutes)) in turns.iter().enumerate() {
        let mut script = Vec::new();
        for _ in 0..*calls {
            file += 1;
            let name = format!("file{file}.md");
            play.write(&name, format!("line of file {file}\n").repeat(120));
            script.push(call(file, &[&name]));
        }
        play.judge.script(script);
        play.run(&[&format!("Prompt {number}")]);
        for body in &play.judge.seen().bodies[log.len()..] {
            log.push(Timed::new(Body::parse(body.as_bytes()).unwrap(), at));
            at += Duration::from_secs(8);
        }
        at += Duration::from_secs(60 * minutes);
        wait(&play, *minutes);
    }
    let rules = CacheRules::anthropic();
    let mut cache = CacheModel::new(rules.clone());
    let costs = log.iter().map(|entry| cache.send_timed(entry).cost.unwrap());
    (costs.sum(), lower_bound(&log, &rules).unwrap())
}

/// Dates the session's requests back, since the next run asks how long ago they
/// were sent.
fn wait(play: &Play, minutes: u64) {
    let path = play.place.transcript(play.id.as_ref().unwrap());
    let text = fs::read_to_string(&path).unwrap();
    let mut pieces = text.split(r#""unix_ms":"#);
    let mut dated = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (at, rest) = piece.split_once(',').unwrap();
        let at = at.parse::<u64>().unwrap() - 60_000 * minutes;
        dated += &format!(r#""unix_ms":{at},{rest}"#);
    }
    assert_ne!(dated, text, "no request has a time");
    fs::write(path, dated).unwrap();
}

/// Returns the cost divided by the bound, and by the cost with five minutes.
fn ratios(turns: Turns) -> (f64, f64) {
    let (cost, bound) = play(turns, &[]);
    let (short, _) = play(turns, &["--cache-ttl", "5m"]);
    let ratio = |of: Cost| cost.dollars() / of.dollars();
    (ratio(bound), ratio(short))
}

#[test]
fn a_resumed_session_survives_its_pauses() {
    for turns in PAUSED {
        let (of_bound, of_short) = ratios(turns);
        assert!(of_bound <= 1.10 && of_short <= 1.0, "{turns:?}: {of_bound} {of_short}");
    }
}

#[test]
fn checkpoints_cost_next_to_nothing_without_a_pause() {
    for turns in UNBROKEN {
        let (_, of_short) = ratios(turns);
        assert!(of_short <= 1.01, "{turns:?}: {of_short}");
    }
}

/// The test sees a session without checkpoints.
#[test]
fn a_session_of_five_minutes_does_not_survive() {
    let (cost, bound) = play(PAUSED[1], &["--cache-ttl", "5m"]);
    assert!(cost.dollars() > 1.10 * bound.dollars(), "{cost} {bound}");
}
