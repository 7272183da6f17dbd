//! Every feature and every provider has a scenario.

use std::path::Path;

use aside_providers::Provider;
use aside_scenario::{Case, Feature, discover};

fn cases() -> Vec<Case> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    discover(&fixtures).unwrap()
}

#[test]
fn every_feature_is_shown() {
    let cases = cases();
    let is_shown = |feature: &Feature| {
        let mut shown = cases.iter().flat_map(|case| &case.scenario.shows);
        shown.any(|it| it == feature)
    };
    let missing = Feature::ALL.iter().filter(|it| !is_shown(it));
    assert_eq!(missing.collect::<Vec<_>>(), [&Feature::Ttl; 0]);
}

#[test]
fn every_provider_has_a_scenario() {
    let cases = cases();
    let is_played = |provider: &Provider| {
        let mut played = cases.iter().filter_map(|case| case.scenario.provider);
        played.any(|it| it == *provider)
    };
    let missing = Provider::ALL.into_iter().filter(|it| !is_played(it));
    assert_eq!(missing.collect::<Vec<_>>(), []);
}
