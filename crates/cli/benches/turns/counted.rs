//! The cost of a process in instructions and time of the processor.

use std::error::Error;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Instructions and seconds, both in user space but for the system's seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) instructions: Option<f64>,
    pub(crate) user: f64,
    pub(crate) system: f64,
}

impl Cost {
    pub(crate) fn minus(self, other: Self) -> Self {
        let instructions = self.instructions.zip(other.instructions);
        Self {
            instructions: instructions.map(|(own, other)| own - other),
            user: self.user - other.user,
            system: self.system - other.system,
        }
    }

    pub(crate) fn divided_by(self, count: f64) -> Self {
        Self {
            instructions: self.instructions.map(|it| it / count),
            user: self.user / count,
            system: self.system / count,
        }
    }
}

/// A program that counts instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counter {
    Perf,
    Cachegrind,
    Nothing,
}

impl Counter {
    /// Returns the first one that works here.
    pub(crate) fn find() -> Self {
        let counts = |counter: &Self| counter.instructions(&Command::new("true")).is_ok();
        let mut all = [Self::Perf, Self::Cachegrind].into_iter();
        all.find(counts).unwrap_or(Self::Nothing)
    }

    /// Runs the command twice, once for its time and once for its instructions.
    /// Its server has to accept two sessions.
    pub(crate) fn run(self, command: &Command) -> Result<Cost, Box<dyn Error>> {
        let script = "TIMEFORMAT='%U %S'; time \"$@\"";
        let output = wrapped(&["bash", "-c", script, "bash"], command).output()?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            return Err(stderr.into());
        }
        let times: Vec<f64> =
            stderr.lines().last().unwrap_or_default().split(' ').flat_map(str::parse).collect();
        let [user, system] = times[..] else {
            return Err(format!("no times: {stderr}").into());
        };
        let instructions = match self {
            Self::Nothing => None,
            _ => Some(self.instructions(command)?),
        };
        Ok(Cost { instructions, user, system })
    }

    /// Counts the instructions of a command and of its child processes.
    pub(crate) fn instructions(self, command: &Command) -> Result<f64, Box<dyn Error>> {
        match self {
            Self::Perf => {
                let mut counted =
                    wrapped(&["perf", "stat", "-x,", "-e", "instructions:u"], command);
                let stderr = String::from_utf8_lossy(&counted.output()?.stderr).into_owned();
                let mut lines = stderr.lines();
                let number = lines
                    .find(|line| line.contains("instructions"))
                    .and_then(|line| line.split(',').next()?.parse().ok());
                number.ok_or_else(|| format!("no count of instructions: {stderr}").into())
            }
            Self::Cachegrind => cachegrind(command, "--trace-children=yes"),
            Self::Nothing => Err("nothing counts instructions here".into()),
        }
    }

    /// Counts the instructions of a command alone. Only cachegrind can tell it from its child
    /// processes.
    pub(crate) fn own_instructions(command: &Command) -> Result<f64, Box<dyn Error>> {
        cachegrind(command, "--trace-children=no")
    }
}

fn cachegrind(command: &Command, children: &str) -> Result<f64, Box<dyn Error>> {
    let logs = tempfile::tempdir()?;
    let log = format!("--log-file={}/%p", logs.path().display());
    let tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no"];
    let output = ["--cachegrind-out-file=/dev/null", children, &log];
    let output = wrapped(&[&tool[..], &output[..]].concat(), command).output()?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(format!("{command:?}: {}: {stderr}", output.status).into());
    }
    sum_of_logs(logs.path())?.ok_or_else(|| format!("no count of instructions: {stderr}").into())
}

/// Sums the counts of cachegrind, one log per process.
fn sum_of_logs(directory: &Path) -> Result<Option<f64>, Box<dyn Error>> {
    let mut sum = None;
    for log in fs::read_dir(directory)? {
        let text = fs::read_to_string(log?.path())?;
        for line in text.lines() {
            // `==123== I   refs:      127,677`, with one blank or several.
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [_, "I", "refs:", number] = words[..] {
                let number: f64 = number.replace(',', "").parse()?;
                sum = Some(sum.unwrap_or(0.0) + number);
            }
        }
    }
    Ok(sum)
}

/// Returns the command as the argument of another program, with an empty stdin.
fn wrapped(words: &[&str], command: &Command) -> Command {
    let mut wrapped = Command::new(words[0]);
    wrapped
        .args(&words[1..])
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if let Some(directory) = command.get_current_dir() {
        // A command with a directory has a separate environment.
        wrapped.current_dir(directory).env_clear();
    }
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            wrapped.env(name, value);
        }
    }
    wrapped
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Perf => "perf",
            Self::Cachegrind => "cachegrind",
            Self::Nothing => "nothing",
        })
    }
}
