//! The JUnit report of `aside serve`, for CI systems that show test results.

use aside_gateway::serve::ServerReport;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// Returns a report in JUnit's form: a failed case for each refused request and for each
/// cache miss, and a passed case for the accepted requests together.
pub(crate) fn report(served: &ServerReport) -> anyhow::Result<String> {
    let mut suite = TestSuite::new("aside serve");
    let failed = served.refused + served.failed_on_demand;
    let name = format!("{} accepted requests", served.requests - failed);
    suite.add_test_case(TestCase::new(name, TestCaseStatus::success()));
    for refusal in &served.refusals {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type(&refusal.kind).set_message(&refusal.message);
        let name = format!("request {} {}", refusal.request, refusal.path);
        suite.add_test_case(TestCase::new(name, status));
    }
    for miss in &served.misses {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type("cache_miss").set_message(miss.to_string());
        let name = format!("request {} cache", miss.request);
        suite.add_test_case(TestCase::new(name, status));
    }
    let mut report = Report::new("aside");
    report.add_test_suite(suite);
    Ok(report.to_string()?)
}
