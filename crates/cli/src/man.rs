//! `aside man`: manual pages, from the argument definitions.
//!
//! `clap_mangen` writes the pages from the same definitions as the help, so
//! they cannot differ. The command prints one page or, with `--all DIR`, writes
//! a file per command. Exit code 2 for an unknown command, 1 when a page cannot
//! be written.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};
use aside_user_files::nearest;
use clap::Command;
use serde_json::json;

use crate::Failure;
use crate::arguments::{self, Man};
use crate::{output, output_file};

/// Prints a command's page, or writes all pages and prints the file names.
pub(crate) fn run(arguments: &Man) -> Result<(), Failure> {
    let mut command = arguments::command().disable_help_subcommand(true);
    command.build();
    let text = match &arguments.all {
        Some(directory) => {
            let files = write_all(&command, directory)?;
            if arguments.json {
                json!({ "files": files }).to_string() + "\n"
            } else {
                files.iter().map(|file| format!("{file}\n")).collect()
            }
        }
        None => {
            let found = find(&command, &arguments.command).map_err(Failure::usage)?;
            let page = page(found)?;
            if arguments.json {
                json!({ "name": name(found), "page": page }).to_string() + "\n"
            } else {
                page
            }
        }
    };
    Ok(output::print([text.as_bytes()])?)
}

/// Returns the command with these names, such as `cache explain`.
///
/// For an unknown name, the error suggests the nearest command.
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

/// Returns the name as you type it: `aside cache`.
fn name_in_use(command: &Command) -> &str {
    command.get_bin_name().unwrap_or(command.get_name())
}

/// Returns the page name: `aside-cache-explain`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// Returns a command's page in roff format.
fn page(command: &Command) -> anyhow::Result<String> {
    let mut page = Vec::new();
    let version = concat!("aside ", env!("CARGO_PKG_VERSION"));
    let man = clap_mangen::Man::new(command.clone()).source(version);
    let rendered = man.render(&mut page);
    rendered.context("failed to write a manual page")?;
    Ok(String::from_utf8(page)?)
}

/// Writes pages for the command and all commands below it.
///
/// This creates the directory when absent, and replaces existing pages. Returns
/// the paths, sorted.
fn write_all(command: &Command, directory: &Path) -> anyhow::Result<Vec<String>> {
    let failed = || format!("failed to write to {}", directory.display());
    fs::create_dir_all(directory).with_context(failed)?;
    let mut files = Vec::new();
    let mut open = vec![command];
    while let Some(command) = open.pop() {
        let file = directory.join(format!("{}.1", name(command)));
        output_file::write(&file, page(command)?)?;
        files.push(file.display().to_string());
        open.extend(command.get_subcommands().filter(|it| !it.is_hide_set()));
    }
    files.sort();
    Ok(files)
}
