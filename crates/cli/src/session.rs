//! What a session starts from: this machine, its settings and the arguments.
//!
//! Every command with a session begins with [`look`]. `aside-host` reads the
//! machine and the settings files; this module converts the arguments to pass to
//! it and reports what it uses with `--verbose`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_claudemd::ImportPolicy;
use aside_host::{CommandLine, Host, Invocation};

use crate::Failure;
use crate::arguments::{SessionArguments, SystemProfile};
use crate::{models, output};

/// Reads the machine and the settings, once. Keeps their faults, to report them
/// with a session's.
///
/// # Errors
/// When a directory does not exist, or `--settings` cannot be read, this is a
/// usage error.
pub(crate) fn look(arguments: &SessionArguments) -> Result<Invocation, Failure> {
    let host = Host::look();
    let command_line = command_line(arguments).map_err(Failure::usage)?;
    report_used(&host, &command_line);
    let mut faults = Vec::from_iter(host.home_fault());
    let settings = host
        .settings(&command_line, &mut faults)
        .context("failed to use --settings")
        .map_err(Failure::usage)?;
    host.use_models(&settings, &mut faults, |file| {
        models::lay_over(file).map_err(|error| format!("{error:#}"))
    });
    Ok(Invocation::new(host, command_line, settings, faults))
}

/// Reports directories and settings files, with `--verbose`.
fn report_used(host: &Host, command_line: &CommandLine) {
    let dirs = host.dirs();
    let named = [
        ("working directory", Some(&command_line.cwd)),
        ("home", dirs.home.as_ref()),
        ("configuration", dirs.config.as_ref()),
        ("managed", dirs.managed.as_ref()),
    ];
    for (name, path) in named {
        output::detail(|| match path {
            Some(path) => format!("{name}: {}", path.display()),
            None => format!("{name}: none"),
        });
    }
    for file in host.settings_files(command_line) {
        output::detail(|| {
            let state = if file.exists() { "" } else { " (absent)" };
            format!("settings: {}{state}", file.display())
        });
    }
}

/// Converts session arguments.
///
/// # Errors
/// Fails when the working directory or an added one is not a directory.
fn command_line(arguments: &SessionArguments) -> anyhow::Result<CommandLine> {
    let added = arguments.add_dir.iter().map(|path| {
        let failed = || format!("failed to add the directory {}", path.display());
        directory(path).with_context(failed)
    });
    let cwd = directory(&arguments.cwd).with_context(|| {
        let cwd = arguments.cwd.display();
        format!("failed to use {cwd} as the working directory")
    });
    let new = CommandLine::new(cwd?);
    let new = match arguments.system {
        Some(SystemProfile::Documents) => new.published(),
        None => new,
    };
    Ok(CommandLine {
        additional_directories: added.collect::<anyhow::Result<_>>()?,
        sources: arguments.setting_sources.unwrap_or_default(),
        settings: arguments.settings.clone(),
        bare: arguments.bare,
        instructions: arguments.instructions.unwrap_or(new.instructions),
        imports: if arguments.allow_external_imports {
            ImportPolicy::Allow
        } else {
            new.imports.clone()
        },
        project_reminders: !arguments.no_project_reminders,
        ..new
    })
}

/// Returns the directory as an absolute path, spelled as given except for `.`
/// and `..`, so that the model gets the same path from every working directory.
fn directory(given: &Path) -> anyhow::Result<PathBuf> {
    let path = std::path::absolute(given)?;
    if !std::fs::metadata(&path)?.is_dir() {
        anyhow::bail!("not a directory");
    }
    Ok(aside_claudemd::plain_path(&path))
}
