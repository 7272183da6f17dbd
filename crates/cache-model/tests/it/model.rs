//! How the Messages API caches.

use std::time::Duration;

use aside_cache_model::{
    Body, CacheModel, CacheRules, Choice, Effect, Miss, MissDetail, MissReason, Timed, Usage,
    Verdict,
};

/// A request with so many blocks of about 100 tokens in one message, marked at
/// these.
pub(crate) fn request(blocks: usize, marked: &[(usize, &str)]) -> Body {
    let block = |index: usize| {
        let text = format!("block number {index} ").repeat(24);
        let mark = marked
            .iter()
            .find(|it| it.0 == index)
            .map(|(_, ttl)| format!(r#","cache_control":{{"type":"ephemeral","ttl":"{ttl}"}}"#));
        format!(r#"{{"type":"text","text":"{text}"{}}}"#, mark.unwrap_or_default())
    };
    let content: Vec<_> = (0..blocks).map(block).collect();
    let json = format!(
        r#"{{"model":"claude-opus-5-5","max_tokens":1,"messages":[{{"role":"user","content":[{}]}}]}}"#,
        content.join(",")
    );
    Body::parse(json.as_bytes()).unwrap()
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn cache() -> CacheModel {
    CacheModel::new(CacheRules::anthropic())
}

/// Sends a request in the only session.
fn send(cache: &mut CacheModel, request: &Body, seconds: u64) -> Verdict {
    let mut entry = Timed::new(request.clone(), at(seconds));
    entry.session = Some("session".to_owned());
    cache.send_timed(&entry)
}

fn detail(verdict: &Verdict) -> Option<MissDetail> {
    verdict.miss.as_ref().and_then(|it| it.detail.clone())
}

#[test]
fn entries_are_written_at_markers_and_read_twenty_positions_back() {
    let check = |first: (usize, usize), second: (usize, usize), is_read: bool| {
        let mut cache = cache();
        let one = cache.send(&request(first.0, &[(first.1, "5m")]), at(0));
        let two = cache.send(&request(second.0, &[(second.1, "5m")]), at(10));
        assert_eq!(two.usage.read == one.usage.write_5m, is_read, "{first:?} {second:?}");
        assert_eq!(two.usage.read > 0, is_read);
    };
    check((10, 9), (30, 28), true);
    check((10, 9), (30, 29), false);
    check((10, 9), (10, 8), false);
}

#[test]
fn the_latest_time_of_all_is_no_danger() {
    let mut cache = cache();
    let verdict = send(&mut cache, &request(10, &[(9, "5m")]), u64::MAX);
    assert!(verdict.usage.write_5m > 0);
}

/// The last request's entry has expired, and a one-hour entry is out of the
/// marker's reach.
#[test]
fn a_live_entry_out_of_reach_is_named() {
    let mut cache = cache();
    send(&mut cache, &request(10, &[(9, "1h")]), 0);
    let first = send(&mut cache, &request(29, &[(28, "5m")]), 10);
    assert!(first.usage.read > 0);
    let verdict = send(&mut cache, &request(40, &[(39, "5m")]), 400);
    let miss = verdict.miss.unwrap();
    assert!(matches!(miss.detail, Some(MissDetail::Expired { .. })));
    let unreached = miss.unreached.unwrap();
    let text = format!(
        "a live 1h entry with {} tokens ends at messages[0].content[9], 31 positions before the \
         next marker, which sees 20: a marker there would have read it",
        unreached.tokens
    );
    assert_eq!(unreached.to_string(), text);
    // A marker at the entry reads it.
    let marked = request(41, &[(9, "1h"), (40, "5m")]);
    assert!(send(&mut cache, &marked, 410).usage.read >= unreached.tokens);
}

#[test]
fn a_prefix_outside_the_look_back_is_named() {
    let mut cache = cache();
    send(&mut cache, &request(10, &[(9, "5m")]), 0);
    let verdict = send(&mut cache, &request(35, &[(34, "5m")]), 10);
    let distance = 26;
    assert_eq!(detail(&verdict), Some(MissDetail::OutsideLookBack { distance }));
    assert_eq!(verdict.miss.unwrap().reason, MissReason::PreviousMessageNotFound);
}

#[test]
fn a_lifetime_begins_with_every_use() {
    let mut cache = cache();
    let body = request(10, &[(9, "5m")]);
    let written = cache.send(&body, at(0)).usage.write_5m;
    for seconds in [299, 598, 897] {
        assert_eq!(cache.send(&body, at(seconds)).usage.read, written);
    }
    let late = cache.send(&body, at(897 + 300));
    assert_eq!(late.usage, Usage::from_input(0, written, 0, 0));
    let needed = Some(aside_cache_model::CacheLifetime::OneHour);
    assert_eq!(detail(&late), Some(MissDetail::Expired { age: at(300), needed }));
    let miss = late.miss.unwrap();
    assert_eq!(miss.lost_tokens, written);
    // Written at 5 dollars a million instead of read at 0.20.
    assert_eq!(miss.lost_cost.unwrap().nanodollars(), written * 4_800);
}

/// A change is the cause only of what it kept the request from reading.
#[test]
fn a_change_after_a_pause_loses_only_what_was_alive() {
    let block = |words: usize, word: &str, ttl: &str| {
        format!(
            r#"{{"type":"text","text":"{}","cache_control":{{"type":"ephemeral","ttl":"{ttl}"}}}}"#,
            format!("{word} ").repeat(words)
        )
    };
    let body = |model: &str, system: &str, end: &str| {
        let json = format!(
            r#"{{"model":"{model}","system":[{system}],"messages":[{{"role":"user","content":[{}]}},
                {{"role":"assistant","content":"Yes?"}},{{"role":"user","content":"Go on"}}]{end}}}"#,
            block(1_000, "one", "5m")
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let none = r#","tool_choice":{"type":"none"}"#;
    let miss = |seconds: u64, before: (&str, &str), after: (&str, &str, &str)| {
        let mut cache = cache();
        send(&mut cache, &body(before.0, before.1, ""), 0);
        send(&mut cache, &body(after.0, after.1, after.2), seconds).miss.unwrap()
    };
    let expired = |needed: bool| {
        let needed = needed.then_some(aside_cache_model::CacheLifetime::OneHour);
        Some(MissDetail::Expired { age: at(600), needed })
    };
    let [opus, sonnet] = ["claude-opus-5-5", "claude-sonnet-5-5"];
    let [five, hour, other] =
        [("be", "5m"), ("be", "1h"), ("do", "1h")].map(|it| block(2_000, it.0, it.1));
    // While the entries live, the change is the cause.
    let soon = miss(60, (opus, &five), (opus, &five, none));
    assert_eq!(soon.detail, Some(MissDetail::Parameter { name: "tool_choice" }));
    // Nothing lives: all has expired, and an hour helps unless the whole prefix is another one.
    let late = miss(600, (opus, &five), (opus, &five, none));
    assert_eq!((late.reason, &late.detail), (MissReason::PreviousMessageNotFound, &expired(true)));
    assert!(late.lost_tokens > soon.lost_tokens && late.difference.is_none());
    assert_eq!(miss(600, (opus, &five), (sonnet, &five, "")).detail, expired(false));
    assert_eq!(miss(600, (opus, &five), (opus, &other, "")).detail, expired(false));
    // The system prompt lives and is read; the rest would have expired anyway.
    assert_eq!(miss(600, (opus, &hour), (opus, &hour, none)).detail, expired(false));
    // It lives, but the change keeps it from being read.
    let changed = miss(600, (opus, &hour), (opus, &other, ""));
    assert_eq!((changed.reason, changed.detail), (MissReason::SystemChanged, None));
    assert_eq!(miss(600, (opus, &hour), (sonnet, &hour, "")).reason, MissReason::ModelChanged);
}

#[test]
fn an_entry_that_is_forgotten_has_expired() {
    let mut cache = cache();
    let body = request(10, &[(9, "5m")]);
    send(&mut cache, &body, 0);
    let late = cache.send(&body, at(2 * 86_400));
    let age = at(2 * 86_400);
    assert_eq!(detail(&late), Some(MissDetail::Expired { age, needed: None }));
}

/// A miss that only the recorded usage shows is lost at the prices of the model that answered.
#[test]
fn an_unexplained_miss_has_the_price_of_the_model_that_answered() {
    let lost = |answered: &str| {
        let body = request(10, &[(9, "5m")]);
        let written = cache().send(&body, at(0)).usage.write_5m;
        let mut cache = cache();
        let billed = [(written, 0), (0, written), (written, 0)].into_iter().zip(0..);
        let misses = billed.map(|((write, read), index)| {
            let mut entry = Timed::new(body.clone(), at(30 * index));
            entry.answered = Some(answered.to_owned());
            entry.usage = Some(Usage::from_input(read, write, 0, 0));
            cache.replay(&entry).miss
        });
        misses.last().unwrap().unwrap().lost_cost.unwrap().nanodollars() / written
    };
    assert_eq!(lost("claude-opus-5-5"), 4_800);
    assert_eq!(lost("claude-haiku-4-5"), 1_150);
}

/// The recorded usage decides what was missed, and not the prediction.
#[test]
fn recorded_usage_refutes_and_shows_misses() {
    let replay = |body: &dyn Fn(usize) -> Body, recorded: [Usage; 3]| {
        let mut cache = cache();
        let each = recorded.into_iter().enumerate();
        let verdicts = each.map(|(index, usage)| {
            let mut entry = Timed::new(body(index), at(30 * index as u64));
            entry.session = Some("session".to_owned());
            entry.usage = Some(usage);
            cache.replay(&entry)
        });
        verdicts.map(|it| it.miss).collect::<Vec<_>>()
    };
    let same = |_| request(10, &[(9, "5m")]);
    let written = cache().send(&same(0), at(0)).usage.write_5m;
    let [miss, hit] = [Usage::from_input(0, written, 0, 0), Usage::from_input(written, 0, 0, 0)];
    assert_eq!(replay(&same, [miss, hit, hit]), [None, None, None]);
    let misses = replay(&same, [miss, hit, miss]);
    let dropped = misses[2].as_ref().unwrap();
    assert_eq!(dropped.detail, Some(MissDetail::Unexplained));
    assert_eq!(dropped.lost_tokens, written);
    assert_eq!(dropped.lost_cost.unwrap().nanodollars(), written * 4_800);
    // A provider that never caches loses nothing.
    let plain = Usage::from_input(0, 0, 0, written);
    assert_eq!(replay(&same, [plain; 3]), [None, None, None]);
    // The prefix changed, but the provider says that it was read.
    let changed = |index| {
        let text = format!("It is {index}:00. ") + &"A long rule. ".repeat(500);
        let json = format!(
            r#"{{"model":"claude-opus-5-5","system":[{{"type":"text","text":"{text}","cache_control":{{"type":"ephemeral"}}}}],
            "messages":[{{"role":"user","content":"Hi"}},{{"role":"assistant","content":"Yes?"}},{{"role":"user","content":"Go on"}}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    assert!(replay(&changed, [miss, miss, miss])[1].is_some());
    assert_eq!(replay(&changed, [miss, hit, hit]), [None, None, None]);
    // The provider counts tokens of its own besides: what was read is more than the estimate.
    let part = Usage::from_input(100, written - 100, 0, 0);
    let lost = |it: &Option<Miss>| it.as_ref().map(|it| it.lost_tokens);
    assert_eq!(lost(&replay(&changed, [miss, part, hit])[1]), Some(written - 100));
    // The end changed, and the provider also read nothing of what was alive before it.
    let edited = |index: usize| {
        let marker = r#""cache_control":{"type":"ephemeral"}"#;
        let (rules, end) = ("A rule. ".repeat(4_000), format!("{index}: {}", "word ".repeat(600)));
        let json = format!(
            r#"{{"model":"claude-opus-5-5","system":[{{"type":"text","text":"{rules}",{marker}}}],
            "messages":[{{"role":"user","content":"Hi"}},{{"role":"assistant","content":"Yes?"}},{{"role":"user","content":[{{"type":"text","text":"{end}",{marker}}}]}}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let all = cache().send(&edited(0), at(0)).usage.write_5m;
    let first = Usage::from_input(0, all, 0, 0);
    let read = |read: u64| {
        let misses = replay(&edited, [first, Usage::from_input(read, all - read, 0, 0), first]);
        misses[1].clone().map(|it| (it.reason, it.lost_tokens))
    };
    assert_eq!(read(0), Some((MissReason::PreviousMessageNotFound, all)));
    assert_eq!(read(all - 800).map(|it| it.0), Some(MissReason::MessagesChanged));
}

#[test]
fn one_hour_is_billed_up_to_its_last_marker() {
    let mut cache = cache();
    let verdict = cache.send(&request(30, &[(5, "1h"), (19, "1h"), (29, "5m")]), at(0));
    let hour = verdict.usage.write_1h;
    assert!(hour > 0 && verdict.usage.write_5m > 0 && verdict.usage.uncached == 0);
    let after_a_break = cache.send(&request(30, &[(19, "1h"), (29, "5m")]), at(1_800));
    assert_eq!(after_a_break.usage.read, hour);
    assert_eq!(after_a_break.usage.write_5m, verdict.usage.write_5m);
}

#[test]
fn twins_both_write() {
    let mut cache = cache();
    let body = request(10, &[(9, "5m")]);
    let first = cache.send(&body, at(0));
    let twin = cache.send(&body, Duration::from_millis(300));
    assert_eq!(twin.usage, first.usage);
    assert_eq!(detail(&twin), Some(MissDetail::NotYetReadable));
    let mut at_once = CacheModel::new(CacheRules::anthropic().flipped(Choice::Concurrency));
    at_once.send(&body, at(0));
    assert!(at_once.send(&body, Duration::from_millis(300)).usage.read > 0);
}

#[test]
fn a_short_prefix_is_not_cached() {
    let mut cache = cache();
    let body = request(3, &[(2, "5m")]);
    let verdict = cache.send(&body, at(0));
    assert_eq!(verdict.usage.written(), 0);
    assert_eq!(verdict.markers[0].effect, Effect::BelowMinimum);
    assert_eq!(verdict.usage.input(), verdict.usage.uncached);
}

#[test]
fn an_hour_over_five_minutes_follows_the_rule() {
    let read = |rules: CacheRules| {
        let mut cache = CacheModel::new(rules);
        cache.send(&request(10, &[(9, "5m")]), at(0));
        let over = cache.send(&request(10, &[(9, "1h")]), at(60));
        let later = cache.send(&request(10, &[(9, "1h")]), at(1_800));
        (over.usage.read > 0, later.usage.read > 0)
    };
    assert_eq!(read(CacheRules::anthropic()), (true, false));
    let flipped = CacheRules::anthropic().flipped(Choice::HourOverFive);
    assert_eq!(read(flipped), (false, true));
}

fn with(extra: &str) -> Body {
    let system = "Be careful. ".repeat(400);
    let words = "Say it. ".repeat(400);
    let json = format!(
        r#"{{"model":"claude-opus-5-5",{extra}"tools":[{{"name":"t","description":"{system}","input_schema":{{}},"cache_control":{{"type":"ephemeral"}}}}],
        "system":[{{"type":"text","text":"{system}","cache_control":{{"type":"ephemeral"}}}}],
        "messages":[{{"role":"user","content":[{{"type":"text","text":"{words}","cache_control":{{"type":"ephemeral"}}}}]}}]}}"#
    );
    Body::parse(json.as_bytes()).unwrap()
}

#[test]
fn a_parameter_loses_its_level_and_no_more() {
    let hit = |extra: &str| {
        let mut cache = cache();
        cache.send(&with(""), at(0));
        let verdict = cache.send(&with(extra), at(60));
        let miss = verdict.miss.map(|it| (it.reason, it.detail));
        (verdict.hit.map(|it| it.path.to_string()), miss)
    };
    let all = Some("messages[0].content[0]".to_owned());
    let parameter = |name| Some(MissDetail::Parameter { name });
    let messages = |name| Some((MissReason::MessagesChanged, parameter(name)));
    let system = Some("system[0]".to_owned());
    assert_eq!(hit(r#""max_tokens":5,"#), (all.clone(), None));
    assert_eq!(hit(r#""tool_choice":{"type":"auto"},"#), (all.clone(), None));
    // Medium is the model's default.
    assert_eq!(hit(r#""output_config":{"effort":"medium"},"#), (all, None));
    assert_eq!(hit(r#""tool_choice":{"type":"any"},"#), (system.clone(), messages("tool_choice")));
    let effort = r#""output_config":{"effort":"low"},"#;
    assert_eq!(hit(effort), (system, messages("output_config.effort")));
    let tools = Some("tools[0]".to_owned());
    let speed = Some((MissReason::SystemChanged, parameter("speed")));
    assert_eq!(hit(r#""speed":"fast","#), (tools, speed));
}

/// Images and citations have no key of their own.
#[test]
fn a_parameter_that_blocks_set_is_found_in_a_block() {
    let body = |block: &str| {
        let content = r#""content":["#;
        let whole = String::from_utf8(with("").as_bytes().to_vec()).unwrap();
        let whole = whole.replace(content, &format!("{content}{block}"));
        let next = r#"}]},{"role":"assistant","content":"a"},{"role":"user","content":"b"}]}"#;
        let whole = whole.replace("}]}]}", next);
        Body::parse(whole.as_bytes()).unwrap()
    };
    let path = |first: &str, next: &str| {
        let mut cache = cache();
        send(&mut cache, &body(first), 0);
        let miss = send(&mut cache, &body(next), 60).miss.unwrap();
        assert!(matches!(miss.detail, Some(MissDetail::Parameter { .. })), "{miss:?}");
        miss.difference.map(|it| it.path).unwrap_or_default()
    };
    let image = r#"{"type":"image","source":{"type":"url","url":"https://x/a.png"}},"#;
    assert_eq!(path(image, ""), "messages[0].content[0].type");
    let document = r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"},"citations":{"enabled":false}},"#;
    let cited = document.replace("false", "true");
    assert_eq!(path(document, &cited), "messages[0].content[0].citations.enabled");
}

#[test]
fn markers_alone_lose_nothing() {
    let mut cache = cache();
    send(&mut cache, &request(10, &[(4, "5m"), (9, "5m")]), 0);
    let moved = send(&mut cache, &request(12, &[(11, "5m")]), 10);
    assert!(moved.parent.is_some());
    assert_eq!(moved.miss, None);
    assert!(moved.usage.read > 0);
}

#[test]
fn usage_makes_the_next_prediction_exact() {
    let mut cache = cache();
    cache.send(&request(10, &[(9, "5m")]), at(0));
    cache.observe(Usage::from_input(0, 1_777, 0, 0));
    let second = cache.send(&request(12, &[(11, "5m")]), at(10));
    assert_eq!(second.usage.read, 1_777);
}

#[test]
fn each_choice_can_change_a_verdict() {
    // Flipping twice gives the same rules, except where there are three values.
    for choice in Choice::ALL {
        let once = CacheRules::anthropic().flipped(choice);
        assert_ne!(once, CacheRules::anthropic(), "{choice:?}");
    }
}

/// Older models lose the last turn's thinking, unless the request asks to keep
/// it.
#[test]
fn a_request_keeps_its_thinking() {
    let long = "Be careful. ".repeat(3_000);
    let log = |keep: &str| {
        let bodies =
            ["", r#",{"role":"assistant","content":"ok"},{"role":"user","content":"Go on"}"#];
        bodies.map(|more| {
            let json = format!(
                r#"{{"model":"claude-haiku-4-5"{keep},"thinking":{{"type":"enabled","budget_tokens":9}},"system":"{long}",
                "cache_control":{{"type":"ephemeral"}},"messages":[{{"role":"user","content":"Hi"}},
                {{"role":"assistant","content":[{{"type":"thinking","thinking":"{long}","signature":"s"}},{{"type":"text","text":"Hm"}}]}},
                {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"ok"}}]}}{more}]}}"#
            );
            Body::parse(json.as_bytes()).unwrap()
        })
    };
    let miss = |keep: &str| {
        let mut cache = CacheModel::new(CacheRules::anthropic());
        let [first, second] = log(keep);
        cache.send(&first, Duration::ZERO);
        cache.send(&second, Duration::from_secs(30)).miss
    };
    let edit = |keep: &str| {
        format!(
            r#","context_management":{{"edits":[{{"type":"clear_thinking_20251015","keep":{keep}}}]}}"#
        )
    };
    let removed = miss("").expect("the thinking of the first turn is removed");
    assert_eq!(removed.detail, Some(MissDetail::ThinkingRemoved));
    let turns = |count: u32| edit(&format!(r#"{{"type":"thinking_turns","value":{count}}}"#));
    for keep in [edit(r#""all""#), edit(r#"{"type":"all"}"#), turns(2)] {
        assert_eq!(miss(&keep), None, "{keep}");
    }
    assert!(miss(&turns(1)).is_some());
}

/// A conversation that continues from an earlier request is compared with that
/// one.
#[test]
fn a_rewound_conversation_names_its_change() {
    let long = "Be careful. ".repeat(3_000);
    let body = |clock: &str, messages: &[&str]| {
        let json = format!(
            r#"{{"model":"claude-opus-5","system":"It is {clock}. {long}","cache_control":{{"type":"ephemeral"}},"messages":[{}]}}"#,
            crate::parents::by_turns(messages)
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let mut cache = cache();
    cache.send(&body("10:50", &["a"]), at(0));
    cache.send(&body("10:50", &["a", "x", "b", "y", "c"]), at(10));
    let rewound = ["a", "z", "d"];
    let kept = cache.clone().send(&body("10:50", &rewound), at(20));
    assert_eq!((kept.parent.map(|it| it.index), kept.miss), (Some(0), None));
    let miss = cache.send(&body("10:51", &rewound), at(20)).miss.unwrap();
    assert_eq!(miss.reason, MissReason::SystemChanged);
    let difference = miss.difference.expect("the clock");
    assert_eq!((&*difference.path, difference.value_offset), ("system", 10));
}

/// A client that is interrupted goes back to its last message and adds to it.
#[test]
fn a_message_that_got_more_blocks_loses_nothing() {
    let body = |messages: &str| {
        let system = "word ".repeat(4_000);
        let json = format!(
            r#"{{"model":"claude-opus-5-5","system":"{system}","cache_control":{{"type":"ephemeral"}},"messages":[{{"role":"user","content":[{{"type":"text","text":"Go"}}{messages}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let answered = r#"]},{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;
    let mut cache = cache();
    send(&mut cache, &body("]}"), 0);
    send(&mut cache, &body(answered), 60);
    let verdict = send(&mut cache, &body(r#",{"type":"text","text":"No"}]}"#), 120);
    assert_eq!((verdict.miss, verdict.parent.map(|it| it.index)), (None, Some(0)));
}

/// A deferred tool is billed from the message on that names it first, and once.
#[test]
fn a_tool_that_is_loaded_by_reference_costs_its_tokens() {
    let body = |deferred: &str, messages: &str| {
        let about = "word ".repeat(1_000);
        let json = format!(
            r#"{{"model":"claude-opus-5-5","tools":[{{"name":"a","input_schema":{{}}}},{{"name":"b","description":"{about}","input_schema":{{}}{deferred}}}],"messages":[{{"role":"user","content":"Go"}}{messages}]}}"#
        );
        cache().send(&Body::parse(json.as_bytes()).unwrap(), at(0)).usage.input()
    };
    let later = r#","defer_loading":true"#;
    let tool = body("", "") - body(later, "");
    let added = r#",{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","name":"b"}}]}"#;
    let other = added.replace(r#""b""#, r#""c""#);
    assert!(tool > 500, "{tool}");
    let named = body(later, added) - body(later, &other);
    assert!(named.abs_diff(tool) < 16, "{named} {tool}");
    let again = body(later, &format!("{added}{added}")) - body(later, added);
    assert!(again < 100, "{again}");
}
