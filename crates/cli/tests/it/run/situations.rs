//! Situations in a session against a strict API that binds thinking to the
//! prefix. It accepts every request, and thinking is lost only when the
//! situation requires it. See docs/append-only.md for a list.

mod answers;
mod attachments;
mod compaction;
mod files;
mod mcp;
mod midnight;
mod options;
mod pauses;
mod reminders;
mod resumes;
mod steering;
mod switches;
mod thirty_turns;
mod tools;
mod triggers;
mod workers;

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules};

use super::judge::{Answer, Judge, call, gate, is_summary, reading, reminder, thoughts};
use super::steer::Steered;
use super::*;

/// A session to play, with one process per turn.
struct Play {
    place: Place,
    judge: Judge,
    id: Option<String>,
    /// Arguments and variables for every run.
    arguments: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

impl Play {
    fn new() -> Self {
        Self {
            place: Place::new(),
            judge: Judge::new(),
            id: None,
            arguments: Vec::new(),
            variables: Vec::new(),
        }
    }

    fn of(answers: Vec<Answer>) -> Self {
        let play = Self::new();
        play.judge.script(answers);
        play
    }

    fn write(&self, path: &str, contents: impl AsRef<[u8]>) {
        let path = self.place.path("project").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    /// Sets the state for every later run.
    fn state(&mut self, json: &str) {
        let path = self.place.path("state.json");
        fs::write(&path, json).unwrap();
        self.arguments.retain(|it| it != "--state" && !it.ends_with("state.json"));
        self.arguments.extend(["--state".to_owned(), path.to_str().unwrap().to_owned()]);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let resume = self.id.iter().flat_map(|id| ["--resume", id]);
        let own = self.arguments.iter().map(String::as_str);
        let arguments: Vec<&str> = arguments.iter().copied().chain(resume).chain(own).collect();
        let mut command = self.judge.command(&self.place, &arguments);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a turn that ends well.
    #[track_caller]
    fn run(&mut self, arguments: &[&str]) -> Ran {
        self.ends(arguments, 0)
    }

    /// Runs a turn that ends with this code.
    #[track_caller]
    fn ends(&mut self, arguments: &[&str], code: i32) -> Ran {
        let ran = Ran::of(self.command(arguments).output().unwrap());
        assert_eq!(ran.code, Some(code), "{arguments:?} {ran:?}");
        self.id = Some(ran.id());
        ran
    }

    /// Runs a command that is refused before a session begins.
    #[track_caller]
    fn ends_without_session(&mut self, arguments: &[&str], code: i32) -> Ran {
        let ran = Ran::of(self.command(arguments).output().unwrap());
        assert_eq!(ran.code, Some(code), "{arguments:?} {ran:?}");
        ran
    }

    /// Runs prompts that end well.
    #[track_caller]
    fn say(&mut self, prompts: &[&str]) {
        for prompt in prompts {
            self.run(&[prompt]);
        }
    }

    /// Starts a run and steers it through stdin.
    fn start(&self, arguments: &[&str]) -> Steered {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Steered::start(command)
    }

    /// Takes over the session from a run that ended with this code.
    #[track_caller]
    fn ended(&mut self, run: Steered, code: Option<i32>) -> Ran {
        let ran = run.end();
        assert_eq!(ran.code, code, "{ran:?}");
        self.id = Some(ran.id());
        ran
    }

    fn last(&self) -> String {
        self.judge.seen().bodies.last().unwrap().clone()
    }

    /// Checks how many requests there were, that none was refused, and that the
    /// last one contains this text.
    #[track_caller]
    fn accepted(&self, requests: usize, contains: &str) {
        self.judge.refuses_nothing();
        let last = self.last();
        assert!(last.contains(contains), "{contains}: {last}");
        assert_eq!(self.judge.seen().bodies.len(), requests);
    }

    /// Also checks that every thinking block is in the last request.
    #[track_caller]
    fn kept(&self, requests: usize, contains: &str) {
        self.accepted(requests, contains);
        let (sent, produced) = (thoughts(&self.last()), self.produced());
        assert_eq!(sent, produced, "{}", self.last());
        assert!(sent > 0);
    }

    /// Checks with the cache model that each request reads all that the
    /// previous one left in the cache.
    #[track_caller]
    fn misses_nothing(&self) {
        let mut cache = CacheModel::new(CacheRules::anthropic());
        for (number, body) in self.judge.seen().bodies.iter().enumerate() {
            let request = Body::parse(body.as_bytes()).unwrap();
            let verdict = cache.send(&request, Duration::from_secs(10 * number as u64));
            assert!(verdict.miss.is_none(), "{number}: {:?}", verdict.miss);
        }
    }

    /// Counts the thinking blocks in the responses before the last request.
    fn produced(&self) -> usize {
        *self.judge.seen().thoughts.last().unwrap()
    }

    /// Also checks that the last request has this many thinking blocks: others
    /// are lost.
    #[track_caller]
    fn lost(&self, requests: usize, contains: &str, left: usize) {
        self.accepted(requests, contains);
        assert_eq!(thoughts(&self.last()), left, "{}", self.last());
    }
}
