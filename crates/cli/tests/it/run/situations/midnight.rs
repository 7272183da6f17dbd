//! Midnight passes during a run.
//!
//! The command reads the machine's clock, so the test uses the time zone to
//! change the day: midnight is a few seconds away when the run starts, and the
//! answer waits until then.

use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::*;

const DAY: u64 = 24 * 60 * 60;

/// Returns the seconds since the epoch.
fn seconds() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    now.as_secs()
}

/// Returns a time zone with midnight at this time.
fn zone(midnight: u64) -> String {
    let east = (DAY - midnight % DAY) % DAY;
    let (hours, minutes, seconds) = (east / 3600, east / 60 % 60, east % 60);
    format!("MID-{hours:02}:{minutes:02}:{seconds:02}")
}

/// Plays a session that makes its first request `before` midnight, and all
/// others after it. Returns `None` when this machine was too slow.
fn play(before: u64, layout: &str) -> Option<Play> {
    let midnight = seconds() + before;
    let mut play = Play::new();
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    play.variables.push(("TZ", zone(midnight)));
    let (open, gate) = gate();
    play.judge.script(vec![Answer::Held(reading(1, &["a.md"]), gate)]);
    let run = play.start(&["one", "--layout", layout]);
    play.judge.await_requests(1);
    let is_late = seconds() >= midnight;
    while seconds() < midnight {
        sleep(Duration::from_millis(50));
    }
    open.send(()).unwrap();
    play.ended(run, Some(0));
    (!is_late).then_some(play)
}

fn check(layout: &str) {
    let played = [3, 10, 30].into_iter().find_map(|before| play(before, layout));
    let mut play = played.expect("a run starts within 30 seconds");
    let reported = |play: &Play| play.last().matches("Today's date is now ").count();
    {
        let seen = play.judge.seen();
        assert!(!seen.bodies[0].contains("Today's date is now "));
        assert!(seen.bodies[1].contains("Today's date is now "));
    }
    // The next run is on the new day, too.
    play.say(&["two"]);
    play.kept(3, "two");
    assert_eq!(reported(&play), 1);
    // On a later day, a run is told this day.
    play.run(&["three", "--date", "2031-05-06"]);
    play.kept(4, "Today's date is now 2031-05-06.");
    assert_eq!(reported(&play), 2);
}

#[test]
fn in_the_layered_layout() {
    check("layered");
}

#[test]
fn in_the_classic_layout() {
    check("classic");
}
