//! The value of `--provider`, `--to` and `--from`.

use aside_providers::Provider;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Reads the name of a provider; the help lists the known ones.
pub(super) fn provider() -> impl TypedValueParser<Value = Provider> {
    let names = Provider::ALL.map(Provider::as_str);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Provider>())
}
