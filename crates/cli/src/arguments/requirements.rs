//! A required argument is required next to every other one.
//!
//! clap does not miss an argument that conflicts with one that is given. So what
//! requires an argument has to conflict with the same ones.

use std::ffi::OsString;
use std::slice;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory, Error, value_parser};

use super::Arguments;

fn parse(command: &Command, given: &[Vec<OsString>]) -> Result<(), Error> {
    let given = given.iter().flatten().cloned();
    command.clone().try_get_matches_from([OsString::from("aside")].into_iter().chain(given))?;
    Ok(())
}

/// Returns the command, whose arguments have any values.
fn untyped(command: Command) -> Command {
    let any = |argument: Arg| {
        let takes_values = argument.get_action().takes_values();
        if takes_values { argument.value_parser(value_parser!(OsString)) } else { argument }
    };
    command.mut_args(any).mut_subcommands(untyped)
}

/// Returns an argument with a value, if it takes one.
fn given(argument: &Arg) -> Vec<OsString> {
    let name = argument.get_long().map(|long| format!("--{long}"));
    let value = argument.get_action().takes_values().then(|| "x".to_owned());
    let end = argument.is_last_set().then(|| "--".to_owned());
    let given = match (name, value) {
        // An option with several values would also take the next argument.
        (Some(name), Some(value)) => vec![format!("{name}={value}")],
        (name, value) => end.into_iter().chain(name).chain(value).collect(),
    };
    given.into_iter().map(OsString::from).collect()
}

/// Returns the name in an argument as clap shows it.
fn name(shown: &str) -> &str {
    let first = shown.split(' ').next().unwrap_or_default();
    first.trim_matches(['[', ']', '<', '>', '.'])
}

/// Returns which arguments are missing, as clap shows them.
fn missing(command: &Command, given: &[Vec<OsString>]) -> Vec<String> {
    let error = parse(command, given).err();
    let error = error.filter(|it| it.kind() == ErrorKind::MissingRequiredArgument);
    let missing = error.as_ref().and_then(|it| it.get(ContextKind::InvalidArg));
    match missing {
        Some(ContextValue::Strings(missing)) => missing.clone(),
        _ => Vec::new(),
    }
}

/// Checks a command and those below it, and returns how many arguments another
/// one requires.
fn check(command: &Command) -> usize {
    let mut found = 0;
    let own =
        |it: &&Arg| !it.is_global_set() && !["help", "version"].contains(&it.get_id().as_str());
    let arguments: Vec<&Arg> = command.get_arguments().filter(own).collect();
    let conflicts = |a: &Arg, b: &Arg| {
        let of = |it: &Arg| command.get_arg_conflicts_with(it);
        of(a).contains(&b) || of(b).contains(&a)
    };
    let always = missing(command, &[]);
    for argument in &arguments {
        let first = given(argument);
        for required in missing(command, slice::from_ref(&first)) {
            if always.contains(&required) {
                continue;
            }
            found += 1;
            let is_it = |it: &&&Arg| name(&it.to_string()) == name(&required);
            let required = arguments.iter().find(is_it).expect("a missing argument exists");
            for other in arguments.iter().filter(|it| conflicts(it, required)) {
                // Everything after `--` is one argument.
                let mut both = [first.clone(), given(other)];
                both.sort_by_key(|it| it[0] == "--");
                let result = parse(command, &both);
                let command = command.get_name();
                assert!(
                    result.is_err(),
                    "{command}: {argument} requires {required}, next to {other}"
                );
            }
        }
    }
    found + command.get_subcommands().map(check).sum::<usize>()
}

#[test]
fn no_other_argument_makes_up_for_a_required_one() {
    let mut command = untyped(Arguments::command());
    command.build();
    assert!(check(&command) > 10);
}
