//! The page for a browser, without one.

use aside_cache_model::Body;
use aside_inspect::{PageOptions, report};

use crate::support::long_session;

/// How many bytes a page without texts may have for a session of 1,000 turns.
const MAX_PAGE_BYTES: usize = 300 * 1000;

/// Returns what a JSON block contains.
fn block<'a>(page: &'a str, id: &str) -> &'a str {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let start = page.find(&start).unwrap() + start.len();
    let end = start + page[start..].find("</script>").unwrap();
    &page[start..end]
}

#[test]
fn a_page_of_a_thousand_turns_is_small_without_the_texts() {
    let body = long_session::body(1_000);
    let request = Body::parse(&body).unwrap();
    let report = report(&request, None, None);
    let page = report.to_html(&request, &PageOptions::default());
    let texts = block(&page, "texts").len();
    assert!(texts > 2_000_000, "{texts}");
    let rest = page.len() - texts;
    assert!(rest < MAX_PAGE_BYTES, "{rest}");
    let redacted = report.to_html(&request, &PageOptions::default().with_texts(false));
    assert!(redacted.len() < rest, "{}", redacted.len());
}

/// The name of a tool is no text, but the name of a document is.
#[test]
fn a_page_without_texts_names_tools_and_no_documents() {
    let blocks = r#"{"type":"document","title":"CANARY","source":{"type":"text","data":"x"}},
        {"type":"search_result","title":"CANARY","source":"CANARY","content":[]},
        {"type":"mcp_list_tools","name":"CANARY"},{"type":"text","text":"a","name":"CANARY"},
        {"type":"tool_use","id":"t1","name":"Read","input":{}}"#;
    let body = format!(
        r#"{{"model":"claude-opus-5-5","tools":[{{"name":"Write","description":"b"}}],
        "messages":[{{"role":"user","content":[{blocks}]}}]}}"#
    );
    let request = Body::parse(body.as_bytes()).unwrap();
    let report = report(&request, None, None);
    let page = |has_texts| report.to_html(&request, &PageOptions::default().with_texts(has_texts));
    let (with, without) = (page(true), page(false));
    assert!(block(&with, "data").contains("CANARY"));
    assert!(!without.contains("CANARY"));
    for name in ["\"Read\"", "\"Write\"", "mcp_list_tools"] {
        assert!(block(&without, "data").contains(name), "{name}");
    }
}

#[test]
fn rows_hold_every_part_of_the_body() {
    let body = long_session::body(3);
    let request = Body::parse(&body).unwrap();
    let page = report(&request, None, None).to_html(&request, &PageOptions::default());
    let data: serde_json::Value = serde_json::from_str(block(&page, "data")).unwrap();
    let (shapes, rows) = (&data["parts"]["shapes"], data["parts"]["rows"].as_array());
    let texts: Vec<String> = serde_json::from_str(block(&page, "texts")).unwrap();
    // Rows are read as the script reads them: to the last number.
    let (rows, mut at, mut count, mut with_text) = (rows.unwrap(), 0, 0, 0);
    while at < rows.len() {
        let shape = &shapes[usize::try_from(rows[at].as_u64().unwrap()).unwrap()];
        at += 3 + usize::from(shape[3] == 2) + usize::from(shape[7] == true);
        with_text += usize::from(shape[6] == true);
        count += 1;
    }
    assert_eq!((at, with_text), (rows.len(), texts.len()));
    assert!(count > 3 * 4 + 30, "{count}");
}
