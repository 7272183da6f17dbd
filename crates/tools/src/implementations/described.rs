//! The part of a tool that its definition provides.

/// Implements the [`Tool`](aside_agent::Tool) methods that a definition
/// answers. A call of a tool that `changes` something is not repeatable.
macro_rules! described_by {
    (@repeatable changes) => { false };
    (@repeatable $($use:ident)?) => { true };
    ($definition:ident$(, $use:ident)?) => {
        fn name(&self) -> &'static str {
            $definition.name
        }

        fn description(&self) -> &'static str {
            $definition.description()
        }

        fn input_schema(&self) -> aside_messages::wire::RawJson {
            $definition.input_schema()
        }

        fn is_repeatable(&self) -> bool {
            crate::implementations::described::described_by!(@repeatable $($use)?)
        }
    };
}

/// Defines a tool that works in a workspace, from its definition, the function that answers a
/// call, and for a tool with a `file_path` whether it `reads` or `changes` this file.
macro_rules! workspace_tool {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident($definition:ident, $answer:ident$(, $use:ident)?);
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        pub struct $name {
            workspace: std::sync::Arc<Workspace>,
        }

        impl $name {
            /// Creates the tool for a workspace.
            #[must_use]
            pub fn new(workspace: std::sync::Arc<Workspace>) -> Self {
                Self { workspace }
            }
        }

        impl aside_agent::Tool for $name {
            crate::implementations::described::described_by!($definition$(, $use)?);
            $(
                fn file(
                    &self,
                    input: &aside_messages::wire::RawJson,
                ) -> Option<aside_agent::FileUse> {
                    crate::implementations::named_file::$use(&self.workspace, input)
                }
            )?

            fn call<'a>(
                &'a self,
                input: &'a aside_messages::wire::RawJson,
            ) -> aside_agent::ToolFuture<'a> {
                crate::implementations::effort::call(&self.workspace, input, $answer)
            }
        }
    };
}

pub(super) use {described_by, workspace_tool};
