//! Where to put a scenario that is in no repository.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// Returns the nearest directory with `.git`, from `directory` upwards.
pub(crate) fn repository_around(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|it| it.join(".git").exists())
}

/// Returns the directory for temporary files, or the system's usual one if
/// `TMPDIR` is in a repository: a session there would read that repository.
///
/// # Errors
///
/// Both are in repositories.
pub(crate) fn directory() -> Result<PathBuf> {
    first_outside([env::temp_dir(), "/tmp".into()])
}

fn first_outside(directories: [PathBuf; 2]) -> Result<PathBuf> {
    let is_outside =
        |it: &&PathBuf| fs::canonicalize(it).is_ok_and(|it| repository_around(&it).is_none());
    let Some(found) = directories.iter().find(is_outside) else {
        let first = directories[0].display();
        bail!("{first} is in a repository: set TMPDIR to a directory outside of repositories");
    };
    Ok(found.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_directory_outside_of_repositories_is_used() {
        let machine = tempfile::tempdir().unwrap();
        let [inside, outside] = ["repository/tmp", "tmp"].map(|it| machine.path().join(it));
        for directory in [&inside, &outside, &machine.path().join("repository/.git")] {
            fs::create_dir_all(directory).unwrap();
        }
        let check = |first: &PathBuf, second: &PathBuf, expected: &str| {
            let found = match first_outside([first.clone(), second.clone()]) {
                Ok(found) => found.display().to_string(),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, expected.replace("MACHINE", machine.path().to_str().unwrap()));
        };
        check(&outside, &inside, "MACHINE/tmp");
        check(&inside, &outside, "MACHINE/tmp");
        check(
            &inside,
            &inside,
            "MACHINE/repository/tmp is in a repository: set TMPDIR to a directory outside of repositories",
        );
    }
}
