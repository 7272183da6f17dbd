//! The traces.

use std::fs;
use std::path::Path;
use std::time::Duration;

use aside_cache_split::{Continuation, TtlPolicy, shared_ttl};
use aside_messages::conversation::Part;
use aside_messages::wire::{CacheControl, Text, Ttl};
use aside_session::{SessionConfig, ToolOrigin};

use crate::support::cases::all_or;
use crate::traces::price::{MODEL, Sent};
use crate::traces::project::{self, text, tool};
use crate::traces::replay::Played;

/// A trace by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Trace {
    /// Sixty calls, one at a time.
    Loop,
    /// Twelve turns with three calls each, with a gap of this many minutes in
    /// the middle.
    Idle(u64),
    /// Forty sessions with three requests each, twelve minutes apart, after
    /// such a day.
    Day,
    /// The same, on the project's first day.
    FirstDay,
    /// The same in CI with fresh homes, in a project whose settings have one
    /// hour.
    Ci,
    /// The same as four developers with their own stores, in a project whose
    /// settings have one hour. One of them is a CI job with a fresh home.
    TeamDay,
    /// Four developers with their own paths and homes, forty sessions in an
    /// hour.
    Team,
    /// Ten turns with this many parallel calls.
    FanOut(usize),
    /// Four tools arrive in the middle of a loop.
    Mcp,
    /// The same with a system prompt of the user, which has no boundary.
    CustomMcp,
    /// Forty concurrent requests with one prefix, which no other continues.
    Subagents,
    /// The loop, with two of the caller's markers on its first message.
    Caller,
}

impl Trace {
    pub(crate) const ALL: [Self; 14] = [
        Self::Loop,
        Self::Idle(10),
        Self::Idle(50),
        Self::Day,
        Self::FirstDay,
        Self::Ci,
        Self::TeamDay,
        Self::Team,
        Self::FanOut(12),
        Self::FanOut(18),
        Self::Mcp,
        Self::CustomMcp,
        Self::Subagents,
        Self::Caller,
    ];

    /// Those in which no entry expires.
    pub(crate) const WITHOUT_GAP: [Self; 8] = [
        Self::Loop,
        Self::Team,
        Self::FanOut(12),
        Self::FanOut(18),
        Self::Mcp,
        Self::CustomMcp,
        Self::Subagents,
        Self::Caller,
    ];

    /// Returns the trace's row in docs/cache-policy.md.
    pub(crate) fn row(self) -> &'static str {
        match self {
            Self::Loop => "loop of 60 calls",
            Self::Idle(_) => "idle gap (10 or 50 minutes) in twelve turns",
            Self::Day => "40 sessions in a day, 12 minutes apart, after a similar day",
            Self::FirstDay => "the same on the project's first day",
            Self::Ci => "the same in CI with a fresh home, with `cache.prefix: 1h` committed",
            Self::TeamDay => "the same by four developers, with `cache.prefix: 1h` committed",
            Self::Team => "four developers, 40 sessions in an hour",
            Self::FanOut(12) => "ten turns with 12 parallel calls",
            Self::FanOut(_) => "ten turns with 18 parallel calls",
            Self::Mcp => "four tools arrive in a loop",
            Self::CustomMcp => "the same with your own system prompt",
            Self::Subagents => "40 subagents behind the gate",
            Self::Caller => "two markers from the caller",
        }
    }

    /// Returns the traces for the table: the shortest of each kind, or all.
    pub(crate) fn tried() -> &'static [Self] {
        const FEW: &[Trace] = &[Trace::Loop, Trace::Idle(10), Trace::FanOut(12)];
        all_or(FEW, &Self::ALL)
    }
}

const MINUTE: Duration = Duration::from_secs(60);

/// Plays a trace; without a policy, with the default one.
pub(crate) fn play(trace: Trace, ttl: Option<TtlPolicy>) -> Vec<Sent> {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path().join("project");
    project::make(&cwd);
    let config = || configured(project::config(&cwd, None, MODEL), ttl);
    let open = || Played::open(config(), "a", Duration::ZERO);
    match trace {
        Trace::Loop => looped(open(), 60),
        Trace::Idle(minutes) => idle(open(), minutes),
        Trace::Day => {
            day(&cwd, ttl, Some((0..40).map(|number| 12 * MINUTE * (120 - number)).collect()))
        }
        Trace::FirstDay => day(&cwd, ttl, Some(Vec::new())),
        Trace::Ci => day(&cwd, ttl, None),
        Trace::Team => team(directory.path(), ttl, Duration::from_secs(90), None),
        Trace::TeamDay => team(directory.path(), ttl, 12 * MINUTE, Some(Ttl::OneHour)),
        Trace::FanOut(width) => {
            let mut played = open();
            for subject in 0..10 {
                played.turn(subject, 1, width);
                played.at += MINUTE / 2;
            }
            played.sent
        }
        Trace::Mcp => mcp(open(), &config().tools),
        Trace::CustomMcp => {
            let mut config = config();
            config.prompt.custom = config.prompt.append.take();
            let tools = config.tools.clone();
            mcp(Played::open(config, "a", Duration::ZERO), &tools)
        }
        Trace::Subagents => subagents(config),
        Trace::Caller => {
            let mut played = open();
            let marked = |seed| {
                Part::Text(Text {
                    cache_control: Some(CacheControl::EPHEMERAL),
                    ..Text::new(text(seed, 400))
                })
            };
            played.say(vec![marked(1), marked(2), Part::text(text(3, 80))]);
            looped(played, 60)
        }
    }
}

fn configured(mut config: SessionConfig, ttl: Option<TtlPolicy>) -> SessionConfig {
    config.cache.ttl = ttl;
    config
}

pub(crate) fn looped(mut played: Played, calls: usize) -> Vec<Sent> {
    if played.sent.is_empty() && played.session.turn() == 0 {
        played.ask(0);
    }
    played.send();
    for _ in 0..calls {
        played.call(1);
        played.send();
    }
    played.sent
}

fn idle(mut played: Played, minutes: u64) -> Vec<Sent> {
    for turn in 0..12 {
        played.turn(turn, 3, 1);
        played.at += match turn {
            5 => Duration::from_secs(60 * minutes),
            _ => MINUTE,
        };
    }
    played.sent
}

fn session(config: SessionConfig, name: &str, at: Duration, subject: usize) -> Vec<Sent> {
    let mut played = Played::open(config, name, at);
    played.turn(subject, 2, 1);
    played.sent
}

/// Plays a day. `yesterday` are the ages of earlier sessions when it begins; with `None`, the
/// project's settings have one hour.
fn day(cwd: &Path, ttl: Option<TtlPolicy>, yesterday: Option<Vec<Duration>>) -> Vec<Sent> {
    let mut begun: Vec<Duration> = Vec::new();
    let mut sent = Vec::new();
    for number in 0..40 {
        let at = 12 * MINUTE * number;
        fs::write(cwd.join(format!("note-{number}")), "").unwrap();
        let mut config = configured(project::config(cwd, None, MODEL), ttl);
        if number >= 20 {
            config.date = "2026-02-01".parse().unwrap();
        }
        config.cache.prefix = Some(match &yesterday {
            Some(yesterday) => {
                let earlier = yesterday.iter().map(|age| at + *age);
                shared_ttl(begun.iter().map(|begun| at - *begun).chain(earlier))
            }
            None => Ttl::OneHour,
        });
        begun.push(at);
        sent.extend(session(config, &format!("day-{number}"), at, number as usize));
    }
    sent
}

fn team(
    directory: &Path,
    ttl: Option<TtlPolicy>,
    step: Duration,
    prefix: Option<Ttl>,
) -> Vec<Sent> {
    let places: Vec<_> = (0..4)
        .map(|developer| {
            let home = directory.join(format!("home/dev{developer}"));
            let cwd = home.join("src/".repeat(developer + 1)).join("project");
            project::make(&cwd);
            project::make_home(&home, developer);
            (home, cwd)
        })
        .collect();
    let mut begun: [Vec<Duration>; 4] = Default::default();
    let mut sent = Vec::new();
    for number in 0..40_usize {
        let developer = number % 4;
        let at = step * number as u32;
        let (home, cwd) = &places[developer];
        fs::write(cwd.join(format!("note-{number}")), "").unwrap();
        let config = project::config(cwd, Some(home), MODEL);
        let mut config = configured(config, ttl);
        let begun = &mut begun[developer];
        let auto = shared_ttl(begun.iter().map(|begun| at - *begun));
        config.cache.prefix = prefix.or(Some(auto));
        begun.push(at);
        sent.extend(session(config, &format!("team-{number}"), at, number));
    }
    sent.sort_by_key(|it| it.at);
    sent
}

fn mcp(mut played: Played, tools: &[aside_session::SessionTool]) -> Vec<Sent> {
    played.ask(0);
    played.send();
    for call in 0..60 {
        if call == 30 {
            let arrived = (15..19).map(|number| tool(number, ToolOrigin::Builtin));
            played.session.set_tools(tools.iter().cloned().chain(arrived).collect());
        }
        played.call(1);
        played.send();
    }
    played.sent
}

/// As the agent's gate sends them: the first one alone, the others once its
/// response begins.
fn subagents(config: impl Fn() -> SessionConfig) -> Vec<Sent> {
    let one_shot = |number: usize| {
        let mut config = config();
        config.cache.continuation = Continuation::OneShot;
        let at = match number {
            0 => Duration::ZERO,
            _ => Duration::from_millis(1_100),
        };
        let mut played = Played::open(config, &format!("agent-{number}"), at);
        played.ask(number);
        played.send();
        played.sent
    };
    (0..40).flat_map(one_shot).collect()
}
