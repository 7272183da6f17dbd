//! A small session of an agent, written on each wire.

use std::fmt::Write;

/// The wires of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    Messages,
    /// With the system prompt in `instructions`.
    Responses,
    /// Responses with the system prompt in developer messages.
    Developer,
    Chat,
    Gemini,
}

pub(crate) const WIRES: [Wire; 5] =
    [Wire::Messages, Wire::Responses, Wire::Developer, Wire::Chat, Wire::Gemini];

/// The contents of a request. All texts are JSON without the quotes.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) model: String,
    pub(crate) effort: &'static str,
    /// Its parts, if the wire has parts.
    pub(crate) system: Vec<String>,
    /// Names and descriptions.
    pub(crate) tools: Vec<(String, String)>,
    pub(crate) turns: Vec<Turn>,
}

/// A message of the user, a call, its result and an answer.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The blocks of the message.
    pub(crate) prompt: Vec<String>,
    /// The data of an image in the message.
    pub(crate) image: Option<String>,
    /// Whether the image is in front of the texts.
    pub(crate) is_image_first: bool,
    pub(crate) thinking: Option<String>,
    /// The members of the arguments: keys and values as they are written.
    pub(crate) arguments: Vec<(String, String)>,
    /// What stands between two members.
    pub(crate) comma: &'static str,
    pub(crate) result: String,
    /// What the program adds after the result.
    pub(crate) reminder: Option<String>,
    pub(crate) answer: String,
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(",")
}

/// Escapes JSON for a string of JSON.
fn quoted(json: &str) -> String {
    json.replace('\\', "\\\\").replace('"', "\\\"")
}

impl Turn {
    fn input(&self) -> String {
        let members = self.arguments.iter().map(|(key, value)| format!("\"{key}\":{value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(self.comma))
    }

    /// Returns the blocks of the message, given how the wire writes a text and an image.
    fn prompt(&self, text: impl Fn(&str) -> String, image: impl Fn(&str) -> String) -> String {
        let mut blocks: Vec<String> = self.prompt.iter().map(|it| text(it)).collect();
        let at = if self.is_image_first { 0 } else { blocks.len() };
        blocks.splice(at..at, self.image.iter().map(|it| image(it)));
        list(blocks)
    }
}

impl Session {
    /// Returns the body of the request.
    pub(crate) fn body(&self, wire: Wire) -> String {
        match wire {
            Wire::Messages => self.messages(),
            Wire::Responses | Wire::Developer => self.responses(wire),
            Wire::Chat => self.chat(),
            Wire::Gemini => self.gemini(),
        }
    }

    fn messages(&self) -> String {
        let tools = self.tools.iter().map(|(name, text)| {
            format!(
                r#"{{"name":"{name}","description":"{text}","input_schema":{{"type":"object"}}}}"#
            )
        });
        let mut messages = Vec::new();
        for (number, turn) in self.turns.iter().enumerate() {
            let text = |it: &str| format!(r#"{{"type":"text","text":"{it}"}}"#);
            let prompt = turn.prompt(text, |data| {
                format!(r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#)
            });
            let reminder: String =
                turn.reminder.iter().map(|it| format!(",{}", text(it))).collect();
            let thinking = turn.thinking.iter().map(|it| {
                format!(r#"{{"type":"thinking","thinking":"{it}","signature":"c2ln"}},"#)
            });
            let thinking: String = thinking.collect();
            let (input, result, answer) = (turn.input(), &turn.result, &turn.answer);
            messages.push(format!(
                r#"{{"role":"user","content":[{prompt}]}},{{"role":"assistant","content":[{thinking}{{"type":"tool_use","id":"t{number}","name":"read","input":{input}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{number}","content":[{{"type":"text","text":"{result}"}}]}}{reminder}]}},{{"role":"assistant","content":[{{"type":"text","text":"{answer}"}}]}}"#
            ));
        }
        messages
            .push(r#"{"role":"user","content":[{"type":"text","text":"And now?"}]}"#.to_owned());
        let (model, effort) = (&self.model, self.effort);
        let system = self.system.iter().map(|it| format!(r#"{{"type":"text","text":"{it}"}}"#));
        format!(
            r#"{{"model":"claude-{model}","max_tokens":100,"output_config":{{"effort":"{effort}"}},"tools":[{}],"system":[{}],"messages":[{}]}}"#,
            list(tools),
            list(system),
            list(messages)
        )
    }

    fn responses(&self, wire: Wire) -> String {
        let tools = self.tools.iter().map(|(name, text)| {
            format!(r#"{{"type":"function","name":"{name}","description":"{text}","parameters":{{"type":"object"}}}}"#)
        });
        let (mut instructions, mut input) = (String::new(), Vec::new());
        match wire {
            Wire::Developer => {
                let developer = |it| format!(r#"{{"role":"developer","content":"{it}"}}"#);
                input.extend(self.system.iter().map(developer));
            }
            _ => instructions = format!(r#""instructions":"{}","#, self.system.concat()),
        }
        for (number, turn) in self.turns.iter().enumerate() {
            let text = |it: &str| format!(r#"{{"type":"input_text","text":"{it}"}}"#);
            let prompt = turn.prompt(text, |data| {
                format!(r#"{{"type":"input_image","image_url":"data:image/png;base64,{data}"}}"#)
            });
            let message = |it| format!(r#"{{"role":"user","content":[{}]}},"#, text(it));
            let reminder: String = turn.reminder.iter().map(|it| message(it)).collect();
            let thinking = turn.thinking.iter().map(|it| {
                format!(r#"{{"type":"reasoning","id":"rs_{number}","summary":[],"encrypted_content":"{it}"}},"#)
            });
            let thinking: String = thinking.collect();
            let (arguments, result, answer) = (quoted(&turn.input()), &turn.result, &turn.answer);
            input.push(format!(
                r#"{{"role":"user","content":[{prompt}]}},{thinking}{{"type":"function_call","call_id":"t{number}","name":"read","arguments":"{arguments}"}},{{"type":"function_call_output","call_id":"t{number}","output":"{result}"}},{reminder}{{"role":"assistant","content":[{{"type":"output_text","text":"{answer}"}}]}}"#
            ));
        }
        input.push(
            r#"{"role":"user","content":[{"type":"input_text","text":"And now?"}]}"#.to_owned(),
        );
        let (model, effort) = (&self.model, self.effort);
        format!(
            r#"{{"model":"gpt-{model}","reasoning":{{"effort":"{effort}"}},{instructions}"tools":[{}],"input":[{}]}}"#,
            list(tools),
            list(input)
        )
    }

    fn chat(&self) -> String {
        let tools = self.tools.iter().map(|(name, text)| {
            format!(r#"{{"type":"function","function":{{"name":"{name}","description":"{text}","parameters":{{"type":"object"}}}}}}"#)
        });
        let system = |it| format!(r#"{{"role":"system","content":"{it}"}}"#);
        let mut messages: Vec<String> = self.system.iter().map(system).collect();
        for (number, turn) in self.turns.iter().enumerate() {
            let prompt = match (&turn.prompt[..], &turn.image) {
                ([text], None) => format!("\"{text}\""),
                _ => {
                    let text = |it: &str| format!(r#"{{"type":"text","text":"{it}"}}"#);
                    let blocks = turn.prompt(text, |data| {
                        format!(r#"{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{data}"}}}}"#)
                    });
                    format!("[{blocks}]")
                }
            };
            let message = |it| format!(r#"{{"role":"user","content":"{it}"}},"#);
            let reminder: String = turn.reminder.iter().map(message).collect();
            let (arguments, result, answer) = (quoted(&turn.input()), &turn.result, &turn.answer);
            messages.push(format!(
                r#"{{"role":"user","content":{prompt}}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"t{number}","type":"function","function":{{"name":"read","arguments":"{arguments}"}}}}]}},{{"role":"tool","tool_call_id":"t{number}","content":"{result}"}},{reminder}{{"role":"assistant","content":"{answer}"}}"#
            ));
        }
        messages.push(r#"{"role":"user","content":"And now?"}"#.to_owned());
        let (model, effort) = (&self.model, self.effort);
        format!(
            r#"{{"model":"gpt-{model}","reasoning_effort":"{effort}","tools":[{}],"messages":[{}]}}"#,
            list(tools),
            list(messages)
        )
    }

    fn gemini(&self) -> String {
        let tools = self.tools.iter().map(|(name, text)| {
            format!(
                r#"{{"name":"{name}","description":"{text}","parameters":{{"type":"object"}}}}"#
            )
        });
        let mut contents = String::new();
        for turn in &self.turns {
            let text = |it: &str| format!(r#"{{"text":"{it}"}}"#);
            let prompt = turn.prompt(text, |data| {
                format!(r#"{{"inlineData":{{"mimeType":"image/png","data":"{data}"}}}}"#)
            });
            let reminder: String =
                turn.reminder.iter().map(|it| format!(",{}", text(it))).collect();
            let (args, result, answer) = (turn.input(), &turn.result, &turn.answer);
            write!(
                contents,
                r#"{{"role":"user","parts":[{prompt}]}},{{"role":"model","parts":[{{"functionCall":{{"name":"read","args":{args}}}}}]}},{{"role":"user","parts":[{{"functionResponse":{{"name":"read","response":{{"output":"{result}"}}}}}}{reminder}]}},{{"role":"model","parts":[{{"text":"{answer}"}}]}},"#
            )
            .unwrap();
        }
        let system = self.system.iter().map(|it| format!(r#"{{"text":"{it}"}}"#));
        format!(
            r#"{{"systemInstruction":{{"parts":[{}]}},"tools":[{{"functionDeclarations":[{}]}}],"contents":[{contents}{{"role":"user","parts":[{{"text":"And now?"}}]}}]}}"#,
            list(system),
            list(tools)
        )
    }
}
