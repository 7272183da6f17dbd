//! Flags, variables and settings that have their effect during a session: see
//! docs/settings.md.

use aside_gateway::strict::Draft;

use super::*;

const API: &str = r#""compaction":{"type":"summarize""#;

/// A session whose window holds a few results from `long.md`.
fn small(answers: usize) -> Play {
    let answers = (0..answers).map(|number| call(number, &["long.md"]));
    let mut play = Play::of(answers.collect());
    play.write("long.md", "A line of a long file.\n".repeat(900));
    play.state(r#"{"context_window":60000}"#);
    play
}

fn summaries(play: &Play) -> Vec<String> {
    let seen = play.judge.seen();
    let bodies = seen.bodies.iter().filter(|it| is_summary(it));
    bodies.cloned().collect()
}

fn calls(tool: &str, input: &str) -> Answer {
    Answer::Draft(Draft::new().tool_use_with_id("toolu_x", tool, input).unwrap())
}

#[test]
fn every_directory_has_sessions_of_its_own() {
    let mut play = Play::new();
    let elsewhere = play.place.path("elsewhere");
    let name = elsewhere.to_str().unwrap().to_owned();
    play.variables.push(("ASIDE_DIR", name));
    play.say(&["one", "two"]);
    assert!(elsewhere.is_dir());
    assert!(play.last().contains("one"));
    play.variables.clear();
    let ran = Ran::of(play.command(&["three"]).output().unwrap());
    assert_ne!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn the_static_zone_is_marked_for_everybody() {
    let mut play = Play::new();
    play.arguments = vec!["--global-scope".to_owned()];
    play.say(&["one", "two"]);
    play.accepted(2, r#""scope":"global""#);
    let betas = play.judge.seen().betas.last().unwrap().clone();
    assert!(betas.contains("prompt-caching-scope-2026-01-05"), "{betas}");
    play.variables.push(("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS", "1".to_owned()));
    let ran = play.run(&["three"]);
    assert!(ran.stderr.contains("global scope is not sent: beta features are off"), "{ran:?}");
}

#[test]
fn another_cache_breaker_is_another_prefix() {
    let mut play = Play::new();
    play.arguments = vec!["--cache-breaker".to_owned(), "first-1".to_owned()];
    play.say(&["one"]);
    assert!(play.last().contains("first-1"));
    // Without the flag, and with the same value, it stays.
    play.say(&["two"]);
    play.arguments.clear();
    play.say(&["three"]);
    play.kept(3, "first-1");
    play.arguments = vec!["--cache-breaker".to_owned(), "second-2".to_owned()];
    let ran = play.run(&["four"]);
    assert!(ran.stderr.contains("another cache breaker"), "{ran:?}");
    play.accepted(4, "second-2");
    let last = play.last();
    assert!(!last.contains("first-1") && last.contains("one"), "{last}");
    assert_eq!(thoughts(&last), 0, "{last}");
    play.say(&["five"]);
    play.accepted(5, "four");
}

/// Returns the transcript for a run's worker.
fn of_worker(play: &Play, ran: &Ran) -> String {
    let lines = ran.stderr.lines();
    let mut ids = lines.filter_map(|it| it.strip_prefix("aside: worker: "));
    fs::read_to_string(play.place.transcript(ids.next().unwrap())).unwrap()
}

#[test]
fn a_coordinator_has_workers() {
    let mut play = Play::new();
    play.arguments = vec!["--coordinator".to_owned()];
    let ran = play.ends_without_session(&["Go"], 2);
    assert!(ran.stderr.contains("--worker-tool"), "{ran:?}");
    play.arguments.push("--worker-tool=Dispatch".to_owned());
    play.judge.script(vec![
        calls("Dispatch", r#"{"prompt":"Look at a.md for me."}"#),
        call(1, &["a.md"]),
    ]);
    let ran = play.run(&["Go"]);
    play.judge.refuses_nothing();
    let bodies = play.judge.seen().bodies.clone();
    assert_eq!(bodies.len(), 4);
    let [first, worker, second_of_worker, last] = [0, 1, 2, 3].map(|at| &bodies[at]);
    assert!(first.contains(r#""name":"Dispatch""#), "{first}");
    assert!(first.contains("give the work to workers with Dispatch"));
    // A worker knows only its task, and starts no workers.
    assert!(worker.contains("Look at a.md for me.") && worker.contains("# Doing tasks"));
    assert!(!worker.contains(r#""text":"Go""#) && !worker.contains("Dispatch"), "{worker}");
    assert!(second_of_worker.contains("toolu_1_0"));
    // Its last message is the result.
    assert!(last.contains("toolu_x") && last.contains("Answer 3."), "{last}");
    // Usage includes its requests, and a transcript its conversation.
    let usage = ran.stderr.lines().last().unwrap();
    assert!(
        usage.starts_with("aside: usage: 4 requests, ") && usage.contains("2 of the requests"),
        "{usage}"
    );
    let transcript = of_worker(&play, &ran);
    assert!(transcript.contains("Look at a.md for me.") && transcript.contains("Answer 3."));
    assert_eq!(transcript.matches("cache_read_input_tokens").count(), 2);

    // In a resumed session, a worker has its own transcript.
    let task = calls("Dispatch", r#"{"prompt":"Look again."}"#);
    play.judge.script(vec![task]);
    play.arguments.push("--json".to_owned());
    let ran = play.run(&["Again"]);
    play.judge.refuses_nothing();
    let second = of_worker(&play, &ran);
    assert!(second.contains("Look again.") && !second.contains("a.md for me"));
    let end: serde_json::Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(end["usage"]["requests"], 3, "{end}");
    assert_eq!(end["usage"]["workers"]["requests"], 1, "{end}");
    assert!(
        end["usage"]["workers"]["dollars"].as_f64() < end["usage"]["dollars"].as_f64(),
        "{end}"
    );

    // When a worker fails, you still pay for its requests.
    let task = calls("Dispatch", r#"{"prompt":"Look in vain."}"#);
    let refused = Answer::Refused("tools: not this time");
    play.judge.script(vec![task, call(2, &["a.md"]), refused]);
    let ran = play.run(&["Once more"]);
    let end: serde_json::Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    let workers = &end["usage"]["workers"];
    assert!(workers["dollars"].as_f64() > Some(0.0), "{end}");
    assert!(play.last().contains("The worker did not finish"));
}

#[test]
fn the_model_snips_a_message() {
    let mut play = Play::new();
    play.arguments = vec!["--snip".to_owned()];
    play.say(&["The first words", "The second words"]);
    let body = play.last();
    let tag = |words: &str| {
        let rest = &body[body.find(words).unwrap() + words.len()..];
        rest[r"\n[id:".len()..][..6].to_owned()
    };
    let (first, second) = (tag("The first words"), tag("The second words"));
    let input = format!(r#"{{"ids":["{first}"]}}"#);
    let newest = format!(r#"{{"ids":["{second}","zzzzzz"]}}"#);
    play.judge.script(vec![calls("Snip", &newest)]);
    play.say(&["The third words"]);
    assert!(play.last().contains("Nothing is removed."), "{}", play.last());
    play.judge.script(vec![calls("Snip", &input)]);
    play.say(&["The fourth words", "The fifth words"]);
    play.judge.refuses_nothing();
    let last = play.last();
    assert!(!last.contains("The first words"), "{last}");
    for kept in ["The second words", "The third words", "The fourth words"] {
        assert!(last.contains(kept), "{kept}: {last}");
    }
}

#[test]
fn the_share_of_the_window_decides() {
    let compactions = |arguments: &[&str], variables: &[(&'static str, &str)]| {
        let mut play = small(6);
        let arguments = arguments.iter().map(|it| (*it).to_owned());
        play.arguments.extend(arguments);
        for (name, value) in variables {
            play.variables.push((name, (*value).to_owned()));
        }
        play.say(&["Read it six times", "And now?"]);
        play.judge.refuses_nothing();
        summaries(&play).len()
    };
    let usual = compactions(&[], &[]);
    let often = compactions(&["--compact-at", "0.5"], &[]);
    assert!(often > usual && usual > 0, "{often} {usual}");
    assert_eq!(compactions(&[], &[("ASIDE_COMPACT_AT", "0.5")]), often);
    let setting = r#"{"compaction":{"at":0.5}}"#;
    assert_eq!(compactions(&["--settings", setting], &[]), often);
    assert_eq!(compactions(&["--compact-at", "off"], &[]), 0);
    assert_eq!(compactions(&[], &[("DISABLE_AUTO_COMPACT", "1")]), 0);
    assert_eq!(compactions(&[], &[("ASIDE_COMPACT_AT", "off")]), 0);
}

/// A conversation of one result would cost more to compact than it saves; two results pay.
#[test]
fn a_compaction_waits_until_it_pays() {
    let mut play = small(6);
    play.arguments.push("--compact-at=0.1".to_owned());
    let ran = play.run(&["Read it six times"]);
    play.judge.refuses_nothing();
    let warning = "warning: the conversation is not compacted yet: at cache reads of 0.050";
    assert!(ran.stderr.contains(warning), "{ran:?}");
    let sizes: Vec<usize> =
        summaries(&play).iter().map(|it| it.matches(r#""type":"tool_result""#).count()).collect();
    assert_eq!(sizes, [2, 2, 2]);
}

#[test]
fn the_method_decides_the_source_of_the_summary() {
    let request = |arguments: &[&str], variables: &[(&'static str, &str)]| {
        let mut play = small(0);
        let arguments = arguments.iter().map(|it| (*it).to_owned());
        play.arguments.extend(arguments);
        for (name, value) in variables {
            play.variables.push((name, (*value).to_owned()));
        }
        play.say(&["one", "/compact"]);
        play.judge.refuses_nothing();
        summaries(&play).remove(0)
    };
    assert!(request(&[], &[]).contains(API));
    let settings = r#"{"compaction":{"method":"request","instructions":"Keep the paths."}}"#;
    for body in [
        request(&["--compact-method", "request"], &[]),
        request(&[], &[("ASIDE_COMPACT_METHOD", "request")]),
        request(&["--settings", settings], &[]),
    ] {
        assert!(!body.contains(API) && is_summary(&body), "{body}");
    }
    assert!(request(&["--settings", settings], &[]).contains("Keep the paths."));

    // The API clears results by itself; nothing replaces this.
    let mut play = small(0);
    play.arguments.push("--compact-method=api".to_owned());
    play.say(&["one"]);
    play.judge.summaries(vec![Answer::Refused("no")]);
    play.ends(&["/compact"], 1);
    assert_eq!(summaries(&play).len(), 1);
}

#[test]
fn cleared_results_are_reported() {
    const EDITS: &str = r#"{"applied_edits":[{"type":"clear_tool_uses_20250919","cleared_tool_uses":2,"cleared_input_tokens":700}]}"#;
    let mut play =
        Play::of(vec![call(1, &["a.md"]), Answer::Edited(Draft::new().text("Done."), EDITS)]);
    play.arguments = vec!["--clear-tool-uses".to_owned(), "5000".to_owned()];
    let ran = play.run(&["Read"]);
    let last = ran.stderr.lines().last().unwrap();
    assert!(last.contains("2 tool results cleared (700 tokens)"), "{last}");
    play.say(&["More"]);
    // The whole history is sent.
    play.accepted(3, "toolu_1_0");
    let seen = play.judge.seen();
    for (body, betas) in seen.bodies.iter().zip(&seen.betas) {
        assert!(body.contains(r#""type":"clear_tool_uses_20250919""#), "{body}");
        assert!(betas.contains("context-management-2025-06-27"), "{betas}");
    }
    drop(seen);
    let path = play.place.transcript(play.id.as_ref().unwrap());
    let transcript = fs::read_to_string(path).unwrap();
    assert_eq!(transcript.matches(EDITS).count(), 1, "{transcript}");
}

/// Every answer's usage is in the transcript. The last line and the last event
/// have the sum, with the cost and the resets.
#[test]
fn usage_cost_and_resets_are_reported() {
    let mut play = Play::new();
    let ran = play.run(&["one"]);
    let last = ran.stderr.lines().last().unwrap();
    assert!(last.starts_with("aside: usage: 1 request, ") && last.contains(", $0.0"), "{last}");
    let path = play.place.transcript(play.id.as_ref().unwrap());
    let usages = || fs::read_to_string(&path).unwrap().matches("cache_read_input_tokens").count();
    assert_eq!(usages(), 1);
    play.arguments =
        ["--system-prompt", "You review. <system-reminder>", "--json"].map(str::to_owned).to_vec();
    let ran = play.run(&["two"]);
    assert_eq!(usages(), 2);
    let end = ran.stdout.lines().last().unwrap();
    let end: serde_json::Value = serde_json::from_str(end).unwrap();
    let usage = &end["usage"];
    assert!(usage["dollars"].as_f64().unwrap() > 0.0, "{end}");
    assert_eq!(usage["resets"][0]["reason"], "prompt", "{end}");
    let last = ran.stderr.lines().last().unwrap();
    assert!(last.contains("resets: another system prompt"), "{last}");
}

#[test]
fn what_a_run_pays_apart_from_the_cache_is_reported() {
    let check = |calls: usize, arguments: &[&str]| {
        let mut play = Play::new();
        let text = "A line that the model may need.\n".repeat(600);
        let script = (1..=calls).map(|number| {
            let file = format!("file{number}.md");
            play.write(&file, format!("{number}\n{text}"));
            call(number, &[&file])
        });
        let script = script.collect();
        play.judge.script(script);
        play.run(&[&["Read them"], arguments].concat())
    };
    let ran = check(12, &["--json"]);
    let end: serde_json::Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    let spent = end["usage"]["spending"].as_array().unwrap();
    let mut rules: Vec<&str> = spent.iter().filter_map(|it| it["rule"].as_str()).collect();
    rules.sort_unstable();
    assert_eq!(rules, ["long-results", "single-calls", "unused-tools"]);
    assert!(spent.iter().all(|it| it["dollars"].as_f64() > Some(0.0)), "{end}");
    let lines: Vec<&str> = ran.stderr.lines().rev().take(4).collect();
    assert!(lines[0].starts_with("aside: usage: 13 requests"), "{ran:?}");
    assert!(lines[1..].iter().all(|it| it.starts_with("aside: cost: ")), "{ran:?}");
    // With only a few requests, there is nothing to compare.
    assert!(!check(2, &[]).stderr.contains("aside: cost: "));
}

#[test]
fn pages_of_a_document_are_read() {
    let mut play = Play::of(vec![Answer::Draft(
        Draft::new()
            .tool_use_with_id("toolu_p", "Read", r#"{"file_path":"doc.pdf","pages":"2"}"#)
            .unwrap(),
    )]);
    let object = |number: u32, body: &str| format!("{number} 0 obj\n{body}\nendobj\n");
    let mut pdf = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (number, body) in
        [
            (1, "<< /Type /Catalog /Pages 2 0 R >>".to_owned()),
            (
                2,
                format!(
                    "<< /Type /Pages /Kids [{}] /Count 12 >>",
                    (3..15).map(|it| format!("{it} 0 R")).collect::<Vec<_>>().join(" ")
                ),
            ),
        ]
        .into_iter()
        .chain((3..15).map(|number| {
            (number, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>".to_owned())
        }))
    {
        offsets.push(pdf.len());
        pdf.push_str(&object(number, &body));
    }
    let start = pdf.len();
    let _ = write!(pdf, "xref\n0 15\n0000000000 65535 f \n");
    for offset in &offsets {
        let _ = writeln!(pdf, "{offset:010} 00000 n ");
    }
    let _ = write!(pdf, "trailer << /Size 15 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    play.write("doc.pdf", pdf);
    play.say(&["What is on page 2 of @doc.pdf?"]);
    play.accepted(
        2,
        r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf""#,
    );
    // The mention says how to read it.
    let last = play.last();
    assert!(last.contains("with the Read tool and its `pages` parameter"), "{last}");
}
