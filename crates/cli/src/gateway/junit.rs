//! The `aside serve` JUnit report, for CI systems that show test results.

use aside_gateway::serve::ServerReport;
use quick_junit::{Report, TestCase};

use crate::junit::status;

/// Returns a JUnit report: a failed case for each refused request and each
/// cache miss, and one passed case for all accepted requests.
pub(crate) fn report(served: &ServerReport) -> Report {
    let failed = served.refused + served.failed_on_demand;
    let accepted = format!("{} accepted requests", served.requests - failed);
    let mut cases = vec![TestCase::new(accepted, status(None::<&str>))];
    for refusal in &served.refusals {
        let mut status = status(Some(&*refusal.message));
        status.set_type(&refusal.kind);
        let name = format!("request {} {}", refusal.request, refusal.path);
        cases.push(TestCase::new(name, status));
    }
    for miss in &served.misses {
        let mut status = status(Some(miss.to_string()));
        status.set_type("cache_miss");
        let name = format!("request {} cache", miss.request);
        cases.push(TestCase::new(name, status));
    }
    if served.requests == 0 && !served.not_found.is_empty() {
        let mut status = status(Some(served.not_found.join(", ")));
        status.set_type("not_found_error");
        cases.push(TestCase::new("no request to an API", status));
    }
    crate::junit::report("aside serve", cases)
}

#[cfg(test)]
mod tests {
    use aside_gateway::serve::{Refusal, ServerReport};

    #[test]
    fn a_refusal_is_a_failed_case_of_its_request() {
        let mut served = ServerReport::default();
        served.requests = 3;
        served.refused = 1;
        served.refusals = vec![Refusal {
            request: 2,
            path: "/v1/messages".into(),
            status: 400,
            kind: "invalid_request_error".into(),
            message: "max_tokens: <0>".into(),
        }];
        let xml = super::report(&served).to_string().unwrap();
        let cases = [
            r#"<testsuite name="aside serve" tests="2" disabled="0" errors="0" failures="1">"#,
            r#"<testcase name="2 accepted requests" classname="aside.serve">"#,
            r#"<testcase name="request 2 /v1/messages" classname="aside.serve">"#,
            r#"<failure message="max_tokens: &lt;0&gt;" type="invalid_request_error"/>"#,
        ];
        for case in cases {
            assert!(xml.contains(case), "{case} is not in {xml}");
        }
    }

    #[test]
    fn hidden_characters_of_a_client_are_escaped() {
        let mut served = ServerReport::default();
        served.requests = 1;
        served.refused = 1;
        served.refusals = vec![Refusal {
            request: 1,
            path: "/v1/\u{fffe}\u{202e}messages".into(),
            status: 404,
            kind: "kind\u{ffff}".into(),
            message: "model: \u{fffe} é ♻️\nnext".into(),
        }];
        let xml = super::report(&served).to_string().unwrap();
        let case = r#"<testcase name="request 1 /v1/\u{fffe}\u{202e}messages" classname"#;
        assert!(xml.contains(case), "{xml}");
        assert!(xml.contains(r"model: \u{fffe} é ♻️"), "{xml}");
        assert!(xml.contains(r#"type="kind\u{ffff}""#), "{xml}");
        assert!(!xml.contains(['\u{fffe}', '\u{ffff}', '\u{202e}']), "{xml}");
    }
}
