use serde::{Deserialize, Serialize};

/// The program whose model reads the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// The program's name, such as "Aside".
    pub name: &'static str,
    /// The line that states the model's role. It is sent in a separate block
    /// before the prompt, so no section repeats it.
    pub identity: &'static str,
}

/// Aside itself.
pub static ASIDE: Product = Product {
    name: "Aside",
    identity: "You are Aside, a coding agent that works beside the user in their project.",
};

/// Everything that static sections may depend on.
///
/// Every further field multiplies how many distinct prefixes a provider has to
/// cache, so nothing that can differ between sessions is here.
///
/// A new field is a breaking change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StaticInputs {
    /// The program.
    pub product: &'static Product,
    /// The built-in tools that the product ships, whether a session has all of
    /// them enabled or not.
    pub tools: BuiltinTools,
    /// Whether the prompt explains how to change code.
    pub coding: CodingInstructions,
}

/// Whether the prompt explains how to change code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodingInstructions {
    /// The prompt explains it.
    Included,
    /// The prompt does not, because an output style replaces it.
    Replaced,
}

impl CodingInstructions {
    const ALL: [Self; 2] = [Self::Included, Self::Replaced];
}

impl StaticInputs {
    /// Returns every combination of inputs for a product that ships with these
    /// sets of tools: the largest possible number of distinct static prefixes.
    pub fn variants(
        product: &'static Product,
        tool_sets: &[BuiltinTools],
    ) -> impl Iterator<Item = Self> {
        tool_sets.iter().flat_map(move |&tools| {
            CodingInstructions::ALL.map(|coding| Self { product, tools, coding })
        })
    }
}

aside_text::names! {
    /// A built-in tool that the static zone mentions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[expect(missing_docs, reason = "each is called what the tool is called")]
    pub enum BuiltinTool {
        Read = "Read",
        Edit = "Edit",
        Write = "Write",
        Glob = "Glob",
        Grep = "Grep",
        Bash = "Bash",
        TodoWrite = "TodoWrite",
    }
}

impl BuiltinTool {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of built-in tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BuiltinTools(u8);

impl BuiltinTools {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Creates a set from these tools.
    pub const fn of(tools: &[BuiltinTool]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        // A const function cannot have a `for` loop.
        while at < tools.len() {
            bits |= tools[at].bit();
            at += 1;
        }
        Self(bits)
    }

    /// Every built-in tool.
    pub const ALL: Self = Self::of(&BuiltinTool::ALL);

    /// Returns the built-in tools among these names. Other names do not matter
    /// to the static zone.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let bits = names
            .into_iter()
            .filter_map(|name| name.parse().ok())
            .fold(0, |bits, tool: BuiltinTool| bits | tool.bit());
        Self(bits)
    }

    /// Returns true if the tool is in the set.
    pub const fn contains(self, tool: BuiltinTool) -> bool {
        self.0 & tool.bit() != 0
    }

    /// Iterates over the tools, in the order of [`BuiltinTool::ALL`].
    pub fn iter(self) -> impl Iterator<Item = BuiltinTool> {
        BuiltinTool::ALL.into_iter().filter(move |&tool| self.contains(tool))
    }
}
