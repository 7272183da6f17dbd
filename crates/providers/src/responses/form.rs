//! How requests for a model are written on the wire of a provider.

use aside_messages::wire::Tool;

use super::models::Traits;
use super::tool_changes::Offer;
use crate::provider_spec::ResponsesDialect;

/// The model's traits and the provider's dialect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// The features that the model accepts, from the catalogue.
    pub(super) traits: Traits,
    /// The features that the provider accepts.
    pub(super) dialect: ResponsesDialect,
}

/// The conversion loss of cache markers that are not written.
const NO_SLOT: &str = "a cache marker is left out: only text, images and files of the input hold \
                       breakpoints on this wire";
/// The conversion loss of cache markers for a model without breakpoints.
const NO_BREAKPOINTS: &str =
    "cache markers are left out: the model's prompt cache finds prefixes by itself";

impl Form {
    /// Returns the form for a model on the wire of a provider.
    pub(super) fn of(model: &str, dialect: ResponsesDialect) -> Self {
        Self { traits: Traits::of(model, dialect), dialect }
    }

    /// Returns the tools of a request, with the capabilities of the wire.
    pub(super) fn offer(self, tools: &[Tool]) -> Offer<'_> {
        Offer {
            tools,
            has_additions: self.traits.updates,
            has_removals: self.dialect.allowed_tools,
        }
    }

    /// Returns the conversion loss of cache markers without a slot.
    pub(super) fn markers_lost(self) -> &'static str {
        if self.traits.breakpoints { NO_SLOT } else { NO_BREAKPOINTS }
    }
}
