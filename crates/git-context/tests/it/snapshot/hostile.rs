//! Repositories whose configuration runs programs. Each program leaves a mark.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use aside_git_context::{GitCommand, GitErrorKind, Status};

use crate::snapshot::fixture::{Repository, git, options, script, snapshot, succeed};

/// A repository, and a program that must not run.
pub(crate) struct Trap {
    pub(crate) repository: Repository,
    pub(crate) program: String,
    mark: PathBuf,
}

impl Trap {
    pub(crate) fn new() -> Self {
        let repository = Repository::new();
        let mark = repository.outside().join("mark");
        // It fails, to make git end the exchange early.
        let body = format!("touch '{}'; exit 1", mark.display());
        let program = script(&repository.outside().join("program"), &body);
        Self { program: program.to_str().unwrap().to_owned(), repository, mark }
    }

    /// Sets variables in the repository; `{}` stands for the program.
    fn set(&self, settings: &[(&str, &str)]) {
        for (key, value) in settings {
            let value = value.replace("{}", &self.program);
            self.repository.git(["config", "--add", key, &value]);
        }
    }

    pub(crate) fn check_no_mark(&self) {
        assert!(!self.mark.exists(), "the program was run");
    }

    pub(crate) fn check_mark(&self, why_not: &str) {
        assert!(self.mark.exists(), "no trap: {why_not}");
    }

    /// A snapshot leaves no mark. To show that the trap works at all, a git
    /// command does leave one.
    fn check(&self, that_runs_it: &[&str]) {
        let snapshot = self.repository.snapshot();
        self.check_no_mark();
        assert_eq!(snapshot.diagnostics, []);
        self.check_works(that_runs_it);
    }

    fn check_works(&self, that_runs_it: &[&str]) {
        // Success does not matter.
        let output = git(self.repository.path()).args(that_runs_it).output().unwrap();
        self.check_mark(&format!("{output:?}"));
    }
}

#[test]
fn fsmonitor() {
    let trap = Trap::new();
    trap.set(&[("core.fsmonitor", "{}")]);
    trap.check(&["status", "--short"]);
}

#[test]
fn hooks() {
    let trap = Trap::new();
    let hooks = trap.repository.outside().join("hooks");
    fs::create_dir(&hooks).unwrap();
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction"] {
        fs::hard_link(&trap.program, hooks.join(hook)).unwrap();
    }
    trap.set(&[("core.hooksPath", hooks.to_str().unwrap())]);
    // The index would be refreshed, and the hook run.
    trap.repository.write("a", "one\n");
    trap.check(&["status", "--short"]);
}

#[test]
fn hooks_at_their_usual_place() {
    let trap = Trap::new();
    let hooks = trap.repository.path().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    fs::hard_link(&trap.program, hooks.join("post-index-change")).unwrap();
    trap.repository.write("a", "one\n");
    trap.check(&["status", "--short"]);
}

#[test]
fn commands_of_a_caller() {
    let trap = Trap::new();
    let repository = &trap.repository;
    repository.write("a", "one\n");
    repository.write(".gitattributes", "a filter=evil\n");
    repository.git(["add", "-A"]);
    repository.git(["commit", "-q", "-m", "two"]);
    let hooks = repository.path().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    fs::hard_link(&trap.program, hooks.join("post-index-change")).unwrap();
    trap.set(&[("core.fsmonitor", "{}"), ("filter.evil.smudge", "{}")]);
    let out = repository.outside().join("out");
    let (index, prefix) = (out.join("index"), format!("--prefix={}/", out.display()));
    fs::create_dir(&out).unwrap();
    for arguments in [
        &["ls-files", "--cached", "--others"][..],
        &["read-tree", "HEAD"],
        &["checkout-index", "--all", &prefix],
    ] {
        let environment = [("GIT_INDEX_FILE", index.as_os_str())];
        let mut command = GitCommand::new(arguments);
        command.environment = &environment;
        command.output(repository.path(), &options()).unwrap();
        trap.check_no_mark();
    }
    assert_eq!(fs::read_to_string(out.join("a")).unwrap(), "one\n");
    let failed = GitCommand::new(&["ls-tree", "none"]).output(repository.path(), &options());
    let failed = failed.unwrap_err();
    assert_eq!(failed.kind(), GitErrorKind::Command);
    assert!(failed.to_string().starts_with("git ls-tree none: failed with exit code 128: fatal: "));
    trap.check_works(&["ls-files", "--others"]);
}

#[test]
fn filters() {
    for name in ["evil", "UPPER", "with space", "do.t.s", "a=b", "é\"\\"] {
        for variable in ["clean", "process"] {
            let trap = Trap::new();
            trap.set(&[
                (&format!("filter.{name}.{variable}"), "{}"),
                (&format!("filter.{name}.smudge"), "{}"),
                (&format!("filter.{name}.required"), "true"),
            ]);
            // Attributes have no quotes, so not every name works there.
            let attribute = format!("a filter={name}\n");
            trap.repository.write(".git/info/attributes", &attribute);
            trap.repository.write("a", "two\n");
            if name.contains(' ') {
                trap.repository.snapshot();
                trap.check_no_mark();
            } else {
                trap.check(&["status", "--short"]);
            }
            let lines = " M a".into();
            let changed = Status::Changed { lines };
            assert_eq!(trap.repository.snapshot().status, Some(changed));
        }
    }
}

#[test]
fn a_filter_whose_name_is_not_utf8() {
    let trap = Trap::new();
    let inside = trap.repository.path().join(".git");
    let mut config = fs::read(inside.join("config")).unwrap();
    config.extend_from_slice(b"[filter \"\xff\xfe\"]\nclean = ");
    config.extend_from_slice(trap.program.as_bytes());
    fs::write(inside.join("config"), config).unwrap();
    fs::create_dir_all(inside.join("info")).unwrap();
    fs::write(inside.join("info/attributes"), b"a filter=\xff\xfe\n").unwrap();
    trap.repository.write("a", "two\n");
    trap.check(&["status", "--short"]);
    let lines = " M a".into();
    let changed = Status::Changed { lines };
    assert_eq!(trap.repository.snapshot().status, Some(changed));
}

#[test]
fn filters_of_an_included_file() {
    let trap = Trap::new();
    let included = format!("[filter \"evil\"]\nclean = {}\n", trap.program);
    trap.repository.write(".git/included", &included);
    trap.repository.write(".gitattributes", "* filter=evil\n");
    trap.repository.write("a", "two\n");
    trap.set(&[("includeIf.onbranch:main.path", "included")]);
    trap.check(&["status", "--short"]);
}

#[test]
fn filters_of_a_worktree() {
    let trap = Trap::new();
    trap.set(&[("extensions.worktreeConfig", "true")]);
    trap.repository.git(["config", "--worktree", "filter.evil.clean", &trap.program]);
    trap.repository.write(".gitattributes", "* filter=evil\n");
    trap.repository.write("a", "two\n");
    trap.check(&["status", "--short"]);
}

#[test]
fn more_filters_than_can_be_kept_off() {
    let trap = Trap::new();
    let mut config = String::new();
    for number in 0..4_000 {
        config += &format!("[filter \"driver{number}\"]\nclean = {}\n", trap.program);
    }
    trap.repository.write(".git/many", &config);
    trap.set(&[("include.path", "many")]);
    trap.repository.write(".gitattributes", "* filter=driver3999\n");
    trap.repository.write("a", "two\n");
    let snapshot = trap.repository.snapshot();
    trap.check_no_mark();
    assert_eq!(snapshot.status, None);
    assert!(snapshot.commits.is_some());
    trap.check_works(&["status", "--short"]);
}

#[test]
fn external_diff() {
    let trap = Trap::new();
    trap.set(&[("diff.external", "{}"), ("diff.evil.command", "{}")]);
    trap.repository.write(".gitattributes", "* diff=evil\n");
    trap.repository.write("a", "two\n");
    trap.check(&["diff"]);
}

#[test]
fn text_conversion() {
    let trap = Trap::new();
    trap.set(&[("diff.evil.textconv", "{}")]);
    trap.repository.write(".gitattributes", "* diff=evil\n");
    trap.repository.write("a", "two\n");
    trap.check(&["diff"]);
}

#[test]
fn signatures() {
    let trap = Trap::new();
    let tree = trap.repository.git(["rev-parse", "HEAD^{tree}"]);
    let who = "Ada <ada@example.org> 981173106 +0000";
    let signature = "-----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
    let commit =
        format!("tree {tree}author {who}\ncommitter {who}\ngpgsig {signature}\n\nsigned\n");
    trap.repository.write(".git/commit", &commit);
    let id = trap.repository.git(["hash-object", "-t", "commit", "-w", ".git/commit"]);
    trap.repository.git(["update-ref", "HEAD", id.trim()]);
    trap.set(&[("log.showSignature", "true"), ("gpg.program", "{}")]);
    trap.check(&["log", "--oneline"]);
}

/// `HEAD` has no tree, and git would fetch it.
fn check_promisor(settings: &[(&str, &str)]) {
    let trap = Trap::new();
    let id = trap.repository.git(["rev-parse", "HEAD^{tree}"]);
    let (directory, file) = id.trim().split_at(2);
    let objects = trap.repository.path().join(".git/objects");
    fs::remove_file(objects.join(directory).join(file)).unwrap();
    trap.set(&[
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "evil"),
        ("remote.evil.promisor", "true"),
        ("protocol.allow", "always"),
    ]);
    trap.set(settings);
    let snapshot = trap.repository.snapshot();
    trap.check_no_mark();
    assert_eq!(snapshot.status, None);
    assert_eq!(snapshot.diagnostics.len(), 1, "{:?}", snapshot.diagnostics);
    assert!(snapshot.commits.is_some());
    trap.check_works(&["status", "--short"]);
}

#[test]
fn promisor_remotes() {
    check_promisor(&[("remote.evil.url", "ext::{} %S")]);
    check_promisor(&[("remote.evil.url", "/"), ("remote.evil.uploadPack", "{}")]);
    check_promisor(&[("remote.evil.url", "ssh://localhost/x"), ("core.sshCommand", "{}")]);
    check_promisor(&[("remote.evil.url", "git://localhost/x"), ("core.gitProxy", "{}")]);
}

#[test]
fn submodules_are_not_entered() {
    let trap = Trap::new();
    let other = Repository::new();
    let url = other.path().to_str().unwrap();
    trap.repository.git(["submodule", "--quiet", "add", url, "sub"]);
    trap.repository.commit("add a submodule");
    for (key, value) in [("core.fsmonitor", &*trap.program), ("filter.evil.clean", &*trap.program)]
    {
        trap.repository.git(["-C", "sub", "config", key, value]);
    }
    trap.repository.write("sub/.gitattributes", "* filter=evil\n");
    trap.repository.write("sub/a", "two\n");
    trap.set(&[("status.submoduleSummary", "true")]);
    trap.check(&["status", "--short"]);
}

#[test]
fn programs_for_terminals_passwords_and_aliases() {
    let trap = Trap::new();
    trap.set(&[
        ("core.pager", "{}"),
        ("pager.status", "{}"),
        ("pager.log", "{}"),
        ("core.editor", "{}"),
        ("core.askPass", "{}"),
        ("credential.helper", "{}"),
        ("alias.status", "!{}"),
        ("alias.log", "!{}"),
        ("alias.mark", "!{}"),
        ("gpg.program", "{}"),
        ("interactive.diffFilter", "{}"),
        ("core.alternateRefsCommand", "{}"),
        ("uploadpack.packObjectsHook", "{}"),
        ("remote.origin.url", "ext::{}"),
        ("remote.origin.vcs", "{}"),
        ("merge.evil.driver", "{}"),
        ("trailer.evil.command", "{}"),
    ]);
    trap.repository.write(".gitattributes", "* merge=evil\n");
    trap.repository.write("a", "two\n");
    trap.check(&["mark"]);
}

/// Git quotes a line that it cannot parse: a diagnostic would show one from the
/// user's files.
#[test]
fn links_out_of_the_git_directory() {
    for name in [
        "HEAD",
        "packed-refs",
        "refs/heads/main",
        "refs/remotes/origin/HEAD",
        "shallow",
        "info/grafts",
        "objects/info/alternates",
        "objects/info/commit-graphs/commit-graph-chain",
    ] {
        let repository = Repository::new();
        let secret = repository.outside().join("secret");
        fs::write(&secret, "the secret\n").unwrap();
        let path = repository.path().join(".git").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        std::os::unix::fs::symlink(&secret, &path).unwrap();
        let error = snapshot(repository.path(), &options()).unwrap_err();
        assert_eq!(error.kind(), GitErrorKind::OutsideLink, "{name}");
        let secret = secret.canonicalize().unwrap();
        let message = error.to_string();
        let expected = format!("{name}\" is a link out of the repository: {secret:?}");
        assert!(message.ends_with(&expected), "{message}");
    }
}

/// Display settings do not change the snapshot.
#[test]
fn display_settings() {
    let repository = Repository::new();
    repository.write("old", &"line\n".repeat(100));
    repository.commit("second");
    repository.git(["notes", "add", "-m", "a note"]);
    repository.git(["mv", "old", "new"]);
    repository.write("é", "");
    repository.write("a", "two\n");
    let expected = repository.snapshot();
    for (key, value) in [
        ("color.ui", "always"),
        ("color.status", "always"),
        ("color.diff", "always"),
        ("column.ui", "always"),
        ("column.status", "always"),
        ("core.abbrev", "40"),
        ("core.quotePath", "false"),
        ("core.commentChar", ";"),
        ("diff.renames", "false"),
        ("format.pretty", "fuller"),
        ("format.notes", "*"),
        ("i18n.logOutputEncoding", "UTF-16"),
        ("log.abbrevCommit", "false"),
        ("log.date", "relative"),
        ("log.decorate", "full"),
        ("log.diffMerges", "on"),
        ("log.showRoot", "true"),
        ("notes.displayRef", "*"),
        ("pretty.oneline", "%H %an"),
        ("status.branch", "true"),
        ("status.displayCommentPrefix", "true"),
        ("status.relativePaths", "false"),
        ("status.renames", "false"),
        ("status.short", "false"),
        ("status.showStash", "true"),
        ("status.submoduleSummary", "true"),
    ] {
        repository.git(["config", key, value]);
    }
    assert_eq!(repository.snapshot(), expected);
    assert_eq!(
        expected.status,
        Some(Status::Changed { lines: " M a\nR  old -> new\n?? \"\\303\\251\"".into() })
    );
}

/// A file that git opens and that never ends, or never begins.
#[test]
fn pipes_in_the_place_of_files() {
    let repository = Repository::new();
    let pipe = repository.path().join("pipe");
    succeed(Command::new("mkfifo").arg(pipe));
    repository.git(["config", "mailmap.file", "pipe"]);
    assert_eq!(repository.snapshot().diagnostics, []);
}
