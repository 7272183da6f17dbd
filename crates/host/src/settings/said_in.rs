use std::collections::BTreeMap;

/// Where settings are written: for each the path of a file, or that it was on
/// the command line. For what people are told of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaidIn {
    pub(super) keys: BTreeMap<&'static str, String>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) excludes: BTreeMap<String, String>,
}

impl SaidIn {
    /// The fault of a key, behind the place of the key.
    pub(crate) fn tell(&self, key: &str, fault: &str) -> String {
        behind(self.keys.get(key), fault)
    }

    /// The same for a variable of `env`.
    pub(crate) fn tell_of_variable(&self, name: &str, fault: &str) -> String {
        behind(self.variables.get(name), fault)
    }

    /// The excludes, and where each is written; the last place of several.
    pub(crate) fn excludes(&self) -> impl Iterator<Item = (&str, &str)> {
        let excludes = self.excludes.iter();
        excludes.map(|(exclude, place)| (exclude.as_str(), place.as_str()))
    }
}

fn behind(place: Option<&String>, fault: &str) -> String {
    match place {
        Some(place) => format!("{place}: {fault}"),
        None => fault.to_owned(),
    }
}
