//! `aside man`: the manual pages, from the definitions of the arguments.
//!
//! `clap_mangen` writes the pages from the same definitions as the help, so they cannot
//! differ. One page is printed, or, with `--all DIR`, written to a file for each command.
//! Exit code 2 for an unknown command, 1 if a page cannot be written.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};
use aside_user_files::nearest;
use clap::Command;
use serde_json::json;

use crate::Failure;
use crate::arguments::{self, Man};
use crate::output;

/// Prints the page of a command, or writes all pages and prints the names of the files.
pub(crate) fn run(arguments: &Man) -> Result<(), Failure> {
    let mut command = arguments::command().disable_help_subcommand(true);
    command.build();
    let text = match &arguments.all {
        Some(directory) => {
            let files = write_all(&command, directory)?;
            match arguments.json {
                true => json!({ "files": files }).to_string() + "\n",
                false => files.iter().map(|file| format!("{file}\n")).collect(),
            }
        }
        None => {
            let found = find(&command, &arguments.command).map_err(Failure::usage)?;
            let page = page(found)?;
            match arguments.json {
                true => json!({ "name": name(found), "page": page }).to_string() + "\n",
                false => page,
            }
        }
    };
    Ok(output::print([text.as_bytes()])?)
}

/// Returns the command of the names, such as `cache explain`.
///
/// The error for an unknown name suggests the nearest command.
fn find<'a>(command: &'a Command, names: &[String]) -> anyhow::Result<&'a Command> {
    names.iter().try_fold(command, |command, name| {
        let found = command.find_subcommand(name);
        found.with_context(|| {
            let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            let meant =
                nearest(name, &names).map_or(String::new(), |it| format!(": did you mean {it}?"));
            anyhow!("{} has no command {name:?}{meant}", name_in_use(command))
        })
    })
}

/// Returns the name as the user types it: `aside cache`.
fn name_in_use(command: &Command) -> &str {
    command.get_bin_name().unwrap_or(command.get_name())
}

/// Returns the name of the page: `aside-cache-explain`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// Returns the page of one command in the roff format.
fn page(command: &Command) -> anyhow::Result<String> {
    let mut page = Vec::new();
    let version = concat!("aside ", env!("CARGO_PKG_VERSION"));
    let man = clap_mangen::Man::new(command.clone()).source(version);
    let rendered = man.render(&mut page);
    rendered.context("failed to write a manual page")?;
    Ok(String::from_utf8(page)?)
}

/// Writes the pages of the command and of all commands below it.
///
/// The directory is created if it is absent; existing pages are replaced. Returns the
/// paths, sorted.
fn write_all(command: &Command, directory: &Path) -> anyhow::Result<Vec<String>> {
    let failed = || format!("failed to write to {}", directory.display());
    fs::create_dir_all(directory).with_context(failed)?;
    let mut files = Vec::new();
    let mut open = vec![command];
    while let Some(command) = open.pop() {
        let file = directory.join(format!("{}.1", name(command)));
        fs::write(&file, page(command)?).with_context(failed)?;
        files.push(file.display().to_string());
        open.extend(command.get_subcommands().filter(|it| !it.is_hide_set()));
    }
    files.sort();
    Ok(files)
}
