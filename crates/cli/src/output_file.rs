//! Files that a command writes where the user asks for them.
//!
//! The name of a report may be known before: `aside init` writes a workflow with one. So a link in
//! the project, which may come with a repository, leads no written file out of it. Links elsewhere
//! are the user's, such as `/dev/stdout`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aside_host::project_dir;

/// Writes a file, replacing any existing one.
///
/// # Errors
/// Fails as [`check()`] does, and when the file cannot be written.
pub(crate) fn write(file: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    check(file)?;
    fs::write(file, content).with_context(|| format!("failed to write {}", file.display()))
}

/// Checks that no link in the project leads a path out of it.
///
/// # Errors
/// Names the link and its target.
pub(crate) fn check(file: &Path) -> anyhow::Result<()> {
    let checked = fs::canonicalize(".").map_err(Into::into);
    let checked = checked.and_then(|directory| check_from(&directory, file));
    checked.with_context(|| format!("failed to write {}", file.display()))
}

fn check_from(directory: &Path, file: &Path) -> anyhow::Result<()> {
    let project = project_dir(directory);
    let is_inside = |it: Option<PathBuf>| it.is_some_and(|it| it.starts_with(&project));
    let path = directory.join(file);
    for link in path.ancestors().filter(|it| it.is_symlink()) {
        if !is_inside(resolved_parent(link)) {
            continue;
        }
        let target = link.parent().unwrap_or(link).join(fs::read_link(link)?);
        let resolved = match fs::canonicalize(link) {
            Ok(resolved) => Some(resolved),
            // To write to a dangling link creates its target.
            Err(_) => resolved_parent(&target).filter(|_| !target.is_symlink()),
        };
        if !is_inside(resolved) {
            let (link, target) = (link.display(), target.display());
            bail!("{link} is a link out of the project: {target}");
        }
    }
    Ok(())
}

fn resolved_parent(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path.parent()?).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_links_in_the_project_may_not_lead_out_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let project = root.join("project");
        fs::create_dir_all(project.join(".git/objects")).unwrap();
        fs::create_dir_all(project.join(".git/refs")).unwrap();
        fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::create_dir_all(project.join("build")).unwrap();
        fs::create_dir(root.join("reports")).unwrap();
        fs::write(root.join("bashrc"), "").unwrap();
        for (target, link) in [
            ("../bashrc", "project/out"),
            ("../new", "project/dangling"),
            ("out", "project/twice"),
            ("dangling", "project/twice-dangling"),
            ("../reports", "project/reports"),
            ("build/report", "project/in"),
            ("build", "project/to-build"),
            ("bashrc", "mine"),
            ("project", "to-project"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let check = |file: &str, is_allowed| {
            let checked = check_from(&project.join("build"), Path::new(file));
            assert_eq!(checked.is_ok(), is_allowed, "{file}: {checked:?}");
        };
        for file in ["out", "dangling", "twice", "twice-dangling", "reports/a", "reports/b/c"] {
            check(&format!("../{file}"), false);
        }
        check("../../to-project/out", false);
        for file in ["new", "../in", "../to-build/a", "../../mine", "../../reports/a"] {
            check(file, true);
        }
        for file in ["/dev/stdout", "/dev/null", "/dev/fd/2"] {
            check(file, true);
        }
    }
}
