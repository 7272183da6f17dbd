//! The part of a tool that its definition has.

/// Implements the methods of [`Tool`](aside_agent::Tool) that a definition
/// answers.
macro_rules! described_by {
    ($definition:ident) => {
        fn name(&self) -> &'static str {
            $definition.name
        }

        fn description(&self) -> &'static str {
            $definition.description()
        }

        fn input_schema(&self) -> RawJson {
            $definition.input_schema()
        }
    };
}

pub(super) use described_by;
