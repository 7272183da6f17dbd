//! Where the model keeps its notes from earlier sessions (auto memory).

use std::path::{Component, Path, PathBuf};

use crate::settings::Settings;

/// Returns the auto memory directory for a project: the one that the settings
/// name, or else, if enabled, one for the project in the user's configuration.
///
/// The error describes the fault in the settings.
pub(crate) fn directory(
    settings: &Settings,
    home: Option<&Path>,
    config: Option<&Path>,
    project: &Path,
) -> Result<Option<PathBuf>, String> {
    if let Some(given) = &settings.auto_memory_directory {
        return named("autoMemoryDirectory", given, home).map(Some);
    }
    let wanted = config.filter(|_| settings.auto_memory_enabled == Some(true));
    Ok(wanted.map(|config| config.join("projects").join(name_of(project)).join("memory")))
}

/// Resolves a path from the settings; `~` is the home directory.
///
/// Only `~` itself is replaced: `~mia` is no absolute path, and so a fault.
pub(crate) fn named(key: &str, given: &str, home: Option<&Path>) -> Result<PathBuf, String> {
    let fault = |why| Err(format!("{key} is left out: {given:?} {why}"));
    let mut parts = Path::new(given).components();
    let path = if parts.next() == Some(Component::Normal("~".as_ref())) {
        match home {
            Some(home) => home.join(parts.as_path()),
            None => return fault("is in the home directory, and there is none"),
        }
    } else {
        PathBuf::from(given)
    };
    if path.is_absolute() {
        Ok(path)
    } else {
        fault("is neither absolute nor in the home directory")
    }
}

/// Turns the path into the name of one directory.
///
/// `/home/mia/shop/a b` becomes `-home-mia-shop-a-b`. Two projects share a name
/// when they differ in such characters only.
fn name_of(project: &Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    project.to_string_lossy().chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(enabled: Option<bool>, given: Option<&str>, expected: Result<Option<&str>, &str>) {
        let settings = Settings {
            auto_memory_enabled: enabled,
            auto_memory_directory: given.map(str::to_owned),
            ..Settings::default()
        };
        let found = directory(
            &settings,
            Some(Path::new("/home/mia")),
            Some(Path::new("/home/mia/.claude")),
            Path::new("/home/mia/shop/a b"),
        );
        assert_eq!(found, expected.map(|path| path.map(PathBuf::from)).map_err(str::to_owned));
    }

    #[test]
    fn the_directory_needs_a_setting() {
        check(None, None, Ok(None));
        check(Some(false), None, Ok(None));
        check(Some(false), Some("/m"), Ok(Some("/m")));
        check(None, Some("/m"), Ok(Some("/m")));
        check(Some(true), Some("~/m/n"), Ok(Some("/home/mia/m/n")));
        check(Some(true), None, Ok(Some("/home/mia/.claude/projects/-home-mia-shop-a-b/memory")));
    }

    #[test]
    fn a_relative_directory_is_a_fault() {
        for given in ["m", "./m", "../m", "", "~mia/m"] {
            let fault = format!(
                "autoMemoryDirectory is left out: {given:?} is neither absolute nor in the home directory"
            );
            check(None, Some(given), Err(&fault));
        }
    }
}
