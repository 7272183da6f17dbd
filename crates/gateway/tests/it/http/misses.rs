//! Cache misses in the report of the test server, with several sessions.

use std::collections::BTreeSet;

use aside_gateway::serve::Script;
use serde_json::{Value, json};

use super::*;

/// A session of an agent, which marks its system prompt and its last message.
struct Session {
    system: String,
    tools: Vec<&'static str>,
    model: &'static str,
    /// The parameter `thinking`.
    thinking: &'static str,
    messages: Vec<Value>,
}

impl Session {
    fn new(system: &str, tools: &[&'static str]) -> Self {
        Self {
            system: format!("{system} ").repeat(800),
            tools: tools.to_vec(),
            model: "claude-opus-5",
            thinking: "adaptive",
            messages: Vec::new(),
        }
    }

    fn body(&self) -> String {
        let mut messages = self.messages.clone();
        let marker = json!({"type": "ephemeral"});
        messages.last_mut().unwrap()["content"][0]["cache_control"] = marker.clone();
        let tool = |name: &&str| json!({"name": name, "input_schema": {"type": "object"}});
        let tools: Vec<_> = self.tools.iter().map(tool).collect();
        let system = [json!({"type": "text", "text": self.system, "cache_control": marker})];
        json!({
            "model": self.model,
            "max_tokens": 64,
            "thinking": {"type": self.thinking},
            "tools": tools,
            "system": system,
            "messages": messages,
        })
        .to_string()
    }

    fn ask(&mut self, text: &str) {
        let text = json!({"type": "text", "text": text});
        self.messages.push(json!({"role": "user", "content": [text]}));
    }

    /// Sends the conversation, without the response.
    async fn send(&self, server: &Running<ServerReport>) -> Value {
        let response = message(server, &self.body()).send().await.unwrap();
        let status = response.status();
        let body = response.text().await.unwrap();
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    async fn say(&mut self, server: &Running<ServerReport>, text: &str) {
        self.ask(text);
        let content = self.send(server).await["content"].clone();
        self.messages.push(json!({"role": "assistant", "content": content}));
    }
}

/// Sends four sessions in turns, with sub-agents, titles and retries between
/// their requests.
async fn interleave(server: &Running<ServerReport>, thinking: &'static str) {
    let new =
        |system: &str, tools: &[&'static str]| Session { thinking, ..Session::new(system, tools) };
    let mut sessions = [
        new("Review code.", &["Read", "Grep"]),
        new("Write code.", &["Read", "Edit"]),
        // Two more sessions of the first agent.
        new("Review code.", &["Read", "Grep"]),
        new("Review code.", &["Read", "Grep"]),
    ];
    for turn in 0..4 {
        for (index, session) in sessions.iter_mut().enumerate() {
            // The last two sessions begin with the same question.
            let name = if turn == 0 { index.min(2) } else { index };
            let text = format!("Turn {turn} of {name}");
            session.say(server, &text).await;
        }
        // Sub-agents of the first session: with its tools, with its system
        // prompt, and with neither.
        for (system, tools) in
            [("Search.", &["Read", "Grep"][..]), ("Review code.", &["Bash"]), ("Summarize.", &[])]
        {
            let mut agent = new(system, tools);
            agent.say(server, &format!("Task {turn}")).await;
            agent.say(server, "More.").await;
        }
        // A title of the first session, by a smaller model.
        let mut title = Session {
            model: "claude-haiku-4-5",
            thinking: "disabled",
            ..new("Name the session.", &[])
        };
        title.say(server, &format!("Turn {turn} of 0")).await;
        // The same request again, and its tokens.
        sessions[1].ask("Retried");
        for _ in 0..3 {
            sessions[1].send(server).await;
        }
        let mut counted: Value = serde_json::from_str(&sessions[1].body()).unwrap();
        sessions[1].messages.pop();
        counted.as_object_mut().unwrap().remove("max_tokens");
        let count = client()
            .post(server.url("/v1/messages/count_tokens"))
            .header("anthropic-version", "2023-06-01")
            .body(counted.to_string());
        assert_eq!(count.send().await.unwrap().status(), 200);
    }
}

/// Every answer has the same text, with signed thinking and without any.
#[tokio::test]
async fn interleaved_sessions_miss_nothing() {
    for thinking in ["adaptive", "disabled"] {
        let server = serve(|options| options.faults = "529:1".parse().unwrap()).await;
        let overloaded = message(&server, HI).send().await.unwrap();
        assert_eq!(overloaded.status(), 529);
        interleave(&server, thinking).await;
        let report = server.stop().await;
        assert!(report.misses.is_empty(), "{thinking}: {:#?}", report.misses);
        assert!(report.is_clean());
    }
}

#[tokio::test]
async fn sessions_without_thinking_miss_nothing() {
    let answers: Vec<_> = (0..80).map(|it| json!({"content": format!("Answer {it}.")})).collect();
    let script = json!({"version": 1, "answers": answers}).to_string();
    let server =
        serve(|options| options.script = Some(Script::parse("script", &script).unwrap())).await;
    interleave(&server, "disabled").await;
    let report = server.stop().await;
    assert!(report.misses.is_empty(), "{:#?}", report.misses);
    assert!(report.is_clean());
}

/// Claude Code sends a message as a list while it is marked, and as a string
/// afterwards.
#[tokio::test]
async fn a_list_that_becomes_a_string_misses_nothing() {
    let rules = "Review code. ".repeat(800);
    for (model, thinking) in [
        ("claude-opus-5-5", "adaptive"),
        ("claude-opus-5", "adaptive"),
        ("claude-opus-5", "disabled"),
    ] {
        let server = serve(|_| {}).await;
        let mut messages = String::new();
        for turn in 0..6 {
            let body = format!(
                r#"{{"model":"{model}","max_tokens":64,"thinking":{{"type":"{thinking}"}},"system":"{rules}","messages":[{messages}{{"role":"user","content":[{{"type":"text","text":"Question {turn}","cache_control":{{"type":"ephemeral"}}}}]}}]}}"#
            );
            let response = message(&server, &body).send().await.unwrap();
            let response: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
            let content = match &response["content"] {
                Value::Array(blocks) if blocks.len() == 1 => &blocks[0]["text"],
                content => content,
            };
            messages += &format!(
                r#"{{"role":"user","content":"Question {turn}"}},{{"role":"assistant","content":{content}}},"#
            );
        }
        let report = server.stop().await;
        assert!(report.is_clean(), "{report:#?}");
        assert!(report.totals.cache_read_input_tokens > 10_000);
    }
}

#[tokio::test]
async fn a_miss_is_one_of_the_session_that_changed() {
    let server = serve(|_| {}).await;
    let mut calm = Session::new("Review code.", &["Read"]);
    let mut nervous = Session::new("Write code.", &["Edit", "Bash"]);
    let mut changed = BTreeSet::new();
    for turn in 0..4 {
        calm.say(&server, &format!("Question {turn}")).await;
        match turn {
            1 => nervous.system += "It is 10:15.",
            2 => nervous.tools.reverse(),
            3 => nervous.messages[0]["content"][0]["text"] = "Edited".into(),
            _ => {}
        }
        nervous.say(&server, &format!("Task {turn}")).await;
        if turn > 0 {
            changed.insert(turn * 2 + 2);
        }
    }
    let report = server.stop().await;
    let missed: BTreeSet<_> = report.misses.iter().map(|it| it.request).collect();
    assert_eq!(missed, changed);
    assert_eq!(report.missed, 3);
    let lines: Vec<_> = report.misses.iter().map(ToString::to_string).collect();
    for (line, cause) in lines.iter().zip([
        "request 4: miss system_changed at system[0].text, byte ",
        "request 6: miss tools_changed at tools[0].name, byte 0 (tool order), ",
        "request 8: miss messages_changed at messages[0].content[0].text, byte 0 (",
    ]) {
        assert!(line.starts_with(cause), "{line}");
    }
}

#[tokio::test]
async fn an_expired_entry_is_a_miss_with_its_age() {
    let server = serve(|_| {}).await;
    let mut session = Session::new("Review code.", &["Read"]);
    session.ask("One");
    for now in ["1000", "1400"] {
        let request = message(&server, &session.body()).header("x-aside-now", now);
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    let report = server.stop().await;
    let line = report.misses[0].to_string();
    let start = "request 2: miss previous_message_not_found (expired after 6m40s, 1h would do), ";
    assert!(line.starts_with(start), "{line}");
}

/// What the report counts as a miss is no hit for the diagnostics either.
#[tokio::test]
async fn an_entry_that_expired_is_no_hit() {
    let answers = json!([{"content": "One."}, {"content": "Two.", "advance_ms": 60_000},
        {"content": "Three.", "advance_ms": 7_200_000}]);
    let script = json!({"version": 1, "answers": answers}).to_string();
    let script = Script::parse("script", &script).unwrap();
    let server = serve(|options| options.script = Some(script)).await;
    let mut body = json!({"model": "gpt-6.2-sol", "input": "word ".repeat(3_000)});
    let mut found = Vec::new();
    for _ in 0..3 {
        let request = client().post(server.url("/v1/responses")).body(body.to_string());
        let answer: Value =
            serde_json::from_str(&request.send().await.unwrap().text().await.unwrap()).unwrap();
        body["prompt_cache_options"] = json!({"comparison_response_id": answer["id"]});
        found.push(answer["prompt_cache_diagnostics"]["type"].clone());
    }
    assert_eq!(found, [Value::Null, json!("cache_hit"), json!("unavailable")]);
    assert_eq!(server.stop().await.missed, 1);
}

/// Claude Code's `/compact` leaves out the newest response, which has no thinking, and marks nothing
/// behind the message before its own.
#[tokio::test]
async fn a_request_that_leaves_out_the_newest_response_misses_what_that_one_wrote() {
    let answers = json!([
        {"content": [
            {"type": "thinking", "thinking": "One."},
            {"type": "tool_use", "name": "Read", "input": {}},
        ]},
        {"content": "Done."},
        {"content": "A summary."},
    ]);
    let script = json!({"version": 1, "answers": answers}).to_string();
    for (is_result_marked, misses) in [(false, 1), (true, 0)] {
        let script = Script::parse("script", &script).unwrap();
        let server = serve(|options| options.script = Some(script)).await;
        let proxy = proxy(server.address, |_| {}).await;
        let mut session = Session::new("Review code.", &["Read"]);
        let mut send = async |message: Value| {
            session.messages.push(message);
            let response = super::message(&proxy, &session.body()).send().await.unwrap();
            assert_eq!(response.status(), 200);
            let answer: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
            session.messages.push(json!({"role": "assistant", "content": answer["content"]}));
            answer
        };
        let user = |content: Value| json!({"role": "user", "content": content});
        let first = send(user(json!([{"type": "text", "text": "Read it."}]))).await;
        let id = &first["content"][1]["id"];
        let text = "A long result. ".repeat(500);
        let mut result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        let second = send(user(json!([result]))).await;
        assert_eq!(second["content"][0]["text"], "Done.");
        session.messages.truncate(1);
        let mut body: Value = serde_json::from_str(&session.body()).unwrap();
        if is_result_marked {
            result["cache_control"] = json!({"type": "ephemeral"});
        }
        let messages = body["messages"].as_array_mut().unwrap();
        messages.push(json!({"role": "assistant", "content": first["content"]}));
        messages.push(user(json!([result, {"type": "text", "text": "Summarize."}])));
        answered(&proxy, &body.to_string()).await;
        let lines = proxy.lines.clone();
        proxy.stop().await;
        let lost = |it: &Line| it.miss.as_ref().map(|it| it.lost_tokens);
        let by_proxy: Vec<_> = lines.lock().unwrap().iter().filter_map(lost).collect();
        let report = server.stop().await;
        let by_server: Vec<_> = report.misses.iter().map(|it| it.miss.lost_tokens).collect();
        assert_eq!((by_server.len(), &by_server), (misses, &by_proxy));
    }
}

/// The prompt after a signed response is edited, and sent as two messages: what the first prompt
/// wrote is not lost, since nothing of it is sent.
#[tokio::test]
async fn an_edited_prompt_in_two_messages_misses_nothing() {
    let answers = json!([
        {"content": [{"type": "thinking", "thinking": "One."}, {"type": "text", "text": "Hello."}]},
        {"content": "Done."},
        {"content": "Done again."},
    ]);
    let script = Script::parse("script", &json!({"version": 1, "answers": answers}).to_string());
    let server = serve(|options| options.script = Some(script.unwrap())).await;
    let user = |text: &str| {
        let text = text.repeat(800);
        let marked = json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}});
        json!({"role": "user", "content": [marked]})
    };
    let send = async |messages: &[Value]| -> Value {
        let body = json!({"model": "claude-opus-5", "max_tokens": 999, "messages": messages});
        let response = message(&server, &body.to_string()).send().await.unwrap();
        serde_json::from_str(&response.text().await.unwrap()).unwrap()
    };
    let first = user("The first prompt. ");
    let answer = send(std::slice::from_ref(&first)).await;
    let answer = json!({"role": "assistant", "content": answer["content"]});
    send(&[first.clone(), answer.clone(), user("The second prompt. ")]).await;
    send(&[first, answer, user("The edited prompt. "), user("And more. ")]).await;
    let report = server.stop().await;
    assert_eq!(report.answered, 3);
    assert!(report.misses.is_empty(), "{:#?}", report.misses);
}
