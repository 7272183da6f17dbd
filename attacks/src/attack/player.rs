//! Plays a class's cases, each combination in its own place.

use std::os::unix::net::UnixListener;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::Extent;
use super::case::{Case, Class, Step};
use super::check::Check;
use super::command::{Cost, Ran};
use super::outcome::Outcome;
use super::place::{Place, exchange};
use super::template::Scope;

/// One combination of a case in its place.
pub(super) struct Player<'a> {
    pub(super) class: &'a Class,
    pub(super) case: &'a Case,
    pub(super) place: Place,
    pub(super) scope: Scope,
    /// Added by steps.
    pub(super) arguments: Vec<String>,
    pub(super) outcome: Outcome,
    last: Option<Ran>,
    /// By the command's arguments.
    pub(super) costs: Vec<(String, Cost)>,
}

/// Plays cases in a class in every combination, in the short form in a sample of them.
pub(super) fn play<'a>(
    aside: &str,
    class: &'a Class,
    cases: impl IntoIterator<Item = &'a Case>,
    extent: Extent,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for case in cases {
        for scope in class.sample(case, extent)? {
            outcome.add(Player::play(aside, class, case, scope)?.outcome);
        }
    }
    Ok(outcome)
}

impl<'a> Player<'a> {
    /// Plays a case's steps in a new place.
    pub(super) fn play(
        aside: &str,
        class: &'a Class,
        case: &'a Case,
        mut scope: Scope,
    ) -> Result<Self> {
        let place = Place::new(aside)?;
        scope.set("place", place.path("").to_string_lossy().trim_end_matches('/'));
        let mut player = Self {
            class,
            case,
            place,
            scope,
            arguments: Vec::new(),
            outcome: Outcome::default(),
            last: None,
            costs: Vec::new(),
        };
        let done = player.steps(&case.steps);
        done.with_context(|| format!("the case {}", case.name))?;
        Ok(player)
    }

    fn steps(&mut self, steps: &[Step]) -> Result<()> {
        steps.iter().try_for_each(|step| self.step(step).with_context(|| format!("{step:?}")))
    }

    fn step(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Init => self.place.init()?,
            Step::Write(path, content) => {
                let (path, content) = (self.scope.text(path)?, self.scope.bytes(content)?);
                self.place.write(path, content)?;
            }
            Step::Link(target, path) => {
                let (target, path) = (self.scope.text(target)?, self.scope.text(path)?);
                self.place.link(target, path)?;
            }
            Step::Socket(path) => {
                drop(UnixListener::bind(self.place.path(self.scope.text(path)?))?);
            }
            Step::Git(arguments) => {
                self.place.git(&self.scope.arguments(arguments)?)?;
            }
            Step::Sh(script) => drop(self.shell(script)?),
            Step::Capture(name, script) => {
                let output = self.shell(script)?;
                self.scope.set(name, output.trim());
            }
            Step::Use(name) => {
                let name = self.scope.text(name)?;
                let steps = self.class.steps.get(&name);
                self.steps(steps.with_context(|| format!("no steps {name}"))?)?;
            }
            Step::For(names, list, steps) => {
                let list = self.scope.fill(list)?;
                let list = match list.as_u64() {
                    Some(count) => (0..count).map(Into::into).collect(),
                    None => list.as_array().context("a list, or a number")?.clone(),
                };
                for value in list {
                    self.scope.assign(names, &value)?;
                    self.steps(steps)?;
                }
            }
            Step::Exchange(directory, target, steps) => {
                let (directory, target) = (self.scope.text(directory)?, self.scope.text(target)?);
                let paths = (self.place.path(&directory), self.place.path(target));
                let count = exchange(&paths.0, &paths.1, || self.steps(steps))?;
                self.outcome.note(format!("{directory}: {count} exchanges"));
            }
            Step::Arguments(list) => self.arguments.extend(self.scope.arguments(list)?),
            Step::Instances(instances) => instances.plant(&self.place, &mut self.scope)?,
            Step::Run(commands) => {
                for arguments in commands {
                    let arguments = self.scope.arguments(arguments)?;
                    self.run(&[&[self.place.aside.clone()][..], &arguments].concat())?;
                }
            }
            Step::Program(command) => {
                let command = self.scope.arguments(command)?;
                self.run(&command)?;
            }
            Step::Check(expect) => self.judge("", expect)?,
        }
        Ok(())
    }

    /// Runs a command, again if it is slow, and judges it.
    fn run(&mut self, command: &[String]) -> Result<()> {
        let mut ran = self.execute(command)?;
        if ran.fault().is_some_and(|it| it.starts_with("takes")) {
            ran = self.execute(command)?;
        }
        let arguments = command[1..].join(" ");
        self.costs.push((arguments.clone(), ran.cost));
        self.last = Some(ran);
        self.judge(&arguments, &self.case.expect)
    }

    fn execute(&mut self, command: &[String]) -> Result<Ran> {
        let with = &self.case.with;
        let mut process = match with.memory_kib {
            None => self.place.program(&command[0], &command[1..]),
            // The shell sets the limit, and then becomes the command.
            Some(kib) => {
                let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
                let mut shell = self.place.program("sh", &["-c", &script]);
                shell.args(command);
                shell
            }
        };
        if let Some(directory) = &with.cwd {
            process.current_dir(self.place.path(self.scope.text(directory)?));
        }
        let mut ran = if with.terminal {
            // Colors are the command's own escapes.
            Ran::on_terminal(process.env("NO_COLOR", "1"))?
        } else {
            Ran::of(&mut process)?
        };
        ran.limit = with.seconds.map(Duration::from_secs_f64);
        Ok(ran)
    }

    /// Counts an attempt for each expectation about the last command.
    fn judge(&mut self, command: &str, expect: &[Vec<Check>]) -> Result<()> {
        let ran = self.last.as_ref().context("no command was run")?;
        for checks in expect {
            let mut findings = Vec::new();
            for check in checks {
                findings.extend(check.finding(ran, &self.place, &mut self.scope)?);
            }
            let name = self.scope.text(&self.case.name)?;
            let place = self.place.path("").to_string_lossy().into_owned();
            let named = |it: &String| format!("{name}, {command:?}: {it}").replace(&place, "");
            self.outcome.check(findings.first().map(named));
            self.outcome.tried(self.case.with.further_attempts);
        }
        Ok(())
    }

    fn shell(&mut self, script: &str) -> Result<String> {
        let script = self.scope.text(script)?;
        let mut shell = self.place.program("sh", &["-c", &script]);
        let ran = Ran::of(shell.current_dir(self.place.path("")))?;
        if ran.code != Some(0) {
            bail!("the script fails: {}", ran.text());
        }
        Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
    }
}

#[cfg(test)]
mod tests;
