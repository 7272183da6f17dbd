use std::path::{Path, PathBuf};

use aside_agent::{Diagnostic, Git, PromptMode, SessionConfig};
use aside_claudemd::{Dirs, Loader, Mode};
use aside_git_context::GitOptions;
use aside_prompt_sections::{Platform, SessionDate};

use crate::date::today;
use crate::machine::{os_version, platform, shell_name};
use crate::settings::{Places, Settings};
use crate::variables::Variables;

/// What there is to know of the machine.
#[derive(Clone, Debug)]
pub struct Host {
    /// The environment variables that count.
    pub variables: Variables,
    /// The kind of operating system.
    pub platform: Platform,
    /// Its name and version.
    pub os_version: Option<String>,
    /// The local date.
    pub today: SessionDate,
}

impl Host {
    /// Looks at this machine.
    #[must_use]
    pub fn look() -> Self {
        Self {
            variables: Variables::of_process(),
            platform: platform(),
            os_version: os_version(),
            today: today(),
        }
    }

    /// Where instruction files are, outside of projects.
    #[must_use]
    pub fn dirs(&self) -> Dirs {
        let managed = aside_claudemd::Platform::CURRENT.managed_dir();
        Dirs {
            home: self.variables.home.clone(),
            config: self.variables.config_dir(),
            managed: Some(
                self.variables
                    .managed_dir
                    .clone()
                    .unwrap_or_else(|| managed.into()),
            ),
        }
    }

    /// A session in `cwd`, an absolute path, with everything that this machine
    /// and its user have to say about it. What is wrong with the settings is
    /// told; the files concerned are left out.
    pub fn session(&self, cwd: PathBuf, diagnostics: &mut Vec<Diagnostic>) -> SessionConfig {
        let dirs = self.dirs();
        let settings = Settings::read(&places(&dirs, &cwd), diagnostics);
        let mode = if self.variables.disable_claude_mds {
            Mode::Off
        } else {
            Mode::Full
        };
        let mut memory = Loader::new(dirs)
            .mode(mode)
            .excludes(settings.claude_md_excludes);
        if let Some(text) = settings.claude_md {
            memory = memory.managed_text(text);
        }
        let mut config = SessionConfig::new(cwd, self.platform.clone(), memory, self.today);
        config.shell = self.variables.shell.as_deref().map(shell_name);
        config.os_version.clone_from(&self.os_version);
        config.git = if self.variables.skip_git || settings.include_git_instructions == Some(false)
        {
            Git::Skip
        } else {
            // There is no Bash tool that the model could be sent to.
            Git::Snapshot(GitOptions {
                tool_name: None,
                ..GitOptions::default()
            })
        };
        if self.variables.simple {
            config.mode = PromptMode::Simple;
        }
        config
    }
}

/// Of a project, only the directory that the session starts in has settings.
fn places(dirs: &Dirs, cwd: &Path) -> Places {
    let user = dirs
        .config
        .iter()
        .map(|config| config.join("settings.json"));
    let project =
        ["settings.json", "settings.local.json"].map(|name| cwd.join(".claude").join(name));
    let managed = dirs
        .managed
        .as_ref()
        .map(|managed| managed.join("managed-settings.json"));
    Places {
        files: user.chain(project).collect(),
        managed,
    }
}
