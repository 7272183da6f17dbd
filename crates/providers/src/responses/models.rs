//! The facts of a model that decide how its requests are written.

use aside_models::{Known, ModelFacts, ToolSupport, Wire, find};

use crate::provider_spec::ResponsesDialect;

/// The form of requests for a model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// The place of the system prompt.
    pub(super) system: SystemPlace,
    /// Whether content parts can have cache breakpoints.
    pub(super) breakpoints: bool,
    /// Whether an item in the conversation can change the effort or add a tool.
    pub(super) updates: bool,
    /// The facts themselves.
    pub(super) facts: &'static ModelFacts,
}

/// The place of the system prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SystemPlace {
    /// In the first item, a `developer` message.
    DeveloperMessage,
    /// In the parameter `instructions`.
    Instructions,
}

impl Traits {
    /// Returns the form of requests for the model. For a model without a row
    /// only common features are used.
    ///
    /// `instructions` is used only for a model whose cache is documented to include it
    /// and that has no breakpoints.
    pub(super) fn of(model: &str, dialect: ResponsesDialect) -> Self {
        let facts = find(model).facts;
        let breakpoints = facts.cache_breakpoints == Some(true);
        let is_cached = facts.turn_scoped_instructions == Some(false);
        // A breakpoint is on a content part, and `instructions` have none.
        let system = if dialect.instructions && is_cached && !breakpoints {
            SystemPlace::Instructions
        } else {
            SystemPlace::DeveloperMessage
        };
        Self { system, breakpoints, updates: facts.bound_to_prefix == Some(true), facts }
    }
}

/// Returns true for a model that still takes function tools on Chat
/// Completions, or that is known and not documented to be on Responses.
///
/// A model that is not in the catalogue counts as a new one.
pub(crate) fn is_older(model: &str) -> bool {
    let found = find(model);
    if found.known != Known::Known {
        return false;
    }
    let on = |wire| found.facts.wires.iter().find(|it| it.wire == wire);
    match (on(Wire::ChatCompletions), on(Wire::Responses)) {
        (Some(chat), Some(_)) => chat.tools == ToolSupport::Accepted,
        (_, responses) => responses.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Provider;
    use crate::provider_spec::{ServerKind, WireDialect};

    #[track_caller]
    fn check(provider: Provider, model: &str, server: ServerKind, expected: &str) {
        let found = match provider.spec().wire_on(model, server).wire {
            WireDialect::Responses(_) => "responses",
            WireDialect::ChatCompletions(_) => "chat",
            _ => "another",
        };
        assert_eq!(found, expected, "{provider} {model}");
    }

    #[test]
    fn the_wire_is_a_fact_of_the_model() {
        for model in ["gpt-6.2-sol", "gpt-5.5", "gpt-5.6-terra", "gpt-5-pro", "gpt-9"] {
            check(Provider::OpenAi, model, ServerKind::Own, "responses");
            check(Provider::OpenAi, model, ServerKind::Compatible, "chat");
        }
        for model in ["gpt-4.1", "o3", "gpt-5.2", "gpt-4"] {
            check(Provider::OpenAi, model, ServerKind::Own, "chat");
        }
        let responses = ServerKind::CompatibleResponses;
        check(Provider::OpenAi, "gpt-4.1", responses, "responses");
        check(Provider::Grok, "grok-4.5", responses, "responses");
        check(Provider::Grok, "grok-4.5", ServerKind::Own, "responses");
        check(Provider::Grok, "grok-4.5", ServerKind::Compatible, "chat");
    }

    #[test]
    fn the_system_prompt_is_in_a_cached_position() {
        let place = |provider: Provider, model: &str| {
            let WireDialect::Responses(dialect) = provider.spec().wire(model).wire else {
                panic!("{model} is on another wire");
            };
            Traits::of(model, dialect).system
        };
        let developer = SystemPlace::DeveloperMessage;
        assert_eq!(place(Provider::OpenAi, "gpt-6.2-sol"), developer);
        assert_eq!(place(Provider::OpenAi, "gpt-9"), developer);
        assert_eq!(place(Provider::Grok, "grok-4.5"), developer);
        let instructions = SystemPlace::Instructions;
        assert_eq!(place(Provider::OpenAi, "gpt-5.5"), instructions);
    }
}
