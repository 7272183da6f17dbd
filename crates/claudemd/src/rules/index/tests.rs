use std::path::{Path, PathBuf};

use globset::{Candidate, GlobSet};
use proptest::prelude::*;

use super::*;
use crate::MemoryKind;
use crate::discover::profile::{GlobForm, Header};

const BASE: &str = "/no/such/project";

fn rule(globs: &[impl AsRef<str>]) -> PathRule {
    PathRule {
        path: PathBuf::from("rule.md"),
        kind: MemoryKind::Project,
        base: PathBuf::from(BASE),
        globs: globs.iter().map(|glob| glob.as_ref().to_owned()).collect(),
        header: Header::default(),
    }
}

fn matching(index: &RuleIndex, path: &str) -> Matching {
    index.matching(&[&Path::new(BASE).join(path)])
}

/// A rule's compiled patterns, each with whether it is negated.
type CompiledRule = Vec<(GlobSet, bool)>;

/// Compiles all rules' globs.
fn compile_everything(rules: &[PathRule], platform: OperatingSystem) -> Vec<CompiledRule> {
    let mut budget = Budget::default();
    let mut compile = |written: &String| {
        let pattern = Pattern::expand(written, GlobForm::Rooted, platform, &mut budget).ok()?;
        let alternatives = pattern.alternatives.iter();
        let globs: Result<Vec<_>, _> = alternatives.map(|each| each.globs(platform)).collect();
        let set = GlobSet::new(globs.ok()?.into_iter().flatten()).unwrap();
        Some((set, pattern.negated))
    };
    let rules = rules.iter();
    rules.map(|rule| rule.globs.iter().filter_map(&mut compile).collect()).collect()
}

/// Returns the rules whose last matching pattern is not negated.
fn expected(rules: &[CompiledRule], path: &str) -> Vec<usize> {
    let path = Candidate::from_bytes(path.as_bytes());
    let is_matched = |rule: &CompiledRule| {
        let mut patterns = rule.iter().rev();
        patterns.find(|(set, _)| set.is_match_candidate(&path)).is_some_and(|(_, negated)| !negated)
    };
    (0..rules.len()).filter(|rule| is_matched(&rules[*rule])).collect()
}

/// Patterns and paths over a small alphabet, so that they often match.
const PIECES: &str = r"(a|b|A|é|c\.rs|\.rs|\.ts|\*|\*\*|\?|/|/|/|\*\*/|/\*\*|\[ab\]|\[!a\]|\[a|\[/\]|\{a,b\}|\{a,\*\*/b\}|\{a|\}|,|\\\\|\\\*|\./)";

fn pattern() -> impl Strategy<Value = String> {
    let pattern = format!("!?{PIECES}{{1,7}}");
    proptest::string::string_regex(&pattern).unwrap()
}

fn path() -> impl Strategy<Value = String> {
    let name = r"(a|b|A|B|ab|é|c\.rs|a\.ts|\.rs|b\.RS|\[a|a,b|\*)";
    let path = format!("{name}(/{name}){{0,4}}");
    proptest::string::string_regex(&path).unwrap()
}

proptest! {
    #[test]
    fn an_index_matches_as_if_everything_was_compiled(
        rules in prop::collection::vec(prop::collection::vec(pattern(), 1..4), 1..6),
        paths in prop::collection::vec(path(), 1..8),
    ) {
        let rules: Vec<PathRule> = rules.iter().map(|globs| rule(globs)).collect();
        for platform in [OperatingSystem::Linux, OperatingSystem::MacOs, OperatingSystem::Windows] {
            let index = RuleIndex::new(&rules, GlobForm::Rooted, platform);
            let compiled = compile_everything(&rules, platform);
            for path in &paths {
                let found = matching(&index, path);
                prop_assert_eq!(&found.faults, &[]);
                prop_assert_eq!(
                    found.rules,
                    expected(&compiled, path),
                    "{} on {:?}", path, platform
                );
            }
        }
    }
}

#[test]
fn a_touch_compiles_the_globs_that_can_match() {
    let rules: Vec<PathRule> = (0..2_000)
        .map(|i| match i % 5 {
            0 => rule(&[format!("src/part{i}/**/*.rs")]),
            1 => rule(&[format!("part{i}/**")]),
            2 => rule(&[format!("{{part{i},other{i}}}/*/lib.rs")]),
            3 => rule(&[format!("**/*.ext{i}")]),
            _ => rule(&[format!("**/part{i}/*.rs")]),
        })
        .collect();
    let index = RuleIndex::new(&rules, GlobForm::Rooted, OperatingSystem::Linux);
    assert_eq!(index.compiled(), 0);
    for (path, rules, compiled) in [
        ("README.md", vec![], 0),
        ("src/part10/a/b.rs", vec![10], 1),
        ("src/part10/a/c.rs", vec![10], 1),
        ("part11/b.rs", vec![11], 1),
        ("other12/a/lib.rs", vec![12], 2),
        ("a/part14/b.rs", vec![14], 3),
        ("a/b.ext13", vec![13], 4),
    ] {
        assert_eq!(matching(&index, path).rules, rules, "{path}");
        assert_eq!(index.compiled(), compiled, "{path}");
    }
}

#[test]
fn a_glob_of_many_rules_is_compiled_once() {
    let rules = vec![rule(&["**/*.ts"]); 100];
    let index = RuleIndex::new(&rules, GlobForm::Rooted, OperatingSystem::Linux);
    let found = matching(&index, "a/b.ts").rules;
    assert_eq!(found, (0..100).collect::<Vec<_>>());
    assert_eq!(index.compiled(), 1);
}

/// The patterns as lines of a `.gitignore`, and the paths of `a` that they match.
#[test]
fn patterns_of_gitignore() {
    let paths = ["api", "src/api/main.ts", "web/A.TS", "src/b.ts", "!.md", "docs/x/y.md"];
    for (globs, expected) in [
        (&["api/**"][..], "api src/api/main.ts"),
        (&["*.ts"], "src/api/main.ts web/A.TS src/b.ts"),
        (&["/*.ts", "SRC/*.ts"], "src/b.ts"),
        (&["src", "!src/b.ts"], "src/api/main.ts src/b.ts"),
        (&["*.ts", "!src/b.ts"], "src/api/main.ts web/A.TS"),
        (&["./src/**", "src/api/main.ts/", "#api"], ""),
        (&["src/*/"], "src/api/main.ts"),
        (&["api/"], "src/api/main.ts"),
        (&["[!x].md"], "!.md"),
        (&["{web,docs}/**"], "web/A.TS docs/x/y.md"),
        (&["docs/*.md"], ""),
        (&["**/x/**"], "docs/x/y.md"),
    ] {
        let rules = [rule(globs)];
        let index = RuleIndex::new(&rules, GlobForm::Gitignore, OperatingSystem::Linux);
        let found = paths.into_iter().filter(|path| !matching(&index, path).rules.is_empty());
        assert_eq!(found.collect::<Vec<_>>().join(" "), expected, "{globs:?}");
    }
}
