//! JUnit reports, for CI systems that show test results.

use std::path::Path;

use anyhow::Context;
use aside_text::{one_line, terminal_lines};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};

use crate::output_file;

/// Returns a command's report: one suite with its name, containing these tests. Hidden characters
/// are escaped: XML cannot have some of them.
pub(crate) fn report(command: &str, cases: impl IntoIterator<Item = TestCase>) -> Report {
    let mut suite = TestSuite::new(command);
    for mut case in cases {
        case.set_classname(command.replace(' ', "."));
        case.name = for_xml(&one_line(case.name.as_str())).into();
        if let TestCaseStatus::NonSuccess { message, ty, description, .. } = &mut case.status {
            for text in [message, ty, description].into_iter().flatten() {
                *text = for_xml(&terminal_lines(text.as_str())).into();
            }
        }
        suite.add_test_case(case);
    }
    let mut report = Report::new(command);
    report.add_test_suite(suite);
    report
}

/// Escapes the two characters that XML cannot have and a terminal can.
fn for_xml(text: &str) -> String {
    text.replace('\u{fffe}', r"\u{fffe}").replace('\u{ffff}', r"\u{ffff}")
}

/// Writes a report, replacing any existing file.
pub(crate) fn write(file: &Path, report: &Report) -> anyhow::Result<()> {
    let text = report.to_string();
    let text = text.with_context(|| format!("failed to write {}", file.display()))?;
    output_file::write(file, text)
}

/// Returns a test's status: a failure with this message, or a success.
pub(crate) fn status(failure: Option<impl Into<XmlString>>) -> TestCaseStatus {
    let Some(message) = failure else {
        return TestCaseStatus::success();
    };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message);
    status
}
