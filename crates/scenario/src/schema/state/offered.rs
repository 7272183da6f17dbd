//! Skills, agents and tools that the model can use.

use schemars::JsonSchema;
use serde_json::Value;

objects! {
    Skill {
        /// Its name in the Skill tool.
        name: String,
        /// Its purpose.
        description: String,
    }
    InvokedSkill {
        /// Its name in the Skill tool.
        name: String,
        /// Its path.
        path: String,
        /// Its text.
        content: String,
    }
    FittingSkills {
        /// The skills, the most fitting first.
        skills: Vec<Skill>,
    }
    Agent {
        /// Its name in the Agent tool.
        agent_type: String,
        /// Its purpose.
        description: String,
    }
    McpServer {
        /// Its name.
        name: String,
        /// The server's instructions for the use of its tools.
        instructions: Option<String>,
        /// Its tools.
        #[schemars(default)]
        tools: Vec<McpTool>,
        /// Its resources, which a prompt can mention as `@server:uri`.
        #[schemars(default)]
        resources: Vec<Resource>,
    }
    McpTool {
        /// The name by which the model calls it, such as `mcp__docs__search`.
        name: String,
        /// Its description, written by the server.
        #[schemars(default)]
        description: String,
        /// The JSON Schema of its input; by default any object.
        input_schema: Option<Value>,
        /// Whether the model sees it only after a search for it.
        #[schemars(default)]
        defer_loading: bool,
    }
    Resource {
        /// The address by which a prompt mentions it, after the server's name
        /// and a colon.
        uri: String,
        /// Its name at the server.
        name: String,
        /// Its contents, as the server returned them.
        #[schemars(default)]
        contents: Vec<Content>,
    }
}

#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Binary data, for which a placeholder is sent.
    Blob {
        /// The media type, such as `image/png`, if the server named it.
        media_type: Option<String>,
        /// The size, in bytes.
        bytes: u64,
    },
}
