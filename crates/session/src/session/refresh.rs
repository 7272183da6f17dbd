//! Sections that are computed for every request.

use aside_diagnostic::Diagnostic;
use aside_messages::lower::PrefixReset;

use super::Session;

impl Session {
    /// Computes the uncached sections again, as the loop of `aside-agent` does
    /// before each request; all others keep their text. Returns a diagnostic,
    /// once, for a section that cannot be computed: it is left out until the
    /// conversation restarts.
    ///
    /// If the section is in the system prompt, the prefix of the next request
    /// is reset. In the layered layout, sections of the session are in the
    /// conversation and remain there: the next request delivers the change at
    /// its end.
    ///
    /// It needs a tokio runtime. Dropping the future changes nothing.
    pub async fn refresh(&mut self) -> Vec<Diagnostic> {
        let Some(now) = self.context.computed_again().await else {
            return Vec::new();
        };
        let (diagnostics, is_changed) = self.context.renew(&self.config, now);
        if is_changed {
            let turn = self.delivery.turn();
            self.pipeline.reset(turn, PrefixReset::Prompt);
        }
        diagnostics
    }
}
