//! Reading compaction and tool result clearing from settings and variables.
//!
//! A value that cannot be used is reported and left out; the next lower source or the default
//! applies.

use aside_diagnostic::Diagnostic;
use aside_session::{ClearToolUses, CompactionPolicy, SessionConfig};

use crate::session_inputs::{SessionInputs, quoted, wrong};

/// How full the context window must be at least for compaction: below this, summary and
/// instructions fill the share again.
const MIN_SHARE: f64 = 0.1;
/// For diagnostics.
const SHARE: &str = "a number from 0.1 to 1";
const METHOD: &str = "auto, api or request";
const TOKENS: &str = "a number of tokens";

/// Returns the share if it is in range.
///
/// Not a number is out of range.
fn share(value: f64) -> Option<f64> {
    (MIN_SHARE..=1.0).contains(&value).then_some(value)
}

impl SessionInputs<'_> {
    /// Fills in compaction and tool result clearing. A variable has precedence over settings.
    pub(crate) fn context_window(
        &self,
        config: &mut SessionConfig,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        config.compaction = self.compaction(diagnostics);
        config.clear_tool_uses = self.clear_tool_uses(diagnostics);
    }

    /// Returns the compaction policy; `None` when a variable or setting turns it off. Values are
    /// checked even then.
    fn compaction(&self, diagnostics: &mut Vec<Diagnostic>) -> Option<CompactionPolicy> {
        let (settings, variables) = (&self.settings.compaction, self.variables);
        let mut policy = CompactionPolicy::default();
        if let Some(at) = settings.at {
            match share(at) {
                Some(at) => policy.at = at,
                None => diagnostics.push(self.invalid("compaction.at", at, SHARE)),
            }
        }
        let at = variables.compact_at.as_deref().map(str::trim);
        let is_off_by_share = at == Some("off");
        if let Some(at) = at.filter(|_| !is_off_by_share) {
            match at.parse().ok().and_then(share) {
                Some(at) => policy.at = at,
                None => diagnostics.push(wrong("ASIDE_COMPACT_AT", at, SHARE)),
            }
        }
        if let Some(name) = &settings.method {
            match name.parse() {
                Ok(method) => policy.method = method,
                Err(_) => diagnostics.push(self.invalid("compaction.method", quoted(name), METHOD)),
            }
        }
        if let Some(name) = &variables.compact_method {
            match name.trim().parse() {
                Ok(method) => policy.method = method,
                Err(_) => diagnostics.push(wrong("ASIDE_COMPACT_METHOD", name, METHOD)),
            }
        }
        policy.instructions.clone_from(&settings.instructions);
        let is_off = {
            let enabled = variables.disable_auto_compact.map(|is_off| !is_off);
            enabled.or(settings.enabled) == Some(false)
        };
        (!is_off && !is_off_by_share).then_some(policy)
    }

    /// Returns how to clear tool results; `None` unless a setting or the variable is set. The rest
    /// has defaults.
    fn clear_tool_uses(&self, diagnostics: &mut Vec<Diagnostic>) -> Option<ClearToolUses> {
        let settings = &self.settings.clear_tool_uses;
        let mut trigger = settings.trigger;
        if let Some(tokens) = &self.variables.clear_tool_uses {
            match tokens.trim().parse() {
                Ok(tokens) => trigger = Some(tokens),
                Err(_) => diagnostics.push(wrong("ASIDE_CLEAR_TOOL_USES", tokens, TOKENS)),
            }
        }
        let is_on = trigger.is_some() || settings.keep.is_some() || settings.at_least.is_some();
        let usual = ClearToolUses::default();
        is_on.then(|| ClearToolUses {
            trigger_tokens: trigger.unwrap_or(usual.trigger_tokens),
            kept: settings.keep.unwrap_or(usual.kept),
            at_least_tokens: settings.at_least,
        })
    }
}
