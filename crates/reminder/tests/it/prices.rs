//! The README's comparison of deliveries, at the catalogue's prices.

use aside_models::{PriceBand, Vendor, all, find};

/// Prices relative to plain input.
fn factors(band: &PriceBand) -> (f64, f64) {
    let price =
        |price: Option<aside_models::Price>| price.map_or(f64::NAN, aside_models::Price::dollars);
    let input = band.input.dollars();
    (price(band.write_5m) / input, price(band.read) / input)
}

fn check(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
}

#[test]
fn the_readme_counts_with_the_prices_of_the_catalogue() {
    let band = find("claude-sonnet-5-5").facts.price(10_000);
    let (write, read) = factors(band.expect("a price"));
    check(write, 1.25);
    check(read, 0.05);
    check(4_000.0 * ((1.0 + write) - (write + read)), 3_800.0);
    check(50.0 * write, 62.5);
    check(50.0 * read, 2.5);
}

#[test]
fn the_readme_states_the_range_of_the_catalogue() {
    let claude = || all().filter(|facts| facts.vendor == Vendor::Anthropic);
    let bands = claude().flat_map(|facts| facts.prices).map(factors);
    let reads: Vec<f64> = bands.map(|(_, read)| read).collect();
    check(reads.iter().copied().fold(f64::INFINITY, f64::min), 0.025);
    check(reads.iter().copied().fold(0.0, f64::max), 0.1);
    let minimums: Vec<u64> = claude().filter_map(|facts| facts.cache_minimum).collect();
    assert_eq!(minimums.iter().min(), Some(&512));
    assert_eq!(minimums.iter().max(), Some(&4_096));
}
