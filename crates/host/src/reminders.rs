//! A session's reminders: the built-in ones and those in files.

use aside_diagnostic::Diagnostic;
use aside_reminder::{Loaded, Manager, ReminderLoader, conversation_length};

use crate::command_line::CommandLine;
use crate::host::Host;

impl Host {
    /// Returns the directories with a session's reminder files, as far as the
    /// command line admits their sources.
    #[must_use]
    pub fn reminder_files(&self, command_line: &CommandLine) -> ReminderLoader {
        let CommandLine { cwd, sources, .. } = command_line;
        let variables = Some(&self.variables).filter(|_| sources.user);
        ReminderLoader {
            home: variables.and_then(|it| it.home.clone()),
            claude_config: variables.and_then(|it| it.claude_config_dir.clone()),
            project: (sources.project && command_line.project_reminders).then(|| cwd.clone()),
            fence: command_line.fence(),
        }
    }

    /// Returns a session's reminders: the built-in ones, then those in
    /// [files](Host::reminder_files), which may replace or disable them. Faulty
    /// files are reported.
    pub fn reminders(
        &self,
        command_line: &CommandLine,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Manager {
        let loaded = self.reminder_files(command_line).load();
        diagnostics.extend(loaded.diagnostics.iter().cloned());
        reminder_manager(&loaded)
    }
}

/// Creates a manager for the built-in and the loaded reminders. It leaves out
/// the reminder that announces skills, because an attachment does this.
#[must_use]
pub fn reminder_manager(loaded: &Loaded) -> Manager {
    let manager = Manager::new();
    manager.register(conversation_length());
    loaded.register(&manager);
    manager
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::variables::Variables;

    #[test]
    fn admitted_files_override_built_in_reminders() {
        let directory = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("home/.aside/reminders/conversation-length.md", "---\nenabled: false\n---\n");
        write("config/reminders/b.md", "---\nschedule: sometimes\n---\nb");
        write("project/.aside/reminders/a.md", "a");
        let host = Host {
            variables: Variables {
                home: Some(directory.path().join("home")),
                claude_config_dir: Some(directory.path().join("config")),
                ..Variables::default()
            },
            ..Host::look()
        };
        let check = |change: fn(&mut CommandLine), expected: &[(&str, bool)]| {
            let mut command_line = CommandLine::new(directory.path().join("project"));
            change(&mut command_line);
            let mut diagnostics = Vec::new();
            let list = host.reminders(&command_line, &mut diagnostics).list();
            let found: Vec<_> =
                list.iter().map(|it| (it.reminder.id.as_str(), it.active)).collect();
            assert_eq!(found, expected);
            let faults: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
            faults
        };
        let off = ("conversation-length", false);
        let diagnostics = check(|_| {}, &[off, ("a", true)]);
        assert!(
            diagnostics[0].starts_with("error: ") && diagnostics[0].contains("b.md:2: schedule: ")
        );
        check(|it| it.project_reminders = false, &[off]);
        check(|it| it.sources.project = false, &[off]);
        let diagnostics =
            check(|it| it.sources.user = false, &[("conversation-length", true), ("a", true)]);
        assert_eq!(diagnostics, [""; 0]);
    }
}
