use serde::{Deserialize, Serialize};

/// The program whose model reads the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// What the program is called, as in "Aside".
    pub name: &'static str,
    /// The line that says who the model is. It is sent in a block of its own before the prompt, so
    /// no section repeats it.
    pub identity: &'static str,
}

/// Aside itself.
pub static ASIDE: Product = Product {
    name: "Aside",
    identity: "You are Aside, a coding agent that works beside the user in their project.",
};

/// Everything that a static section may depend on.
///
/// Every further field multiplies the number of distinct prefixes that a provider has to cache, so
/// there is none for what can differ from session to session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StaticInputs {
    /// The program.
    pub product: &'static Product,
    /// The built-in tools that the product ships, whether or not a session has them all enabled.
    pub tools: BuiltinTools,
    /// Whether the prompt says how to go about a change to code.
    pub coding: CodingInstructions,
}

/// Whether the prompt says how to go about a change to code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodingInstructions {
    /// It does.
    Included,
    /// It does not, because an output style puts its own instructions in their place.
    Replaced,
}

impl CodingInstructions {
    const ALL: [Self; 2] = [Self::Included, Self::Replaced];
}

impl StaticInputs {
    /// Every combination that a product can ask for, given the sets of tools it ships in: as many
    /// as there can be distinct static prefixes of its prompts.
    pub fn variants(
        product: &'static Product,
        tool_sets: &[BuiltinTools],
    ) -> impl Iterator<Item = Self> {
        tool_sets.iter().flat_map(move |&tools| {
            CodingInstructions::ALL.map(|coding| Self {
                product,
                tools,
                coding,
            })
        })
    }
}

/// A built-in tool that the static zone has something to say about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is called what the tool is called")]
pub enum BuiltinTool {
    Read,
    Edit,
    Write,
    Glob,
    Grep,
    Bash,
    TodoWrite,
}

impl BuiltinTool {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Read,
        Self::Edit,
        Self::Write,
        Self::Glob,
        Self::Grep,
        Self::Bash,
        Self::TodoWrite,
    ];

    /// The name in the request's list of tools.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Edit => "Edit",
            Self::Write => "Write",
            Self::Glob => "Glob",
            Self::Grep => "Grep",
            Self::Bash => "Bash",
            Self::TodoWrite => "TodoWrite",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of built-in tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BuiltinTools(u8);

impl BuiltinTools {
    /// No tool.
    pub const NONE: Self = Self(0);

    /// The set of these tools.
    pub const fn of(tools: &[BuiltinTool]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        // A `for` loop is not allowed in a const function.
        while at < tools.len() {
            bits |= tools[at].bit();
            at += 1;
        }
        Self(bits)
    }

    /// The set of every built-in tool.
    pub const ALL: Self = Self::of(&BuiltinTool::ALL);

    /// The built-in tools among these names; other names are no concern of the static zone.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let bits = names
            .into_iter()
            .filter_map(|name| {
                BuiltinTool::ALL
                    .into_iter()
                    .find(|tool| tool.name() == name)
            })
            .fold(0, |bits, tool| bits | tool.bit());
        Self(bits)
    }

    /// Whether the tool is in the set.
    pub const fn contains(self, tool: BuiltinTool) -> bool {
        self.0 & tool.bit() != 0
    }

    /// The tools of the set, in the order of [`BuiltinTool::ALL`].
    pub fn iter(self) -> impl Iterator<Item = BuiltinTool> {
        BuiltinTool::ALL
            .into_iter()
            .filter(move |&tool| self.contains(tool))
    }
}
