//! A session on the Responses wire, against a server that refuses what the API
//! refuses and detects every missing reasoning item.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use super::*;

/// What one process gets: two responses with tool calls, and a text.
const ANSWERS: usize = 3;
const PROCESSES: usize = 10;

/// What the server knows.
#[derive(Debug, Default)]
struct Judge {
    requests: usize,
    refusals: Vec<String>,
    /// Reasoning that it sent, each with the item after it.
    written: Vec<(Value, Value)>,
    /// The last request, without breakpoints.
    before: Value,
    /// How often each of [`FAULTS`] was seeded.
    seeded: [usize; FAULTS.len()],
    /// Seeded faults that it did not refuse.
    unseen: Vec<String>,
}

/// A fault to put into a request, by name: returns false when the request has
/// no place for it.
type Fault = (&'static str, fn(&mut Value) -> bool);

/// Faults that the server has to see in every request that it accepts.
const FAULTS: [Fault; 6] = [
    ("a lost reasoning item", |body| remove(body, |it| it["type"] == "reasoning")),
    ("a reasoning item without its content", |body| {
        let is_it = |it: &&mut Value| it["type"] == "reasoning";
        let items = body["input"].as_array_mut().unwrap();
        let found = items.iter_mut().find(is_it);
        found.is_some_and(|it| it.as_object_mut().unwrap().remove("encrypted_content").is_some())
    }),
    ("reasoning behind its item", |body| {
        let items = body["input"].as_array_mut().unwrap();
        let place = items.iter().position(|it| it["type"] == "reasoning");
        place.is_some_and(|place| {
            items.swap(place, place + 1);
            true
        })
    }),
    ("a missing output", |body| remove(body, |it| it["type"] == "function_call_output")),
    ("a changed prefix", |body| {
        // In the first request, there is nothing before it to change.
        let items = body["input"].as_array_mut().unwrap();
        let is_late = items.iter().any(|it| it["type"] == "reasoning");
        if is_late {
            items[0]["content"] = json!("another text");
        }
        is_late
    }),
    ("a changed tool", |body| {
        let is_late = body["input"].to_string().contains("reasoning");
        if is_late {
            body["tools"][0]["description"] = json!("another tool");
        }
        is_late
    }),
];

/// Removes the first matching item.
fn remove(body: &mut Value, is_it: fn(&Value) -> bool) -> bool {
    let items = body["input"].as_array_mut().unwrap();
    let place = items.iter().position(is_it);
    place.is_some_and(|place| items.remove(place).is_object())
}

impl Judge {
    /// Serves requests at a local address.
    fn serve() -> (String, Arc<Mutex<Self>>) {
        let server = Server::new();
        let (url, judge) = (server.url.clone(), Arc::new(Mutex::new(Self::default())));
        let of_thread = judge.clone();
        thread::spawn(move || {
            loop {
                let (body, mut stream) = server.body();
                let answer = of_thread.lock().unwrap().answer(&body);
                // A cancelled client has closed the connection.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        (url, judge)
    }

    fn answer(&mut self, body: &[u8]) -> String {
        let mut body: Value = serde_json::from_slice(body).unwrap();
        without_breakpoints(&mut body);
        if let Some(refusal) = self.refusal(&body) {
            self.refusals.push(format!("{}: {refusal}", self.requests));
            let error = json!({"error": {"type": "invalid_request_error", "message": refusal}});
            return format!(
                "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{error}"
            );
        }
        for (index, (name, seed)) in FAULTS.into_iter().enumerate() {
            let mut spoiled = body.clone();
            if !seed(&mut spoiled) {
                continue;
            }
            self.seeded[index] += 1;
            if self.refusal(&spoiled).is_none() {
                self.unseen.push(format!("{}: {name}", self.requests));
            }
        }
        self.before = body;
        let number = self.requests;
        self.requests += 1;
        let events: String =
            self.events(number).iter().map(|it| format!("data: {it}\n\n")).collect();
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}"
        )
    }

    fn refusal(&self, body: &Value) -> Option<String> {
        let input = body["input"].as_array()?;
        let stateless = body["store"] == false
            && body["stream"] == true
            && body["include"] == json!(["reasoning.encrypted_content"]);
        if !stateless {
            return Some("the request is not stateless".to_owned());
        }
        let lost = self.written.iter().find_map(|(reasoning, item)| {
            let id = &reasoning["id"];
            let at = input.iter().position(|it| it["id"] == *id)?;
            let keys = ["type", "call_id", "arguments", "content"];
            let is_kept = input[at]["encrypted_content"] == reasoning["encrypted_content"];
            let is_followed =
                keys.iter().all(|key| input.get(at + 1).is_some_and(|it| it[*key] == item[*key]));
            (!(is_kept && is_followed)).then(|| format!("reasoning {id} without its required item"))
        });
        let count = input.iter().filter(|it| it["type"] == "reasoning").count();
        if count != self.written.len() {
            return Some(format!(
                "{count} items of reasoning, {} were written",
                self.written.len()
            ));
        }
        lost.or_else(|| output_missing(input))
            .or_else(|| {
                let keys = ["model", "tools", "text", "instructions", "reasoning"];
                let changed = keys.iter().find(|key| {
                    self.before["input"].is_array() && self.before[**key] != body[**key]
                });
                changed.map(|key| format!("{key} changed"))
            })
            .or_else(|| {
                let old = self.before["input"].as_array()?;
                let same = old.iter().zip(input).take_while(|(a, b)| a == b).count();
                (same < old.len()).then(|| {
                    format!(
                        "input[{same}] changed: {} became {}",
                        old[same],
                        input.get(same).unwrap_or(&Value::Null)
                    )
                })
            })
    }

    /// Returns a response's events: reasoning, then a call, two calls, or a
    /// text.
    fn events(&mut self, number: usize) -> Vec<Value> {
        let reasoning = |place: usize| {
            json!({"type": "reasoning", "id": format!("rs_{number}_{place}"),
                "summary": [{"type": "summary_text", "text": "Hm."}],
                "encrypted_content": format!("e-{number}-{place}")})
        };
        let call = |place: usize, file: &str| {
            json!({"type": "function_call", "id": format!("fc_{number}_{place}"),
                "call_id": format!("call_{number}_{place}"), "name": "Read",
                "arguments": format!("{{\"file_path\": \"{file}\"}}"), "status": "completed"})
        };
        let items = match number % ANSWERS {
            0 => vec![call(0, "a.md")],
            1 => vec![call(0, "a.md"), call(1, "gone.md")],
            _ => {
                let text = format!("Answer {number}");
                vec![json!({"type": "message", "id": format!("msg_{number}"), "role": "assistant",
                    "status": "completed",
                    "content": [{"type": "output_text", "text": text, "annotations": []}]})]
            }
        };
        let response = |status: &str| {
            json!({"id": format!("resp_{number}"), "object": "response", "model": "gpt-6.2-sol",
                "status": status, "output": [], "usage": {"input_tokens": 9, "output_tokens": 1}})
        };
        let mut events =
            vec![json!({"type": "response.created", "response": response("in_progress")})];
        let mut output_index = 0;
        for (place, item) in items.into_iter().enumerate() {
            let sent = match item["type"].as_str() {
                Some("message") => {
                    json!({"type": "message", "content": item["content"][0]["text"]})
                }
                _ => item.clone(),
            };
            let thought = reasoning(place);
            self.written.push((thought.clone(), sent));
            for item in [thought, item] {
                events.push(json!({"type": "response.output_item.done",
                    "output_index": output_index, "item": item}));
                output_index += 1;
            }
        }
        events.push(json!({"type": "response.completed", "response": response("completed")}));
        events
    }
}

/// Checks that every call has one output before the user's next message.
fn output_missing(input: &[Value]) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    for item in input {
        let id = item["call_id"].as_str().unwrap_or_default();
        match item["type"].as_str().unwrap_or_default() {
            "function_call" => open.push(id),
            "function_call_output" => match open.iter().position(|it| *it == id) {
                Some(place) => drop(open.remove(place)),
                None => return Some(format!("No tool call found for output {id}")),
            },
            "message" if item["role"] == "user" && !open.is_empty() => break,
            _ => {}
        }
    }
    let missing = open.first();
    missing.map(|id| format!("No tool output found for function call {id}"))
}

/// Breakpoints do not belong to the prefix.
fn without_breakpoints(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("prompt_cache_breakpoint");
            members.values_mut().for_each(without_breakpoints);
        }
        Value::Array(items) => items.iter_mut().for_each(without_breakpoints),
        _ => {}
    }
}

#[test]
fn a_session_on_responses_loses_no_reasoning_and_keeps_its_prefix() {
    let place = Place::new();
    let (url, judge) = Judge::serve();
    let mut id: Option<String> = None;
    for process in 0..PROCESSES {
        let prompt = format!("Turn {process}");
        let resume = id.iter().flat_map(|id| ["--resume", id]);
        let arguments: Vec<_> = [prompt.as_str()].into_iter().chain(resume).collect();
        let mut command = place.command(&arguments);
        // A compatible server needs no key.
        command
            .env("CLAUDE_CODE_USE_OPENAI", "1")
            .env("OPENAI_BASE_URL", &url)
            .env("OPENAI_WIRE_API", "responses")
            .env("OPENAI_MODEL", "gpt-6.2-sol");
        let ran = Ran::of(command.output().unwrap());
        let refusals = judge.lock().unwrap().refusals.clone();
        assert_eq!(refusals, [""; 0], "{ran:?}");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let answer = format!("Answer {}", process * ANSWERS + 2);
        assert!(ran.stdout.contains(&answer), "{ran:?}");
        id = Some(ran.id());
    }
    let judge = judge.lock().unwrap();
    assert_eq!(judge.requests, ANSWERS * PROCESSES);
    // One in three responses has two calls, each with its own reasoning.
    assert_eq!(judge.written.len(), (ANSWERS + 1) * PROCESSES);
    // If any request had a fault, the server would have refused the session.
    assert_eq!(judge.unseen, [""; 0]);
    assert_eq!(judge.seeded, [ANSWERS * PROCESSES - 1; FAULTS.len()]);
}
