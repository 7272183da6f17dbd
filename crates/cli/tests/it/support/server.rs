//! `aside serve` or `aside proxy`, until it is interrupted.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

/// A server that runs until it is interrupted.
pub(crate) struct Server {
    pub(crate) child: Child,
    /// The address of the first variable that it printed.
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(command: &mut Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let (_, url) = line.trim().split_once('=').unwrap();
        let url = url.to_owned();
        Self { child, url }
    }

    pub(crate) fn interrupt(self) -> Output {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(sent.success());
        self.child.wait_with_output().unwrap()
    }
}
