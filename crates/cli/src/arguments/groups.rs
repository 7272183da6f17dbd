//! The commands in groups, for the help of `aside`: clap has no headings for commands.

use std::ffi::OsString;

use clap::{Command, CommandFactory};

use super::Arguments;

/// Each group with its commands, in the order of the help.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "X-ray: look into the requests of your agent",
        &[
            "report",
            "diff",
            "context",
            "cache",
            "check",
            "rules",
            "convert",
            "convert-stream",
            "models",
            "proxy",
        ],
    ),
    (
        "CI: test what your instruction files tell the model",
        &["init", "verify", "memory", "reminders", "skills", "serve"],
    ),
    ("Agent: a small agent on the same crates", &["render", "prompt", "run"]),
    ("Shell", &["completions", "man", "help"]),
];

/// What to try first, for somebody who types `aside` alone.
const START: &str = "\
aside report                     shows what your agents cost, and why
  aside diff OLD.json NEW.json     finds the byte that breaks the prompt cache
  aside context --file BODY.json   shows what fills a request
  aside init                       puts your CLAUDE.md under test in CI

All commands but help have --help; `aside --help` lists the options they share.";

/// Returns the definition of all arguments.
pub(crate) fn command() -> Command {
    let command = Arguments::command();
    let groups = groups(&command);
    let options = heading(&command, "Options");
    command.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}{options}\n{{options}}{{after-help}}"
    ))
}

/// Returns the definition of the command that the arguments name first, with the global options.
/// This is enough to parse them, but not for errors and help. It is quicker than [`command`], because
/// clap copies the global options to every command.
pub(crate) fn only(given: &[OsString]) -> Option<Command> {
    let name = given.get(1).filter(|name| !name.as_encoded_bytes().starts_with(b"-"))?;
    let all = Arguments::command();
    let command = all.find_subcommand(name)?.clone();
    Some(Command::new("aside").args(all.get_arguments()).subcommand(command))
}

/// Returns the definition with another help: the groups and where to start, for `aside` without
/// arguments.
pub(crate) fn start() -> Command {
    let command = Arguments::command();
    let (groups, start) = (groups(&command), heading(&command, "Start with"));
    command.help_template(format!("{{about}}\n\n{groups}{start}\n  {START}\n"))
}

/// Returns a line for each command, below the heading of its group.
fn groups(command: &Command) -> String {
    let mut text = String::new();
    for (name, commands) in GROUPS {
        text += &heading(command, name);
        for name in commands {
            let about = match (command.find_subcommand(name), *name) {
                (Some(found), _) => found.get_about().map(ToString::to_string),
                (None, "help") => Some("Print the help of a command".to_owned()),
                // Without their features, some commands are absent.
                (None, _) => continue,
            };
            text += &format!("\n  {name:<14}  {}", about.unwrap_or_default());
        }
        text += "\n\n";
    }
    text
}

fn heading(command: &Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{text}:{style:#}")
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|it| it.1).copied().collect();
        grouped.sort_unstable();
        let command = Arguments::command();
        let mut all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        all.push("help");
        for (is_built, commands) in [
            (cfg!(feature = "network"), ["proxy", "serve"]),
            (cfg!(feature = "shell"), ["completions", "man"]),
            (cfg!(feature = "verify"), ["init", "verify"]),
        ] {
            if !is_built {
                all.extend(commands);
            }
        }
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn the_command_that_is_named_first_is_built_alone() {
        let check = |given: &[&str], expected: Option<&str>| {
            let given: Vec<OsString> = given.iter().map(Into::into).collect();
            let only = only(&given);
            let names = only.iter().flat_map(Command::get_subcommands).map(Command::get_name);
            assert_eq!(names.collect::<Vec<_>>(), expected.as_slice(), "{given:?}");
            if let Some(only) = only {
                let [alone, among_all] = [only, Arguments::command()].map(|command| {
                    let matches = command.try_get_matches_from(&given).expect("valid arguments");
                    format!("{:?}", Arguments::from_arg_matches(&matches))
                });
                assert_eq!(alone, among_all);
            }
        };
        check(&["aside", "render", "--quiet", "Hi"], Some("render"));
        check(&["aside", "cache", "explain", "--color", "never", "a.jsonl"], Some("cache"));
        check(&["aside", "--quiet", "render"], None);
        check(&["aside", "help"], None);
        check(&["aside"], None);
    }

    #[test]
    fn a_command_has_one_line_of_eighty_columns() {
        let help = start().render_help().to_string();
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}
