//! JUnit reports, for CI systems that show test results.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};

/// Returns the report of a command: one suite of its name, with these tests.
pub(crate) fn report(command: &str, cases: impl IntoIterator<Item = TestCase>) -> Report {
    let mut suite = TestSuite::new(command);
    for mut case in cases {
        case.set_classname(command.replace(' ', "."));
        suite.add_test_case(case);
    }
    let mut report = Report::new(command);
    report.add_test_suite(suite);
    report
}

/// Returns the status of a test: a failure with this message, or a success.
pub(crate) fn status(failure: Option<impl Into<XmlString>>) -> TestCaseStatus {
    let Some(message) = failure else {
        return TestCaseStatus::success();
    };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message);
    status
}
