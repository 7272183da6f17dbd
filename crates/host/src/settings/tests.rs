use super::*;
use crate::kinds::KEY_OUT_OF_PLACE;

/// The text of each settings file that exists.
#[derive(Default)]
struct Tree {
    user: &'static str,
    project: &'static str,
    local: &'static str,
    managed: &'static str,
    command_line: Option<&'static str>,
    sources: Sources,
}

#[test]
fn a_project_can_only_shorten_lifetimes_of_conversations() {
    let long =
        r#"{"promptCacheTtl":"1h","cache":{"prefix":"1h"},"promptCacheTtlAllowlist":["sdk"]}"#;
    let users = Tree {
        user: long,
        project: r#"{"promptCacheTtl":"5m","cache":{"prefix":"5m"}}"#,
        ..Tree::default()
    };
    let expected = Settings {
        prompt_cache_ttl: Some("5m".to_owned()),
        prompt_cache_ttl_allowlist: vec!["sdk".to_owned()],
        cache_prefix: Some("5m".to_owned()),
        ..Settings::default()
    };
    users.check(&expected, &[]);
    let project = Tree { project: long, ..Tree::default() };
    let (settings, diagnostics) = project.read();
    assert_eq!(settings.prompt_cache_ttl, None);
    assert_eq!(settings.cache_prefix.as_deref(), Some("1h"));
    let notes = diagnostics.iter().filter(|it| it.contains("cache.prefix is 1h"));
    assert_eq!(notes.count(), 1, "{diagnostics:?}");
    let refused = |key: &str| {
        diagnostics.iter().filter(|it| it.contains(&format!("{key} is left out"))).count()
    };
    for key in ["promptCacheTtl", "promptCacheTtlAllowlist"] {
        assert_eq!(refused(key), 1, "{key}: {diagnostics:?}");
    }
}

impl Tree {
    /// Returns the settings and the diagnostics, with DIR for the directory.
    fn read(&self) -> (Settings, Vec<String>) {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for (name, text) in [
            ("home/.claude/settings.json", self.user),
            ("p/.claude/settings.json", self.project),
            ("p/.claude/settings.local.json", self.local),
            ("managed/managed-settings.json", self.managed),
        ] {
            fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            if !text.is_empty() {
                fs::write(path(name), text).unwrap();
            }
        }
        let places = Places {
            config: Some(path("home/.claude")),
            cwd: path("p"),
            command_line: self.command_line.map(str::to_owned),
            managed: Some(path("managed")),
            sources: self.sources,
            fence: Fence::around([path("p")]),
        };
        let mut diagnostics = Vec::new();
        let settings = Settings::read(&places, &mut diagnostics).unwrap();
        let prefix = format!("{}/", directory.path().display());
        let diagnostics = diagnostics.iter().map(|it| it.to_string().replace(&prefix, ""));
        (settings, diagnostics.collect())
    }

    #[track_caller]
    fn check(&self, expected: &Settings, diagnostics: &[&str]) {
        let (settings, reported) = self.read();
        // The places depend on the test's directory.
        let places = SettingPlaces::default();
        let read = (Settings { places, ..settings }, reported);
        assert_eq!(
            (&read.0, read.1.as_slice()),
            (expected, &*diagnostics.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
        );
    }
}

#[test]
fn a_misspelled_key_is_a_warning() {
    let tree = Tree {
        project: r#"{"langauge":"French","language":"Greek","theme":"dark"}"#,
        ..Tree::default()
    };
    let expected = Settings { language: Some("Greek".to_owned()), ..Settings::default() };
    tree.check(
        &expected,
        &["warning: p/.claude/settings.json: unknown key langauge: did you mean language?"],
    );
}

#[test]
fn every_key_of_every_layer_in_order() {
    const PLAIN: &str = r#"{
        "claudeMdExcludes": ["NAME"], "includeGitInstructions": true, "autoMemoryEnabled": true,
        "outputStyle": "NAME", "language": "NAME", "permissions": {"allow": ["x"]}
    }"#;
    // Each layer alone, and over those below it.
    let text = |name: &str| -> &'static str { PLAIN.replace("NAME", name).leak() };
    let mut tree = Tree::default();
    let mut excludes = Vec::new();
    for name in ["user", "project", "local", "flag", "managed"] {
        match name {
            "user" => tree.user = text(name),
            "project" => tree.project = text(name),
            "local" => tree.local = text(name),
            "flag" => tree.command_line = Some(text(name)),
            _ => tree.managed = text(name),
        }
        excludes.push(name.to_owned());
        tree.check(
            &Settings {
                claude_md_excludes: excludes.clone(),
                include_git_instructions: Some(true),
                auto_memory_enabled: Some(true),
                output_style: Some(name.to_owned()),
                language: Some(name.to_owned()),
                ..Settings::default()
            },
            &[],
        );
    }
}

#[test]
fn a_switch_is_turned_off_again() {
    Tree {
        user: r#"{"includeGitInstructions":true,"autoMemoryEnabled":true}"#,
        local: r#"{"includeGitInstructions":false,"autoMemoryEnabled":null}"#,
        ..Tree::default()
    }
    .check(
        &Settings {
            include_git_instructions: Some(false),
            auto_memory_enabled: Some(true),
            ..Settings::default()
        },
        &[],
    );
}

#[test]
fn a_project_cannot_set_restricted_keys() {
    const ALL: &str = r#"{"claudeMd":"c","autoMemoryDirectory":"/m","env":{"A":"1"}}"#;
    const NOT_OF_PROJECT: &str =
        "it counts in the settings of the user, the administrator and the command line only";
    const OF_ADMINISTRATOR: &str = "it counts in the settings of the administrator only";
    for (tree, from) in [
        (Tree { project: ALL, ..Tree::default() }, "p/.claude/settings.json"),
        (Tree { local: ALL, ..Tree::default() }, "p/.claude/settings.local.json"),
    ] {
        tree.check(
            &Settings::default(),
            &[
                &format!("warning: {from}: claudeMd is left out: {OF_ADMINISTRATOR}"),
                &format!("warning: {from}: autoMemoryDirectory is left out: {NOT_OF_PROJECT}"),
                &format!("warning: {from}: env is left out: {NOT_OF_PROJECT}"),
            ],
        );
    }
    let allowed = Settings {
        auto_memory_directory: Some("/m".into()),
        env: [("A".to_owned(), "1".to_owned())].into(),
        ..Settings::default()
    };
    for (tree, from) in [
        (Tree { user: ALL, ..Tree::default() }, "home/.claude/settings.json"),
        (Tree { command_line: Some(ALL), ..Tree::default() }, "command line"),
    ] {
        let diagnostics = format!("warning: {from}: claudeMd is left out: {OF_ADMINISTRATOR}");
        tree.check(&allowed, &[&diagnostics]);
    }
    Tree { managed: ALL, ..Tree::default() }
        .check(&Settings { claude_md: Some("c".into()), ..allowed }, &[]);
}

#[test]
fn variables_are_overridden_one_by_one() {
    let (settings, diagnostics) = Tree {
        user: r#"{"env":{"A":"user","B":1,"C":true,"D":0.5}}"#,
        managed: r#"{"env":{"A":"managed"}}"#,
        ..Tree::default()
    }
    .read();
    assert!(diagnostics.is_empty());
    let variables: Vec<_> = settings.env.iter().map(|(k, v)| format!("{k}={v}")).collect();
    assert_eq!(variables, ["A=managed", "B=1", "C=true", "D=0.5"]);
}

#[test]
fn a_broken_file_is_reported_and_left_out() {
    Tree {
        user: "{\n  \"claudeMdExcludes\": 7\n}",
        project: r#"{"includeGitInstructions":false}"#,
        local: r#"{"env":{"KEY":["secret"]}}"#,
        managed: "{",
        ..Tree::default()
    }
    .check(
        &Settings {
            include_git_instructions: Some(false),
            ..Settings::default()
        },
        &[
            "error: home/.claude/settings.json:2:23: claudeMdExcludes: expected a list, found 7; the file is left out",
            "error: p/.claude/settings.local.json:1:15: env.KEY: expected a string, a number or a switch, found a list; the file is left out",
            "error: managed/managed-settings.json:1:1: EOF while parsing an object; the file is left out",
        ],
    );
}

#[test]
fn layers_are_left_out_one_by_one() {
    let check = |[user, project, local]: [bool; 3], expected: &[&str]| {
        let (settings, diagnostics) = Tree {
            user: r#"{"claudeMdExcludes":["user"]}"#,
            project: r#"{"claudeMdExcludes":["project"]}"#,
            local: r#"{"claudeMdExcludes":["local"]}"#,
            command_line: Some(r#" {"claudeMdExcludes":["flag"]}"#),
            managed: r#"{"claudeMdExcludes":["managed"]}"#,
            sources: Sources { user, project, local },
        }
        .read();
        assert!(diagnostics.is_empty());
        assert_eq!(settings.claude_md_excludes, expected);
    };
    check([true; 3], &["user", "project", "local", "flag", "managed"]);
    check([true, false, false], &["user", "flag", "managed"]);
    check([false, true, true], &["project", "local", "flag", "managed"]);
    check([false; 3], &["flag", "managed"]);
}

#[test]
fn in_the_home_directory_the_projects_settings_are_the_users() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".claude");
    fs::create_dir(&config).unwrap();
    fs::write(config.join("settings.json"), r#"{"env":{"A":"1"}}"#).unwrap();
    let mut diagnostics = Vec::new();
    let places = |sources| Places {
        config: Some(config.clone()),
        cwd: home.path().join("."),
        sources,
        ..Places::default()
    };
    let settings = Settings::read(&places(Sources::default()), &mut diagnostics).unwrap();
    assert_eq!((settings.env.len(), diagnostics.len()), (1, 0));
    // They are read when requested as the project's.
    let project = Sources { user: false, ..Sources::default() };
    let settings = Settings::read(&places(project), &mut diagnostics).unwrap();
    assert_eq!((settings.env.len(), diagnostics.len()), (0, 1));
}

#[test]
fn the_command_line_gives_a_file_or_json() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.json");
    fs::write(&path, r#"{"language":"Deutsch"}"#).unwrap();
    let read = |given: &str| {
        let places = Places {
            command_line: Some(given.replace("FILE", path.to_str().unwrap())),
            ..Places::default()
        };
        Settings::read(&places, &mut Vec::new())
            .map(|settings| settings.language)
            .map_err(|error| error.to_string())
    };
    assert_eq!(read("FILE"), Ok(Some("Deutsch".to_owned())));
    assert_eq!(read(r#"{"language":"Dansk"}"#), Ok(Some("Dansk".to_owned())));
    assert_eq!(read("/nowhere"), Err("/nowhere: no such file".to_owned()));
    let fault = "settings of the command line:1:2: expected an object, found a list".to_owned();
    assert_eq!(read("[]"), Err(fault));
    let fault = "settings of the command line:1:2: expected an object, found a list".to_owned();
    assert_eq!(read(" ["), Err(fault));
    let fault = "settings of the command line:1:13: language: expected value".to_owned();
    assert_eq!(read(r#"{"language":}"#), Err(fault));
}

#[test]
fn a_setting_has_the_place_of_its_file() {
    let (settings, _) = Tree {
        user: r#"{"outputStyle":"a","language":"Dansk","claudeMdExcludes":["["],"env":{"A":"1"}}"#,
        local: r#"{"outputStyle":"b","claudeMdExcludes":["x"]}"#,
        command_line: Some(r#"{"env":{"B":"1"}}"#),
        ..Tree::default()
    }
    .read();
    let places = &settings.places;
    let key = |key| places.report(KEY_OUT_OF_PLACE, key, "x").to_string();
    let variable = |name| places.report_variable(KEY_OUT_OF_PLACE, name, "x").to_string();
    let ends = |diagnostics: String, expected: &str| {
        assert!(diagnostics.ends_with(expected), "{diagnostics}");
    };
    ends(key("outputStyle"), "/p/.claude/settings.local.json: x");
    ends(key("language"), "/home/.claude/settings.json: x");
    assert_eq!(key("claudeMd"), "warning: x");
    ends(variable("A"), "/home/.claude/settings.json: x");
    assert_eq!(variable("B"), "warning: command line: x");
    let mut excludes = places.excludes();
    assert!(excludes.all(|(exclude, place)| match exclude {
        "[" => place.ends_with("/home/.claude/settings.json"),
        _ => place.ends_with("/p/.claude/settings.local.json"),
    }));
}

/// A link in a repository could lead to any file of the user, whose text a
/// diagnostic may quote.
#[cfg(unix)]
#[test]
fn settings_of_a_project_are_not_links_that_leave_it() {
    use std::os::unix::fs::symlink;

    const LANGUAGE: &str = r#"{"language":"Latin"}"#;
    for (link, target) in [
        ("p/.claude/settings.json", "out/settings.json"),
        ("p/.claude/settings.local.json", "out/settings.json"),
        ("p/.claude", "out"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        let path = |name: &str| root.join(name);
        for dir in ["out", path(link).parent().unwrap().to_str().unwrap()] {
            fs::create_dir_all(path(dir)).unwrap();
        }
        fs::write(path(target).join("settings.json"), LANGUAGE)
            .or_else(|_| fs::write(path(target), LANGUAGE))
            .unwrap();
        symlink(path(target), path(link)).unwrap();
        let read = |fence: Fence| {
            let places = Places { cwd: path("p"), fence, ..Places::default() };
            let mut diagnostics = Vec::new();
            let settings = Settings::read(&places, &mut diagnostics).unwrap();
            (settings.language, diagnostics)
        };
        let fence = || Fence::around([path("p")]);
        let (language, diagnostics) = read(fence());
        assert_eq!((language, diagnostics.len()), (None, 1), "{link}");
        let expected = format!(
            "outside the project and not approved: {}; the file is left out",
            path("out/settings.json").display()
        );
        assert!(diagnostics[0].message.ends_with(&expected), "{diagnostics:?}");
        assert!(diagnostics[0].path().unwrap().starts_with(path("p")), "{diagnostics:?}");
        let latin = (Some("Latin".to_owned()), Vec::new());
        assert_eq!(read(fence().approve_everything()), latin);
        assert_eq!(read(fence().with_dir(&path("out"))), latin);
    }
}
