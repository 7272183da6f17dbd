//! Sections and files to read again for every request.

use aside_claudemd::Memory;
use aside_diagnostic::Diagnostic;
use aside_messages::lower::PrefixReset;

use super::Session;
use crate::config::Persistence;
use crate::live_settings::ResponseSettings;
use crate::on_disk::OnDisk;

impl Session {
    /// Computes the uncached sections again, as the loop of `aside-agent` does
    /// before each request; all others keep their text. Skills, agents, instruction
    /// files and [settings](crate::SessionConfig::settings) are read again: the next
    /// request announces what is new or changed.
    /// Returns a diagnostic,
    /// once, for a section that cannot be computed: it is left out until the
    /// conversation restarts.
    ///
    /// If the section is in the system prompt, the next request's prefix is
    /// reset. In the layered layout, the session's sections are in the
    /// conversation and stay there: the next request delivers the change at its
    /// end.
    ///
    /// You need a tokio runtime. If you drop the future, nothing changes.
    pub async fn refresh(&mut self) -> Vec<Diagnostic> {
        let mut diagnostics = self.look_at_disk().await;
        let Some(now) = self.context.computed_again().await else {
            return diagnostics;
        };
        let (faults, is_changed) = self.context.renew(&self.config, now);
        diagnostics.extend(faults);
        if is_changed {
            self.reset(PrefixReset::Prompt);
        }
        diagnostics
    }

    /// Reads skills, agents, settings and changed instruction files, unless nothing
    /// that a request appends is stored.
    async fn look_at_disk(&mut self) -> Vec<Diagnostic> {
        if self.config.persistence != Persistence::Conversation {
            return Vec::new();
        }
        let memory = self.instruction_files();
        let reads = self.delivery.reads.shared();
        let settings = self.config.settings.clone();
        let released = self.context.disk.released.clone();
        let mut disk = OnDisk::read(&self.config, memory, reads, released, settings).await;
        let settings = disk.settings.take();
        let mut diagnostics = self.context.set_disk(disk, &self.config.state);
        if let Some(settings) = settings {
            diagnostics.extend(self.follow_settings(settings));
        }
        diagnostics
    }

    /// Lets the sections of changed settings be computed again. Returns the new faults
    /// of the settings.
    fn follow_settings(&mut self, now: ResponseSettings) -> Vec<Diagnostic> {
        let config = &mut self.config;
        if now.language != config.language {
            config.language = now.language.clone();
            self.context.provide(now.language);
        }
        if now.output_style != config.output_style {
            config.output_style = now.output_style.clone();
            self.context.provide(now.output_style);
        }
        config.memory.set_excludes(&now.instructions);
        now.diagnostics
    }

    /// Returns the instruction files, with the present excludes.
    pub(super) fn instruction_files(&self) -> Option<Memory> {
        let mut memory = self.context().memory.clone()?;
        memory.set_excludes(&self.config.memory);
        Some(memory)
    }
}
