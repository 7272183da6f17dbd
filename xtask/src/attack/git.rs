//! Git runs no program of a repository's choosing. Each vector names a program
//! that leaves a mark; for those that an ordinary git command obeys, that
//! command shows that the trap works.
//!
//! The attacker is a repository that a user opens. Git itself runs programs
//! that a configuration names, and asking git for a status is enough for some
//! of them, so the promise (number 3 of `docs/security.md`) is about every git
//! command that Aside starts. A `.git` directory is not cloned, but it arrives
//! with an archive, a shared disk or a container.
//!
//! A case is a repository with one vector and a program that creates a file.
//! The file must not exist after `render` and `prompt`. For a vector of
//! `PROVEN`, an ordinary git command is then run in the same repository and has
//! to create it: without that proof, a misspelled key would hold forever. The
//! keys of `KEYS` have no proof, because the feature that reads them may be
//! missing in the installed git, or needs a server.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::Result;

use super::Extent;
use super::command::{Aside, Place};
use super::outcome::Outcome;

/// A repository that names a program; `{}` is replaced by its path.
struct Vector {
    /// Keys and values for `git config --add`. `HOOKS` in a value is replaced
    /// by a directory with all hooks.
    config: &'static [(&'static str, &'static str)],
    /// Paths below the project, and their contents.
    files: &'static [(&'static str, &'static str)],
    /// A git command that runs the program.
    proof: &'static [&'static str],
}

/// Returns a vector; a constant function keeps the table short.
const fn vector(
    config: &'static [(&'static str, &'static str)],
    files: &'static [(&'static str, &'static str)],
    proof: &'static [&'static str],
) -> Vector {
    Vector {
        config,
        files,
        proof,
    }
}

/// The proof of most vectors: a status compares the work tree, and so runs
/// filters and the file system monitor.
const STATUS: &[&str] = &["status", "--short"];
/// Assigns the filter and the drivers `evil` to every file.
const EVIL_ATTRIBUTES: (&str, &str) = (".gitattributes", "* filter=evil diff=evil merge=evil\n");
/// The files of a vector whose driver is named in the configuration.
const EVIL: &[(&str, &str)] = &[EVIL_ATTRIBUTES];

/// Vectors that an ordinary git command obeys.
const PROVEN: &[Vector] = &[
    vector(&[("core.fsmonitor", "{}")], &[], STATUS),
    // A status writes the index, and so runs the hook, only within the second of the commit.
    vector(&[("core.hooksPath", "HOOKS")], &[], &["add", "a"]),
    vector(&[("filter.evil.clean", "{}")], EVIL, STATUS),
    vector(&[("filter.evil.process", "{}")], EVIL, STATUS),
    vector(
        &[
            ("filter.evil.clean", "{}"),
            ("filter.evil.required", "true"),
        ],
        EVIL,
        STATUS,
    ),
    vector(
        &[("filter.UPPER.clean", "{}")],
        &[(".gitattributes", "* filter=UPPER\n")],
        STATUS,
    ),
    vector(
        &[("filter.do.t.s.clean", "{}")],
        &[(".gitattributes", "* filter=do.t.s\n")],
        STATUS,
    ),
    vector(
        &[("filter.a=b.clean", "{}")],
        &[(".gitattributes", "* filter=a=b\n")],
        STATUS,
    ),
    vector(
        &[("filter.é.clean", "{}")],
        &[(".gitattributes", "* filter=é\n")],
        STATUS,
    ),
    vector(
        &[("filter.evil.clean", "{}")],
        &[(".git/info/attributes", "* filter=evil\n")],
        STATUS,
    ),
    vector(
        &[
            ("filter.evil.clean", "{}"),
            ("core.attributesFile", ".git/attributes"),
        ],
        &[(".git/attributes", "* filter=evil\n")],
        STATUS,
    ),
    vector(
        &[("include.path", "included")],
        &[
            (".git/included", "[filter \"evil\"]\nclean = {}\n"),
            EVIL_ATTRIBUTES,
        ],
        STATUS,
    ),
    vector(
        &[("includeIf.onbranch:main.path", "included")],
        &[
            (".git/included", "[filter \"evil\"]\nclean = {}\n"),
            EVIL_ATTRIBUTES,
        ],
        STATUS,
    ),
    vector(
        &[("includeIf.gitdir:**.path", "included")],
        &[(".git/included", "[core]\nfsmonitor = {}\n")],
        STATUS,
    ),
    vector(
        &[("extensions.worktreeConfig", "true")],
        &[(".git/config.worktree", "[core]\nfsmonitor = {}\n")],
        STATUS,
    ),
    vector(
        &[("extensions.worktreeConfig", "true")],
        &[
            (".git/config.worktree", "[filter \"evil\"]\nclean = {}\n"),
            EVIL_ATTRIBUTES,
        ],
        STATUS,
    ),
    vector(&[("diff.external", "{}")], &[], &["diff"]),
    vector(&[("diff.evil.command", "{}")], EVIL, &["diff"]),
    vector(&[("diff.evil.textconv", "{}")], EVIL, &["diff"]),
    vector(&[("alias.mark", "!{}")], &[], &["mark"]),
];

/// Keys that name a program or a command line. Some features that use them are
/// missing in some installations of git.
///
/// In the long form each has three values: the program, an alias for a shell
/// (`!program`) and a remote helper (`ext::program`).
const KEYS: &[&str] = &[
    "alias.branch",
    "alias.config",
    "alias.diff",
    "alias.for-each-ref",
    "alias.log",
    "alias.ls-files",
    "alias.rev-parse",
    "alias.status",
    "alias.symbolic-ref",
    "alias.var",
    "browser.evil.cmd",
    "browser.evil.path",
    "column.ui",
    "commit.template",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitorHookVersion",
    "core.gitProxy",
    "core.notesRef",
    "core.pager",
    "core.sshCommand",
    "core.worktree",
    "credential.helper",
    "credential.https://example.org.helper",
    "diff.guitool",
    "diff.tool",
    "difftool.evil.cmd",
    "difftool.evil.path",
    "fetch.fsckObjects",
    "gc.auto",
    "gc.recentObjectsHook",
    "gpg.openpgp.program",
    "gpg.program",
    "gpg.ssh.allowedSignersFile",
    "gpg.ssh.defaultKeyCommand",
    "gpg.ssh.program",
    "gpg.x509.program",
    "gui.editor",
    "guitool.evil.cmd",
    "help.browser",
    "imap.tunnel",
    "init.templateDir",
    "instaweb.browser",
    "instaweb.httpd",
    "interactive.diffFilter",
    "log.mailmap",
    "mailmap.blob",
    "mailmap.file",
    "maintenance.repo",
    "man.evil.cmd",
    "man.evil.path",
    "man.viewer",
    "merge.evil.driver",
    "merge.guitool",
    "merge.tool",
    "mergetool.evil.cmd",
    "mergetool.evil.path",
    "pager.branch",
    "pager.config",
    "pager.diff",
    "pager.log",
    "pager.status",
    "pager.var",
    "pretty.oneline",
    "receive.procReceiveRefs",
    "remote.evil.proxy",
    "remote.evil.receivepack",
    "remote.evil.uploadpack",
    "remote.evil.vcs",
    "remote.origin.url",
    "sendemail.smtpServer",
    "sendemail.toCmd",
    "sequence.editor",
    "ssh.variant",
    "submodule.evil.update",
    "svn.pushmergeinfo",
    "tar.evil.command",
    "trailer.evil.cmd",
    "trailer.evil.command",
    "transfer.credentialsInUrl",
    "uploadpack.packObjectsHook",
    "web.browser",
];

/// Hooks that git starts by itself. None may be started by a command that only
/// reads.
const HOOKS: &[&str] = &[
    "fsmonitor-watchman",
    "post-checkout",
    "post-index-change",
    "post-merge",
    "pre-auto-gc",
    "pre-commit",
    "reference-transaction",
];

pub(super) fn run(aside: &Aside, extent: Extent) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for vector in PROVEN {
        let trap = Trap::new(aside)?;
        trap.set(vector)?;
        trap.check(&describe(vector), &mut outcome)?;
        trap.place.git(vector.proof)?;
        let works = trap.is_sprung();
        outcome.check((!works).then(|| format!("no trap: {}", describe(vector))));
    }
    for key in KEYS {
        let values = match extent {
            Extent::Long => &["{}", "!{}", "ext::{} %S"][..],
            Extent::Short => &["{}"],
        };
        for value in values {
            let trap = Trap::new(aside)?;
            trap.place.git(["config", key, &trap.fill(value)])?;
            trap.check(&format!("{key} = {value}"), &mut outcome)?;
        }
    }
    for hook in HOOKS {
        let trap = Trap::new(aside)?;
        let hooks = trap.place.path("project/.git/hooks");
        fs::create_dir_all(&hooks)?;
        fs::copy(&trap.program, hooks.join(hook))?;
        trap.check(&format!("the hook {hook}"), &mut outcome)?;
    }
    redirected(aside, &mut outcome)?;
    Ok(outcome)
}

/// Returns the name of a vector in findings: its configuration.
fn describe(vector: &Vector) -> String {
    let config = vector
        .config
        .iter()
        .map(|(key, value)| format!("{key} = {value}"));
    config.collect::<Vec<_>>().join(", ")
}

/// Directories that are a repository because of checked-in files.
///
/// A bare repository below the work tree can be cloned, unlike a configuration
/// in `.git`, and git finds it if a command is started in it. A `.git` file
/// that names it is tried as well.
fn redirected(aside: &Aside, outcome: &mut Outcome) -> Result<()> {
    for dir in ["bare", ".git2", "sub/deep"] {
        let trap = Trap::new(aside)?;
        let place = &trap.place;
        let repository = place.path(format!("project/{dir}"));
        place.git(["init", "-q", "--bare", repository.to_str().unwrap_or(dir)])?;
        let config =
            fs::read_to_string(repository.join("config"))?.replace("bare = true", "bare = false");
        let config = format!(
            "{config}\n\tworktree = \"{}\"\n\tfsmonitor = \"{}\"\n",
            place.path("project").display(),
            trap.program.display()
        );
        fs::write(repository.join("config"), config)?;
        for cwd in [dir.to_owned(), "linked".to_owned()] {
            if cwd == "linked" {
                place.write(
                    "project/linked/.git",
                    format!("gitdir: {}\n", repository.display()),
                )?;
            }
            let arguments = ["render", "go", "--cwd", &cwd];
            let ran = place.run(arguments)?;
            let sprung = trap.is_sprung();
            // A `.git` file of the user's own making is a repository like any
            // other: its configuration must not run programs either.
            outcome
                .check(sprung.then(|| format!("a repository {dir}, from {cwd}: {}", ran.text())));
        }
    }
    Ok(())
}

/// A repository with a change, and a program that must not run.
struct Trap {
    /// The project has the file `a`, changed after its commit, so that a status
    /// has to read it.
    place: Place,
    /// The program that the vectors name.
    program: PathBuf,
    /// The file that the program creates.
    mark: PathBuf,
}

impl Trap {
    /// Makes a repository without a vector.
    fn new(aside: &Aside) -> Result<Self> {
        let place = aside.place()?;
        place.init()?;
        place.write("project/a", "two\n")?;
        let mark = place.path("outside/mark");
        // It fails, so that git does not wait for its reply.
        let script = format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display());
        let program = place.write("outside/program", script)?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        Ok(Self {
            place,
            program,
            mark,
        })
    }

    /// Replaces `{}` by the path of the program.
    fn fill(&self, text: &str) -> String {
        text.replace("{}", &self.program.to_string_lossy())
    }

    /// Writes the files and the configuration of a vector.
    fn set(&self, vector: &Vector) -> Result<()> {
        for (path, text) in vector.files {
            self.place
                .write(format!("project/{path}"), self.fill(text))?;
        }
        for (key, value) in vector.config {
            let hooks = self.place.path("outside/hooks");
            if *value == "HOOKS" {
                fs::create_dir_all(&hooks)?;
                for hook in HOOKS {
                    fs::copy(&self.program, hooks.join(hook))?;
                }
            }
            let value = self.fill(value).replace("HOOKS", &hooks.to_string_lossy());
            self.place.git(["config", "--add", key, &value])?;
        }
        // A change that leaves the size makes git look into the file.
        self.place.write("project/a", "two\n")?;
        Ok(())
    }

    /// Returns true if the program was run.
    fn is_sprung(&self) -> bool {
        self.mark.exists()
    }

    /// Runs the two commands that start git, and counts an attempt for each.
    fn check(&self, name: &str, outcome: &mut Outcome) -> Result<()> {
        for arguments in [&["render", "go @a"][..], &["prompt", "--layout", "classic"]] {
            let ran = self.place.run(arguments)?;
            let fault = ran.fault();
            let finding = self.is_sprung().then(|| "the program was run".to_owned());
            outcome.check(finding.or(fault).map(|it| format!("{name}: {it}")));
        }
        Ok(())
    }
}
