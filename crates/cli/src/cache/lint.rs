//! `aside cache lint`.

use std::collections::HashMap;

use anyhow::anyhow;
use aside_cache_model::{Bound, Cost, Finding, LintRule, Linter};
use aside_inspect::{money, thousands};
use aside_text::one_line;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;

use super::log::{Caches, Item, each, write_file};
use crate::Failure;
use crate::arguments::Lint;
use crate::count::count;
use crate::output;

/// The findings, as `--json` has them.
#[derive(Serialize)]
struct Found<'a> {
    findings: &'a [Finding],
    cost: Option<Cost>,
    bound: Option<Cost>,
    cost_over_bound: Option<f64>,
}

pub(super) fn run(arguments: &Lint) -> Result<(), Failure> {
    let mut caches = Caches::default();
    let mut linters: HashMap<&'static str, (Linter, Bound)> = HashMap::new();
    let mut cost = Some(Cost::ZERO);
    each(&arguments.log, &mut |item| {
        let Item::Request(logged) = item else {
            return Ok(());
        };
        let model = caches.of(&logged.rules);
        let verdict = model.send_timed(&logged.timed);
        let (linter, bound) = linters.entry(logged.rules.name).or_default();
        linter.add(model, &logged.timed, &verdict);
        bound.add(model, &logged.timed);
        cost = cost.zip(verdict.cost).map(|(a, b)| a + b);
        if let Some(usage) = logged.timed.usage {
            model.observe(usage);
        }
        Ok(())
    })?;
    let bounds: Option<Vec<Cost>> = linters.values().map(|it| it.1.cost()).collect();
    let bound = bounds.map(|it| it.into_iter().sum::<Cost>());
    let over = cost
        .zip(bound)
        .filter(|it| it.1 > Cost::ZERO)
        .map(|(cost, bound)| cost.nanodollars() as f64 / bound.nanodollars() as f64);
    let mut findings: Vec<Finding> = linters.into_values().flat_map(|it| it.0.finish()).collect();
    findings.sort_by_key(|it| std::cmp::Reverse((it.lost_cost, it.lost_tokens)));
    if arguments.log.json {
        let found = Found {
            findings: &findings,
            cost,
            bound,
            cost_over_bound: over.map(|it| (it * 1_000.0).round() / 1_000.0),
        };
        let json = serde_json::to_string_pretty(&found)? + "\n";
        output::print([json.as_bytes()])?;
    } else {
        let text: String = findings.iter().map(|it| line(it) + "\n").collect();
        output::print([text.as_bytes()])?;
    }
    let is_denied = |it: &&Finding| arguments.deny.is_empty() || arguments.deny.contains(&it.rule);
    let denied: Vec<&Finding> = findings.iter().filter(is_denied).collect();
    if let Some(file) = &arguments.junit {
        write_file(
            file,
            &junit(&denied).to_string().map_err(anyhow::Error::from)?,
        )?;
    }
    if let (Some(most), Some(over)) = (arguments.max_cost_over_bound, over)
        && over > most
    {
        return Err(
            anyhow!("the log costs {over:.2} times the least possible, more than {most}").into(),
        );
    }
    if denied.is_empty() || (arguments.deny.is_empty() && arguments.max_cost_over_bound.is_some()) {
        return Ok(());
    }
    Err(anyhow!("{}", count(denied.len() as u64, "finding", "findings")).into())
}

pub(crate) fn line(finding: &Finding) -> String {
    let path = finding
        .path
        .as_ref()
        .map(|it| format!(" at {it}"))
        .unwrap_or_default();
    let text = format!(
        "{}: {}, first request {}{path}: {} tokens, {} lost; {}",
        finding.rule,
        count(finding.requests as u64, "request", "requests"),
        finding.first + 1,
        thousands(finding.lost_tokens),
        money(finding.lost_cost),
        finding.fix
    );
    one_line(&text).into_owned()
}

/// A test for each rule.
fn junit(denied: &[&Finding]) -> Report {
    let mut suite = TestSuite::new("aside cache lint");
    for rule in LintRule::ALL {
        let finding = denied.iter().find(|it| it.rule == rule);
        let status = match finding {
            None => TestCaseStatus::success(),
            Some(finding) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(line(finding));
                status
            }
        };
        let mut case = TestCase::new(rule.id(), status);
        case.set_classname("aside.cache.lint");
        suite.add_test_case(case);
    }
    let mut report = Report::new("aside cache lint");
    report.add_test_suite(suite);
    report
}
