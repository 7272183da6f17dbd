//! `aside memory` the way you would use it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A project `p` and its user's home, in a directory to print as ROOT.
struct Tree {
    _directory: tempfile::TempDir,
    root: PathBuf,
}

impl Tree {
    /// Creates these files: pairs of path and text.
    fn new(files: &[(&str, &[u8])]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for path in ["p", "home/.claude", "managed"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { _directory: directory, root }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
        command
            .arg("memory")
            .args(arguments)
            .current_dir(self.root.join("p"))
            .env_clear()
            // The test directory's length would decide where lines are broken.
            .env("COLUMNS", "200")
            .env("HOME", self.root.join("home"))
            .env("ASIDE_MANAGED_DIR", self.root.join("managed"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Returns stdout, and checks that stderr is empty.
    #[track_caller]
    fn printed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), reported.as_str()), (Some(0), ""));
        let printed = String::from_utf8(output.stdout).unwrap();
        printed.replace(self.root.to_str().unwrap(), "ROOT")
    }
}

/// A tree with every kind of output.
fn whole() -> Tree {
    Tree::new(&[
        ("managed/CLAUDE.md", b"Be lawful.\n"),
        (
            "managed/managed-settings.json",
            br#"{"claudeMd":"Be kind.","claudeMdExcludes":["**/old.md"]}"#,
        ),
        ("home/.claude/CLAUDE.md", b"See @more.md.\n"),
        ("home/.claude/more.md", b"---\na: b\n---\nMore.\n"),
        ("home/.claude/settings.json", br#"{"autoMemoryDirectory":"~/notes"}"#),
        ("home/notes/MEMORY.md", b"Noted.\n"),
        ("p/CLAUDE.md", b"@docs/a.md @../secret.md @gone.md\n"),
        ("p/docs/a.md", b"A @b.md\n"),
        ("p/docs/b.md", b"B\n"),
        ("secret.md", b"secret\n"),
        ("p/.claude/settings.json", br#"{"env":{"ASIDE_SIMPLE":"1"}}"#),
        ("p/.claude/rules/always.md", b"Always.\n"),
        ("p/.claude/rules/old.md", b"Old.\n"),
        ("p/.claude/rules/rust.md", b"---\npaths:\n- src/**/*.rs\n- '{a'\n---\nRust.\n"),
        ("p/CLAUDE.local.md", b"\xff"),
        ("p/src/CLAUDE.md", b"Src @../docs/b.md @c.md\n"),
        ("p/src/c.md", b"C\n"),
    ])
}

#[test]
fn for_people() {
    insta::assert_snapshot!(whole().printed(&["--touch", "src/main.rs", "--touch", "docs/a.md"]));
}

#[test]
fn for_machines() {
    let printed = whole().printed(&["--json", "--touch", "src/main.rs"]);
    // Directories above the temporary one depend on the machine.
    let lines: Vec<_> = printed.lines().filter(|line| !line.starts_with("    \"/")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn an_empty_directory_has_no_instruction_files() {
    let tree = Tree::new(&[]);
    let printed = tree.printed(&[]);
    assert!(printed.starts_with("Searched\n├─ ROOT/managed\n├─ ROOT/home/.claude\n"), "{printed}");
    assert!(printed.ends_with("└─ ROOT/p\n\n0 files, 0 bytes, ~0 tokens\n"), "{printed}");
    let other = tree.printed(&["--as", "codex"]);
    let none = "\n\n0 files, 0 bytes, ~0 tokens\n";
    assert_eq!(other, format!("Searched\n├─ ROOT/home/.codex\n└─ ROOT/p{none}"));
    let printed: serde_json::Value = serde_json::from_str(&tree.printed(&["--json"])).unwrap();
    for list in ["files", "skipped", "not_loaded", "diagnostics"] {
        assert_eq!(printed[list], serde_json::json!([]), "{list}");
    }
    let searched = printed["searched"].as_array().unwrap();
    assert_eq!(searched.last().unwrap(), "ROOT/p");
}

#[test]
fn other_agents_load_other_files() {
    let tree = Tree::new(&[
        ("p/.git/HEAD", b"ref: refs/heads/main\n"),
        ("p/CLAUDE.md", b"<!-- c -->\nClaude\n"),
        ("p/AGENTS.md", b"Agents\n"),
        ("p/GEMINI.md", b"Gemini\n"),
        ("p/.cursor/rules/a.mdc", b"---\ndescription: d\n---\nAsked\n"),
        ("p/.github/copilot-instructions.md", b"Copilot\n"),
        ("p/.github/instructions/ts.instructions.md", b"---\napplyTo: '**/*.ts'\n---\nTypes\n"),
        ("p/sub/AGENTS.md", b"Below\n"),
    ]);
    let loaded = tree.printed(&["--as", "codex"]);
    assert!(loaded.contains("└─ AGENTS.md  project, session_start"), "{loaded}");
    assert!(loaded.contains("─ CLAUDE.md  Codex does not read it"), "{loaded}");
    let printed: serde_json::Value =
        serde_json::from_str(&tree.printed(&["--as", "all", "--json"])).unwrap();
    assert_eq!(printed["agents"][0]["name"], "claude");
    assert_eq!(printed["files"].as_array().unwrap().len(), 7);
    let output = tree.run(&["--as", "gemni"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("did you mean gemini?"), "{error}");
}

#[test]
fn auto_memory_is_switched_off_by_a_variable() {
    let tree = whole();
    let mut command = tree.command(&[]);
    let output = command.env("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1").output();
    let printed = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(printed.contains("MEMORY.md  switched off: auto memory is off"), "{printed}");
}

#[test]
fn one_file_is_explained() {
    let tree = whole();
    let check = |path: &str, expected: &str| {
        assert_eq!(tree.printed(&["why", path]), format!("{path}: {expected}\n"));
    };
    check("CLAUDE.md", "loaded: session_start");
    check("docs/b.md", "loaded: include, imported by ROOT/p/docs/a.md");
    check(
        ".claude/rules/old.md",
        "not loaded: excluded by **/old.md in ROOT/managed/managed-settings.json",
    );
    check("gone", "not loaded: there is no such file");
    assert_eq!(
        tree.printed(&["why", "src/CLAUDE.md", "--json"]),
        "{\n  \"path\": \"src/CLAUDE.md\",\n  \"loaded\": false,\n  \
         \"answer\": \"not loaded: loads when a file in its directory is read\"\n}\n"
    );
}

#[test]
fn one_file_is_explained_for_another_agent() {
    let tree = Tree::new(&[("p/.git/HEAD", b"h"), ("p/CLAUDE.md", b"C"), ("p/AGENTS.md", b"A")]);
    for option in ["--as", "--instructions"] {
        let why = |agent, path| tree.printed(&["why", path, option, agent]);
        assert_eq!(why("codex", "AGENTS.md"), "AGENTS.md: loaded: session_start\n");
        let not_read = "CLAUDE.md: not loaded: Codex does not read it\n";
        assert_eq!(why("codex", "CLAUDE.md"), not_read);
        assert_eq!(why("claude", "CLAUDE.md"), "CLAUDE.md: loaded: session_start\n");
    }
    let refused = |arguments: &[&str], expected: &str| {
        let output = tree.run(&[&["why", "AGENTS.md"], arguments].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected), "{error}");
    };
    refused(&["--as", "codx"], "did you mean codex?");
    refused(&["--as", "codex", "--instructions", "codex"], "cannot be used with");
}

#[test]
fn texts_are_shown_as_the_model_gets_them() {
    let tree = Tree::new(&[
        (
            "p/CLAUDE.md",
            b"<!-- no -->\nUse tabs @docs/a.md\n# currentDate\n<system-reminder>\n\x1b[2J\n::error::",
        ),
        ("p/docs/a.md", b"A.\n"),
        ("p/src/CLAUDE.md", b"No panics.\r\nNo loops.\r\n"),
    ]);
    assert_eq!(
        tree.printed(&["--show", "--touch", "src/a.rs"]),
        "Contents of CLAUDE.md (project instructions, checked into the codebase):\n\n\
         Use tabs @docs/a.md\n # currentDate\n&lt;system-reminder>\n\\u{1b}[2J\n\\u{3a}:error::\n\n\
         Contents of docs/a.md (project instructions, checked into the codebase):\n\nA.\n\n\
         Contents of ROOT/p/src/CLAUDE.md:\n\nNo panics.\r\nNo loops.\n"
    );
}

#[test]
fn a_directory_is_not_read() {
    let tree = Tree::new(&[
        ("p/sub/CLAUDE.md", b"Sub."),
        ("p/.claude/rules/sub.md", b"---\npaths: sub/**\n---\nRule."),
    ]);
    let printed = |touched| -> serde_json::Value {
        serde_json::from_str(&tree.printed(&["--json", "--touch", touched])).unwrap()
    };
    let directory = printed("sub");
    assert_eq!(directory["files"].as_array().unwrap().len(), 0, "{directory}");
    assert_eq!(directory["diagnostics"][0]["code"], "directory-not-read");
    let file = printed("sub/f");
    assert_eq!(file["files"].as_array().unwrap().len(), 2, "{file}");
    assert_eq!(file["diagnostics"].as_array().unwrap().len(), 0, "{file}");
}

/// A switch that leaves out the notes or the managed text does not hide them.
#[test]
fn what_a_switch_leaves_out_is_listed() {
    let tree = whole();
    let (text, notes) = ("managed-settings.json#claudeMd", "../home/notes/MEMORY.md");
    for (arguments, variables, text_answer, notes_answer) in [
        (&[][..], &[][..], "loaded: session_start", "loaded: session_start"),
        (
            &[],
            &[("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")],
            "loaded: session_start",
            "not loaded: switched off: auto memory is off",
        ),
        (
            &["--bare"],
            &[],
            "not loaded: switched off: only additional directories are read",
            "not loaded: switched off: only additional directories are read",
        ),
    ] {
        for (path, answer) in [(text, text_answer), (notes, notes_answer)] {
            let mut command = tree.command(&[&["why", path], arguments].concat());
            let output = command.envs(variables.iter().copied()).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            assert_eq!(printed, format!("{path}: {answer}\n"), "{arguments:?} {variables:?}");
        }
    }
    let bare = tree.printed(&["--bare"]);
    assert!(bare.contains("managed-settings.json#claudeMd  switched off"), "{bare}");
    assert!(bare.contains("notes/MEMORY.md  switched off"), "{bare}");
}

#[test]
fn sizes_are_those_of_the_texts_that_the_model_gets() {
    for (text, bytes) in [("Use tabs.\n", 9), ("# currentDate\n<system-reminder>", 14 + 1 + 20)] {
        let tree = Tree::new(&[("p/CLAUDE.md", text.as_bytes())]);
        let printed: serde_json::Value = serde_json::from_str(&tree.printed(&["--json"])).unwrap();
        assert_eq!(printed["files"][0]["bytes"], bytes, "{text}");
        assert!(tree.printed(&[]).contains(&format!("1 file, {bytes} bytes, ")), "{text}");
    }
}

#[test]
fn the_arguments_of_a_session_are_applied() {
    let tree = whole();
    let kinds = |arguments: &[&str]| {
        let printed = tree.printed(&[&["--json"], arguments].concat());
        let parsed: serde_json::Value = serde_json::from_str(&printed).unwrap();
        let files = parsed["files"].as_array().unwrap().iter();
        let kinds = files.map(|file| file["kind"].as_str().unwrap().to_owned());
        kinds.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        kinds(&["--allow-external-imports"]),
        "managed managed project project project project project user user auto_memory"
    );
    assert_eq!(kinds(&["--setting-sources", "local"]), "managed managed");
    // The same for files that load on a touch.
    let touched = ["--setting-sources", "user", "--touch", "src/main.rs"];
    assert_eq!(kinds(&touched), "managed managed user user auto_memory");
    assert_eq!(kinds(&["--bare"]), "");
    assert_eq!(kinds(&["--bare", "--add-dir", "src"]), "project project project");
}

#[test]
fn output_to_a_pipe_has_no_colour() {
    let tree = whole();
    let mut command = tree.command(&[]);
    let output = command.env("TERM", "xterm-256color").output().unwrap();
    assert!(!output.stdout.contains(&b'\x1b'));
}

#[cfg(target_os = "linux")]
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn output_to_a_terminal_has_colour() {
    let tree = whole();
    // `script` runs a command on a pseudo-terminal.
    let on_terminal = |variables: &[(&str, &str)]| {
        let program = env!("CARGO_BIN_EXE_aside");
        let mut command = Command::new("script");
        command
            .args(["--quiet", "--return", "--command"])
            .arg(format!("{program} memory"))
            .arg("/dev/null")
            .current_dir(tree.root.join("p"))
            .env("HOME", tree.root.join("home"))
            .env("ASIDE_MANAGED_DIR", tree.root.join("managed"))
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .envs(variables.iter().copied())
            .stdin(Stdio::null());
        command.output().map(|output| output.stdout)
    };
    let Ok(coloured) = on_terminal(&[]) else {
        eprintln!("skipped: no script(1) here");
        return;
    };
    assert!(coloured.windows(4).any(|window| window == b"\x1b[1m"), "{coloured:?}");
    let plain = on_terminal(&[("NO_COLOR", "1")]).unwrap();
    assert!(!plain.contains(&b'\x1b') && plain.starts_with(b"Loaded in "));
}

#[cfg(unix)]
#[test]
fn names_cannot_steer_the_terminal() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let tree = Tree::new(&[]);
    let name = OsStr::from_bytes(b"a\x1b[31m\xff\n\xe2\x80\xae.md");
    let rules = tree.root.join("p/.claude/rules");
    fs::create_dir_all(&rules).unwrap();
    fs::write(rules.join(name), "---\npaths: \"\\e[0m\\u202e{\"\n---\nx").unwrap();
    fs::write(tree.root.join("p/CLAUDE.md"), "@./\u{9b}31m\u{202e}.md").unwrap();
    for arguments in [&["--touch", "a\x1bb"][..], &["--json"]] {
        let printed = tree.printed(arguments);
        let steers = |c: char| c == '\x1b' || (arguments != ["--json"] && c == '\u{202e}');
        assert!(!printed.contains(steers), "{printed:?}");
    }
    let printed = tree.printed(&[]);
    assert!(printed.contains("\\u{9b}31m\\u{202e}.md"), "{printed}");
    assert_eq!(printed.lines().count(), 11, "{printed}");
}

#[test]
fn settings_with_a_fault_are_reported() {
    let tree = Tree::new(&[("p/.claude/settings.json", b"{")]);
    let printed = tree.printed(&["--json"]);
    assert!(printed.contains("\"message\": \"EOF while"), "{printed}");
    assert!(tree.printed(&[]).contains("settings.json:1:1: EOF while"));
}

/// In the layered layout, what all users share comes before the user's own.
#[test]
fn files_are_in_the_order_of_the_request() {
    let tree = Tree::new(&[
        ("home/.claude/CLAUDE.md", b"Own @more.md"),
        ("home/.claude/more.md", b"More"),
        ("p/CLAUDE.md", b"Shared"),
        ("p/CLAUDE.local.md", b"Local"),
    ]);
    let order = |arguments: &[&str]| {
        let printed = tree.printed(arguments);
        let names = ["Own", "More", "Shared", "Local"];
        let mut found: Vec<_> =
            names.iter().filter_map(|name| Some((printed.find(name)?, *name))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
    };
    assert_eq!(order(&["--show"]), ["Shared", "Own", "More", "Local"]);
    let classic = order(&["--show", "--profile", "documents"]);
    assert_eq!(classic[..3], ["Own", "More", "Shared"]);
    let blocks = |arguments: &[&str]| tree.printed(arguments).matches(" block").count();
    assert_eq!((blocks(&[]), blocks(&["--profile", "documents"])), (4, 0));
}

#[test]
fn a_file_as_the_directory_is_a_usage_error() {
    let output = Tree::new(&[]).run(&["--cwd", "nowhere"]);
    assert_eq!(output.status.code(), Some(2));
    let reported = String::from_utf8(output.stderr).unwrap();
    assert!(reported.contains("failed to use nowhere as the working directory"), "{reported}");
}

/// Lists a text's imports, reading it from a file and from stdin.
#[track_caller]
fn check_imports(text: &str, expected: &str) {
    let tree = Tree::new(&[("p/text.md", text.as_bytes()), ("p/exists", b"")]);
    let file = tree.printed(&["imports", "text.md"]);
    let mut child = tree
        .command(&["imports", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let stdin = child.wait_with_output().unwrap().stdout;
    assert_eq!(file.as_bytes(), stdin);
    assert_eq!(file, expected);
}

#[test]
fn imports_of_a_text() {
    check_imports(
        "---\na: '@no.md'\n---\n@a.md and @exists, `@no.md` a@no.md @org/package\n@~/b\\ c.md#d.\n",
        "4: a.md\n4: exists\n5: ~/b c.md\n",
    );
    check_imports("@./a\u{1b}[31m.md", "1: ./a\\u{1b}[31m.md\n");
    check_imports("", "no imports\n");
}

#[test]
fn imports_with_punctuation_that_is_part_of_the_name() {
    let text = b"@docs/x. a\n@docs/z) c\n@docs/y.) d\n@docs/w.md. e\n@docs/x.). f\n";
    let files = ["p/docs/x.", "p/docs/z)", "p/docs/y", "p/docs/w.md"];
    let mut tree: Vec<(&str, &[u8])> = files.map(|file| (file, &b""[..])).to_vec();
    tree.push(("p/text.md", text));
    let printed = Tree::new(&tree).printed(&["imports", "text.md"]);
    assert_eq!(printed, "1: docs/x.\n2: docs/z)\n3: docs/y\n4: docs/w.md\n5: docs/x.\n");
}

#[test]
fn stdin_is_a_file_of_the_sessions_directory() {
    let tree = Tree::new(&[("p/docs/there", b"x"), ("p/text.md", b"@there @a.md")]);
    let imports = |arguments: &[&str], file: &str| {
        let mut command = tree.command(&["imports"]);
        let stdin = fs::File::open(tree.root.join("p/text.md")).unwrap();
        let output = command.args(arguments).arg(file).stdin(stdin).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(imports(&[], "-"), "1: a.md\n");
    assert_eq!(imports(&["--cwd", "docs"], "-"), "1: there\n1: a.md\n");
    assert_eq!(imports(&["--cwd", "docs"], "text.md"), "1: a.md\n");
}

#[test]
fn imports_for_machines() {
    let tree = Tree::new(&[("p/docs/a.md", b"@b.md @../c @./\"d")]);
    insta::assert_snapshot!(tree.printed(&["imports", "docs/a.md", "--json"]), @r#"
    {
      "imports": [
        "b.md",
        "../c",
        "./\"d"
      ]
    }
    "#);
    let empty = Tree::new(&[("p/a.md", b"")]).printed(&["imports", "a.md", "--json"]);
    assert_eq!(empty, "{\n  \"imports\": []\n}\n");
}

#[test]
fn imports_of_a_binary_file_are_refused() {
    let tree = Tree::new(&[("p/a.md", b"\xff")]);
    let long = fs::File::create(tree.root.join("p/long.md")).unwrap();
    (&long).write_all(b"a").unwrap();
    long.set_len(4 * 1024 * 1024 + 1).unwrap();
    let check = |file: &str, expected: &str| {
        let output = tree.run(&["imports", file]);
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{reported}");
        assert!(reported.contains(expected), "{reported}");
    };
    check("a.md", "failed to read a.md: not UTF-8");
    check("nowhere.md", "failed to read nowhere.md: no such file");
    check("long.md", "failed to read long.md: more than 4 MiB");
    assert!(Path::new("/dev/zero").exists());
    check("/dev/zero", "failed to read /dev/zero: a device, not a file");
}
