use super::*;
use crate::MemoryKind;

/// The command's page lists the values in `aside memory --json`.
#[test]
fn the_documentation_lists_every_name() {
    let page = include_str!("../../../../cli/README.md");
    // The error lists the names of all variants.
    let unknown = serde_json::from_str::<SkipReason>(r#"{"reason":""}"#).unwrap_err().to_string();
    let skipped: Vec<_> =
        unknown.split('`').skip(1).step_by(2).filter(|it| !it.is_empty()).collect();
    assert!(skipped.contains(&SkipReason::Empty.as_str()), "{unknown}");
    for (before, names) in [
        ("`kind` is one of", MemoryKind::ALL.map(MemoryKind::as_str).to_vec()),
        ("a file's `reason` is one of", LoadReason::ALL.map(LoadReason::as_str).to_vec()),
        ("a skipped file's is one of", skipped),
        ("A file in `not_loaded` has one of these or one of", Name::ALL.map(Name::as_str).to_vec()),
    ] {
        let listed = format!("{before} `{}`", names.join(" "));
        assert!(page.contains(&listed), "crates/cli/README.md lacks: {listed}");
    }
}
