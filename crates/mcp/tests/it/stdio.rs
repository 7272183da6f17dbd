//! Servers on stdio.

use super::*;
use aside_messages::wire::ContentBlock;
use aside_session::attachments::McpContent;

#[tokio::test]
async fn tools_instructions_and_resources_are_listed_and_called() {
    let results = Results::new(&["search", "add"]);
    let (servers, faults) = results.connect().await;
    assert_eq!(faults, [""; 0]);
    assert_eq!(names(&servers), ["mcp__docs__add", "mcp__docs__search"]);
    let server = &servers.offer().servers[0];
    assert_eq!(server.instructions.as_deref(), Some("Search first."));
    assert_eq!(server.resources[0].name, "Guide");

    let output = call(&servers, "mcp__docs__search", r#"{"q":"a","n":1}"#).await;
    assert_eq!(output, ToolOutput::text("found"));
    let calls = read(&results.0.path().join("calls"));
    assert!(calls.contains(r#""arguments":{"n":1,"q":"a"},"name":"search""#), "{calls}");

    let resource = servers.read("docs", "guide:a").await.unwrap().unwrap();
    let text = McpContent::Text { text: "Use tabs.".into() };
    assert_eq!((resource.name.as_str(), &resource.contents[0]), ("Guide", &text));
    let is_png = |media_type: &Option<String>| media_type.as_deref() == Some("image/png");
    let blob = &resource.contents[1];
    assert!(matches!(blob, McpContent::Blob { media_type, bytes: 3 } if is_png(media_type)));
    assert!(servers.read("other", "guide:a").await.unwrap().is_none());

    // None of this process's variables, except those passed on.
    let environment = read(&results.0.path().join("environment"));
    assert!(!environment.contains("CARGO_"), "{environment}");
    servers.close().await;
}

#[tokio::test]
async fn text_that_is_not_unicode_is_replaced_and_reported() {
    let results = Results::new(&["search"]);
    results.set("call", r#"{"content":[{"type":"text","text":"\ud83d\ude00 \ud800x"}]}"#);
    let (servers, _) = results.connect().await;
    let output = call(&servers, "mcp__docs__search", "{}").await;
    assert_eq!(output, ToolOutput::text("😀 \u{fffd}x"));
    let latin1 = b"{\"content\":[{\"type\":\"text\",\"text\":\"caf\xe9\"}]}\n";
    fs::write(results.0.path().join("call"), latin1).unwrap();
    let output = call(&servers, "mcp__docs__search", "{}").await;
    assert_eq!(output, ToolOutput::text("caf\u{fffd}"));
    let faults: Vec<String> =
        servers.update().await.diagnostics.iter().map(ToString::to_string).collect();
    let fault =
        "warning: the MCP server docs wrote text that is not Unicode: U+FFFD is in its place";
    assert_eq!(faults, [fault]);
    assert_eq!(servers.update().await.diagnostics, []);
}

/// The limit of a call is never reached.
#[tokio::test]
async fn a_message_that_cannot_be_read_is_an_error_at_once() {
    let results = Results::new(&["search"]);
    let options =
        ConnectOptions::new("/".into(), vec![("PATH".into(), std::env::var_os("PATH").unwrap())]);
    let (servers, faults) = connect_with([("docs", results.config())], &options).await;
    assert_eq!(faults, [""; 0]);
    let failed = |why: &str| {
        ToolOutput::error(format!(
            "The call may have taken effect, but its result cannot be read: its message {why}"
        ))
    };
    results.set("call", r#"{"content":[],"structuredContent":NaN}"#);
    let output = call(&servers, "mcp__docs__search", "{}").await;
    assert_eq!(output, failed("cannot be parsed: expected value at line 1 column 68"));
    let text = |bytes: usize| {
        results.set(
            "call",
            &format!(r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#, "x".repeat(bytes)),
        );
    };
    text(17 << 20);
    let output = call(&servers, "mcp__docs__search", "{}").await;
    assert_eq!(output, failed("is longer than 16 MB"));
    // The next message is read from its start.
    text(5);
    assert_eq!(call(&servers, "mcp__docs__search", "{}").await, ToolOutput::text("xxxxx"));
    servers.close().await;

    let schema = format!("{}{}", r#"{"a":"#.repeat(140), "1".to_owned() + &"}".repeat(140));
    results.set("tools", &format!(r#"{{"tools":[{{"name":"a","inputSchema":{schema}}}]}}"#));
    for (deep, request) in [("tools", "tools/list: "), ("initialize", "")] {
        if deep == "initialize" {
            results.set(deep, &schema);
        }
        let (_, faults) = connect_with([("docs", results.config())], &options).await;
        let fault = format!(
            "error: the MCP server docs is left out: {request}its message cannot be parsed: recursion limit exceeded"
        );
        assert!(faults.len() == 1 && faults[0].starts_with(&fault), "{faults:?}");
    }
}

#[tokio::test]
async fn content_in_an_unknown_form_does_not_fail_a_call() {
    let results = Results::new(&["search"]);
    let of = |content: &str| {
        results.set("call", &format!(r#"{{"content":[{content}]}}"#));
    };
    let (servers, _) = results.connect().await;
    of(r#"{"type":"video","data":"x"},{"type":"text","text":"after"}"#);
    let output = call(&servers, "mcp__docs__search", "{}").await;
    let expected = ["[content: video]", "after"].map(ContentBlock::text);
    assert_eq!((&*output.content, output.is_error), (&expected[..], false));
    of(r#"{"type":"text","text":"t","annotations":{"priority":5}}"#);
    assert_eq!(call(&servers, "mcp__docs__search", "{}").await, ToolOutput::text("t"));
    results.set("call", r#"{"content":[{"type":"text","text":"t"}],"isError":"true"}"#);
    assert_eq!(call(&servers, "mcp__docs__search", "{}").await, ToolOutput::error("t"));
    results.set("call", r#"{"other":[]}"#);
    let error = "The call may have taken effect, but its result cannot be read: it is not valid";
    assert_eq!(call(&servers, "mcp__docs__search", "{}").await, ToolOutput::error(error));
}

#[tokio::test]
async fn a_list_that_changes_is_read_again() {
    let results = Results::new(&["grow"]);
    let (servers, _) = results.connect().await;
    assert!(servers.update().await.offer.is_none());
    call(&servers, "mcp__docs__grow", "{}").await;
    let update = servers.update().await;
    assert_eq!(update.diagnostics, []);
    assert_eq!(update.offer.unwrap().servers, servers.offer().servers);
    assert_eq!(names(&servers), ["mcp__docs__grow", "mcp__docs__new"]);
    assert!(servers.update().await.offer.is_none());
}

/// The names at the servers differ, those for the model do not.
#[tokio::test]
async fn a_tool_whose_name_is_taken_is_left_out() {
    let (dotted, plain) = (Results::new(&["b", "", "grow"]), Results::new(&["b", "c d", "c.d"]));
    plain.set("call", r#"{"content":[{"type":"text","text":"of a_a"}]}"#);
    let (servers, faults) = connect([("a_a", plain.config()), ("a.a", dotted.config())]).await;
    let expected = [
        "warning: the tool without a name of the MCP server a.a is left out: the model could not call it",
        "warning: the tool c.d of the MCP server a_a is left out: another tool has its name, mcp__a_a__c_d",
        "warning: the tool b of the MCP server a_a is left out: another tool has its name, mcp__a_a__b",
    ];
    let mut sorted = (faults.clone(), expected.map(str::to_owned));
    sorted.0.sort();
    sorted.1.sort();
    assert_eq!(sorted.0, sorted.1);
    assert_eq!(names(&servers), ["mcp__a_a__b", "mcp__a_a__grow", "mcp__a_a__c_d"]);
    assert_eq!(call(&servers, "mcp__a_a__b", "{}").await, ToolOutput::text("found"));
    assert_eq!(call(&servers, "mcp__a_a__c_d", "{}").await, ToolOutput::text("of a_a"));
    // Reported once.
    call(&servers, "mcp__a_a__grow", "{}").await;
    let update = servers.update().await;
    assert_eq!(names(&servers)[2], "mcp__a_a__new");
    assert_eq!(update.diagnostics, []);
}

#[tokio::test]
async fn servers_that_do_not_start_are_left_out() {
    let good = Results::new(&["search"]);
    let hanging = Results::new(&[]);
    hanging.remove("tools");
    let options = ConnectOptions {
        start_limit: Duration::from_secs(4),
        ..ConnectOptions::new("/".into(), vec![("PATH".into(), std::env::var_os("PATH").unwrap())])
    };
    let configs = [
        ("absent", config("/no/such", &[])),
        ("dies", config("sh", &["-c", "printf 'a\\n\\033[31mno key\\n' >&2; exit 1"])),
        ("good", good.config()),
        ("hangs", hanging.config()),
        ("silent", config("sleep", &["600"])),
    ];
    let (servers, faults) = connect_with(configs, &options).await;
    assert_eq!(names(&servers), ["mcp__good__search"]);
    let expected = [
        "absent is left out: failed to start /no/such: ",
        "dies is left out: it ended before it answered; its stderr ends: ",
        "hangs is left out: no response within 4 s",
        "silent is left out: no response within 4 s",
    ];
    for (fault, expected) in faults.iter().zip(expected) {
        assert!(fault.starts_with(&format!("error: the MCP server {expected}")), "{faults:?}");
    }
    assert_eq!(faults.len(), expected.len());
    assert!(faults[1].ends_with(r"; its stderr ends: \u{1b}[31mno key"), "{faults:?}");
}

#[tokio::test]
async fn a_server_that_floods_its_stdout_is_left_out() {
    let options = ConnectOptions {
        start_limit: Duration::from_millis(500),
        ..ConnectOptions::new("/".into(), vec![("PATH".into(), std::env::var_os("PATH").unwrap())])
    };
    let (_, faults) = connect_with([("talks", config("yes", &[]))], &options).await;
    let fault = "error: the MCP server talks is left out: ";
    assert!(faults.len() == 1 && faults[0].starts_with(fault), "{faults:?}");
}

#[tokio::test]
async fn a_call_that_hangs_or_ends_the_server_is_an_error_for_the_model() {
    let results = Results::new(&["die", "search"]);
    results.remove("call");
    let (servers, _) = results.connect().await;
    let hung = call(&servers, "mcp__docs__search", "{}").await;
    assert_eq!(hung, ToolOutput::error("The call failed: no result within 0 s"));
    let cancelled = results.0.path().join("cancelled");
    while fs::metadata(&cancelled).map_or(0, |it| it.len()) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let id = |line: &str, key: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line.pointer(key).unwrap().clone()
    };
    let called = read(&results.0.path().join("calls"));
    assert_eq!(id(&read(&cancelled), "/params/requestId"), id(&called, "/id"));
    let died = call(&servers, "mcp__docs__die", "{}").await;
    assert_eq!(died, ToolOutput::error("The call failed: it ended before it answered"));

    // Its tools stay in the prefix; the end is reported once.
    let update = servers.update().await;
    assert!(update.offer.is_none());
    let faults: Vec<String> = update.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "error: the MCP server docs has ended: calls of its tools fail; its stderr ends: fatal: \\u{1b}[31mno disk"
        ]
    );
    assert_eq!(servers.update().await.diagnostics, []);
    assert_eq!(names(&servers).len(), 2);
}

#[tokio::test]
async fn faulty_and_excess_tools_are_left_out() {
    let results = Results::new(&[]);
    results.set(
        "tools",
        r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b\u001b"},3]}"#,
    );
    let (servers, faults) = results.connect().await;
    assert_eq!(names(&servers), ["mcp__docs__a"]);
    let fault = "of the MCP server docs is left out: its definition is not valid";
    assert_eq!(
        faults,
        [
            format!(r"warning: the tool b\u{{1b}} {fault}"),
            format!("warning: the tool without a name {fault}")
        ]
    );
    let many: Vec<String> = (0..500).map(|index| format!("t{index:03}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let results = Results::new(&many);
    let (servers, faults) = results.connect().await;
    assert_eq!(names(&servers).last().unwrap(), "mcp__docs__t127");
    assert_eq!(
        faults,
        ["warning: the MCP server docs lists 500 tools: only the first 128 by name are offered"]
    );
}

#[tokio::test]
async fn only_a_tool_that_has_to_be_a_task_is_left_out() {
    let results = Results::new(&[]);
    let tool = |name: &str, execution: &str| {
        format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}},"execution":{execution}}}"#)
    };
    let tools = [
        tool("a", r#"{"taskSupport":"required"}"#),
        tool("b", r#"{"taskSupport":"optional"}"#),
        tool("c", r#"{"taskSupport":"forbidden"}"#),
        tool("d", "{}"),
    ];
    results.set("tools", &format!(r#"{{"tools":[{}]}}"#, tools.join(",")));
    let (servers, faults) = results.connect().await;
    assert_eq!(names(&servers), ["mcp__docs__b", "mcp__docs__c", "mcp__docs__d"]);
    let fault = "warning: the tool a of the MCP server docs is left out: it has to be called as a task, which is not supported";
    assert_eq!(faults, [fault]);
}

#[tokio::test]
async fn a_list_that_is_longer_than_what_is_read_is_reported() {
    let results = Results::new(&["search"]);
    // The last page is an empty one.
    results.set("tools", r#"{"tools":[],"nextCursor":"next"}"#);
    let resource = |index: u32| format!(r#"{{"uri":"guide:{index}","name":"Guide"}}"#);
    let resources = |count: u32| (0..count).map(resource).collect::<Vec<_>>().join(",");
    results.set("resources", &format!(r#"{{"resources":[{}]}}"#, resources(1_001)));
    let (servers, faults) = results.connect().await;
    assert_eq!(servers.offer().servers[0].resources.len(), 1_000);
    let fault = |what: &str, count: u32| {
        format!(
            "warning: the MCP server docs lists more {what} than the first {count}: the rest is left out"
        )
    };
    assert_eq!(faults, [fault("tools", 0), fault("resources", 1_000)]);
    let results = Results::new(&["search"]);
    results.set("resources", &format!(r#"{{"resources":[{}]}}"#, resources(1_000)));
    let (servers, faults) = results.connect().await;
    assert_eq!((servers.offer().servers[0].resources.len(), faults), (1_000, Vec::new()));
}

#[tokio::test]
async fn dropped_servers_leave_no_process() {
    let results = Results::new(&["search"]);
    let child = results.0.path().join("child");
    let script = format!(
        "trap '' TERM; sleep 600 & echo $! >{}; exec {} {}",
        child.display(),
        results.config().command.unwrap(),
        results.0.path().display()
    );
    let (servers, faults) = connect([("docs", config("sh", &["-c", &script]))]).await;
    assert_eq!(faults, [""; 0]);
    drop(servers);
    let process = format!("/proc/{}/stat", read(&child).trim());
    for _ in 0..200 {
        let stat = fs::read_to_string(&process).unwrap_or_default();
        // A zombie is left to the machine's init process.
        if stat.is_empty() || stat.contains(") Z ") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the child of the server is still running");
}
