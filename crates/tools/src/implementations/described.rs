//! The part of a tool that its definition provides.

/// Implements the [`Tool`](aside_agent::Tool) methods that a definition
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
