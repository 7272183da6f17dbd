//! What the model can make use of.

use schemars::JsonSchema;
use serde_json::Value;

objects! {
    Skill {
        /// What the Skill tool calls it.
        name: String,
        /// What it is for.
        description: String,
    }
    InvokedSkill {
        /// What the Skill tool calls it.
        name: String,
        /// Where it is kept.
        path: String,
        /// What it says.
        content: String,
    }
    FittingSkills {
        /// The most fitting first.
        skills: Vec<Skill>,
    }
    Agent {
        /// What the tool for agents calls it.
        agent_type: String,
        /// What it is for.
        description: String,
    }
    McpServer {
        /// Its name.
        name: String,
        /// How its tools are to be used, in its own words.
        instructions: Option<String>,
        /// Its tools.
        #[schemars(default)]
        tools: Vec<McpTool>,
        /// Those that a prompt can mention, `@server:uri`.
        #[schemars(default)]
        resources: Vec<Resource>,
    }
    McpTool {
        /// By which the model calls it, such as `mcp__docs__search`.
        name: String,
        /// What it does, in the server's words.
        #[schemars(default)]
        description: String,
        /// The JSON Schema of its input; any object, if left out.
        input_schema: Option<Value>,
        /// Whether the model sees it only after a search for it.
        #[schemars(default)]
        defer_loading: bool,
    }
    Resource {
        /// By which a prompt mentions it, behind the server's name and a colon.
        uri: String,
        /// What the server calls it.
        name: String,
        /// What the server gave.
        #[schemars(default)]
        contents: Vec<Content>,
    }
}

#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Content {
    /// Text.
    Text {
        /// As the server gave it.
        text: String,
    },
    /// Something else, for which a placeholder is sent.
    Blob {
        /// Such as `image/png`, where the server says so.
        media_type: Option<String>,
        /// The size, in bytes.
        bytes: u64,
    },
}
