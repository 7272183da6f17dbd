//! Glob and Grep of a build without the feature `search`. The model gets the same definitions, so
//! that requests have the same bytes, and each call fails.

use std::sync::Arc;

use aside_agent::{Tool, ToolFuture, ToolOutput};
use aside_messages::wire::RawJson;

use crate::definitions::{GLOB, GREP};
use crate::implementations::described::described_by;
use crate::workspace::Workspace;

macro_rules! without_search {
    ($name:ident, $definition:ident) => {
        /// A tool whose calls fail, because the feature `search` is missing.
        #[derive(Clone, Debug)]
        pub struct $name;

        impl $name {
            /// Creates the tool for a workspace.
            #[must_use]
            pub fn new(_workspace: Arc<Workspace>) -> Self {
                Self
            }
        }

        impl Tool for $name {
            described_by!($definition);

            fn call<'a>(&'a self, _input: &'a RawJson) -> ToolFuture<'a> {
                let failed = "this build cannot search: it lacks the feature `search`";
                Box::pin(async move { ToolOutput::error(failed) })
            }
        }
    };
}

without_search!(Glob, GLOB);
without_search!(Grep, GREP);
