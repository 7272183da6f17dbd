//! Sections that are computed for every request.

use aside_diagnostic::Diagnostic;
use aside_messages::lower::PrefixReset;

use crate::composed::Composed;
use crate::session::Session;

impl Session {
    /// Computes the sections anew that were registered as uncached, as a
    /// loop of `aside-agent` does before each request; all others keep their
    /// text. Says what could not be computed, once: it is left out until the
    /// conversation begins anew.
    ///
    /// Where the text stands in the system prompt, another one takes its
    /// place, and the next request begins with other bytes. In the layered
    /// layout, sections that are true for a session alone stand in the
    /// conversation, and what was said there stays: the next request tells of
    /// the change at its end.
    ///
    /// Needs a tokio runtime. Dropping the future leaves everything as it was.
    pub async fn refresh(&mut self) -> Vec<Diagnostic> {
        let (Some(registry), Some(first)) = (&self.registry, &self.context.sections) else {
            return Vec::new();
        };
        // What this program has no section for stays as it was last.
        let before = self.context.latest().unwrap_or(first);
        let now = before.renewed(&registry.resolve().await);
        if now == *before {
            return Vec::new();
        }
        let known = before.diagnostics();
        let mut faults = now.diagnostics();
        faults.retain(|fault| !known.contains(fault));

        self.context.renewed = Some(now);
        self.is_noted = false;
        // What is wrong with the rest of the prompt was told when it opened.
        let mut told = Vec::new();
        let registry = self.registry.as_ref();
        let composed = Composed::new(&self.config, &self.context, registry, &mut told);
        if composed.prefix.system.bytes() != self.composed.prefix.system.bytes() {
            self.changed = Some((self.reminders.turn(), PrefixReset::Prompt));
        }
        self.composed = composed;
        faults.iter().map(Diagnostic::from).collect()
    }
}
