//! A strict server of Responses.

use std::collections::HashSet;

use serde_json::{Value, json};

/// A server with the rules of the API and one more: it remembers the items that
/// it has written, and requires them in the next request.
#[derive(Default)]
pub(crate) struct Server {
    /// Reasoning that was written, and the item that it belongs to.
    pub(crate) written: Vec<(String, Value)>,
    /// The last request.
    pub(crate) before: Option<Value>,
}

impl Server {
    /// Returns why a request is refused.
    pub(crate) fn fault(&mut self, body: &[u8]) -> Option<String> {
        let mut body: Value = serde_json::from_slice(body).unwrap();
        without_breakpoints(&mut body);
        let input = body["input"].as_array().unwrap().clone();
        let fault = self
            .reasoning_fault(&input)
            .or_else(|| output_fault(&input))
            .or_else(|| self.prefix_fault(&body, &input));
        self.before = Some(body);
        fault
    }

    /// Reasoning is there, directly before its item, with nothing of it lost.
    fn reasoning_fault(&self, input: &[Value]) -> Option<String> {
        for (id, item) in &self.written {
            let Some(at) = input.iter().position(|it| it["id"] == id.as_str()) else {
                return Some(format!("reasoning {id} is lost"));
            };
            let next = input.get(at + 1).unwrap_or(&Value::Null);
            let keys = ["type", "call_id", "arguments", "content"];
            if keys.iter().any(|key| next[key] != item[key]) {
                return Some(format!("reasoning {id} was provided without its required item"));
            }
            if input[at]["encrypted_content"] != format!("e-{id}") {
                return Some(format!("reasoning {id} has other content"));
            }
        }
        None
    }

    /// Tools, format and earlier items are the beginning of the request.
    fn prefix_fault(&self, body: &Value, input: &[Value]) -> Option<String> {
        let before = self.before.as_ref()?;
        for key in ["tools", "text", "instructions", "model"] {
            if before[key] != body[key] {
                return Some(format!("{key} changed"));
            }
        }
        let old = before["input"].as_array().unwrap();
        (!input.starts_with(old)).then(|| "an earlier item changed".to_owned())
    }

    /// The stream of an answer: reasoning, and a call or a text.
    pub(crate) fn answer(&mut self, turn: usize) -> String {
        let id = format!("rs_{turn}");
        let reasoning = json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": format!("e-{id}")});
        let (item, sent) = match turn % 4 {
            3 => {
                let text = format!("Answer {turn}");
                let sent = json!({"type": "message", "id": format!("msg_{turn}"), "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]});
                (json!({"type": "message", "content": text}), sent)
            }
            _ => {
                let (id, arguments) = (format!("call_{turn}"), format!("{{\"n\": {turn}}}"));
                let sent = json!({"type": "function_call", "id": format!("fc_{turn}"), "call_id": id, "name": "Read", "arguments": arguments, "status": "completed"});
                (json!({"type": "function_call", "call_id": id, "arguments": arguments}), sent)
            }
        };
        self.written.push((id, item));
        let response = json!({"id": format!("resp_{turn}"), "model": "gpt-6.2-sol", "status": "completed", "output": [], "usage": {"input_tokens": 9, "output_tokens": 1}});
        let events = [
            json!({"type": "response.created", "response": {"id": format!("resp_{turn}"), "model": "gpt-6.2-sol", "status": "in_progress"}}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "e"}}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": reasoning}),
            json!({"type": "response.output_item.done", "output_index": 1, "item": sent}),
            json!({"type": "response.completed", "response": response}),
        ];
        events.map(|event| format!("data: {event}\n\n")).concat()
    }
}

/// Every call has one output, after it and before the model goes on.
pub(crate) fn output_fault(input: &[Value]) -> Option<String> {
    let mut open = HashSet::new();
    let mut answered = HashSet::new();
    for item in input {
        let id = item["call_id"].as_str().unwrap_or_default().to_owned();
        match item["type"].as_str().unwrap_or_default() {
            "function_call" => drop(open.insert(id)),
            "function_call_output" if !open.remove(&id) || !answered.insert(id.clone()) => {
                return Some(format!("no tool call found for output {id}"));
            }
            "message" if item["role"] == "user" && !open.is_empty() => {
                return Some("no tool output found before the user's message".to_owned());
            }
            _ => {}
        }
    }
    let missing = open.into_iter().next();
    missing.map(|id| format!("no tool output found for function call {id}"))
}

/// Breakpoints are no part of the prefix.
pub(crate) fn without_breakpoints(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("prompt_cache_breakpoint");
            members.values_mut().for_each(without_breakpoints);
        }
        Value::Array(items) => items.iter_mut().for_each(without_breakpoints),
        _ => {}
    }
}
