//! The JUnit report of `aside serve`, for CI systems that show test results.

use aside_gateway::serve::ServerReport;
use quick_junit::TestCase;

use crate::junit::status;

/// Returns a report in JUnit's form: a failed case for each refused request and for each
/// cache miss, and a passed case for the accepted requests together.
pub(crate) fn report(served: &ServerReport) -> anyhow::Result<String> {
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
    Ok(crate::junit::report("aside serve", cases).to_string()?)
}
