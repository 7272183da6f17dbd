//! The bytes that two clones of a project share.

use std::fs;
use std::path::{Path, PathBuf};

use aside_cache_split::{Layout, Reason};
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::EntryDraft;
use aside_messages::encode::BlockRef;
use aside_prompt_sections::{MemoryDirectory, OsKind, OutsideText};
use aside_session::{Git, Prepared, Session, SessionConfig};
use uuid::Uuid;

use crate::support::run;

/// A clone of the project on one developer's machine.
struct Clone {
    _directory: tempfile::TempDir,
    home: PathBuf,
    cwd: PathBuf,
    platform: OsKind,
}

fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

impl Clone {
    fn new(developer: &str, below_home: &str, platform: OsKind) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home").join(developer);
        let project = home.join(below_home);
        fs::create_dir_all(project.join(".git")).unwrap();
        write(project.join("CLAUDE.md"), "Use tabs.\n\n@docs/build.md\n");
        write(project.join("docs/build.md"), "Build with make.\n");
        write(project.join(".claude/rules/tests.md"), "Test first.\n");
        write(project.join("web/CLAUDE.md"), "Use spaces.\n");
        let own = format!("I am {developer}.\n");
        write(home.join(".claude/CLAUDE.md"), &own);
        write(project.join("CLAUDE.local.md"), &own);
        write(home.join("managed/CLAUDE.md"), "Be lawful.\n");
        Self { cwd: project.join("web"), _directory: directory, home, platform }
    }

    fn request(&self, layout: Layout) -> Prepared {
        let notes = self.home.join(".claude/projects/notes");
        let dirs = Dirs {
            config: Some(self.home.join(".claude")),
            managed: Some(self.home.join("managed")),
            home: Some(self.home.clone()),
        };
        let date = "2026-01-31".parse().unwrap();
        let memory = Loader::new(dirs);
        let mut config = SessionConfig {
            layout,
            git: Git::Skip,
            memory_directory: Some(MemoryDirectory {
                path: OutsideText::new(notes.to_string_lossy()),
            }),
            ..SessionConfig::new(self.cwd.clone(), self.platform.clone(), memory, date)
        };
        config.prompt.append = Some("Answer in one line.".to_owned());
        let mut session = run(Session::open(config));
        let mut conversation = session.begin(Uuid::nil());
        conversation.push(EntryDraft::human("Explain the build"));
        session.prepare(&conversation).unwrap()
    }
}

fn clones() -> [Clone; 2] {
    [Clone::new("mia", "shop", OsKind::Linux), Clone::new("noah", "src/jobs/shop-2", OsKind::MacOs)]
}

/// A request's bytes up to the end of its project layer, markers included.
fn project_layer(prepared: &Prepared) -> String {
    let body = String::from_utf8(prepared.body.to_vec()).unwrap();
    let mut markers = prepared.plan.markers.iter();
    let end = markers.find(|it| it.reason == Reason::ProjectEnd).unwrap();
    assert_eq!(end.marker.at, BlockRef::Message { message: 0, block: 0 });
    let messages = body.find(r#""messages":["#).unwrap();
    let marker = body[messages..].find(r#""cache_control""#).unwrap();
    body[..messages + marker].to_owned()
}

fn is_in(text: &str, path: &Path) -> bool {
    text.contains(&*path.to_string_lossy())
}

#[test]
fn two_clones_share_all_bytes_up_to_the_end_of_the_project_layer() {
    let clones = clones();
    let requests = clones.each_ref().map(|it| it.request(Layout::Layered));
    let [one, other] = requests.each_ref().map(project_layer);
    assert_eq!(one, other);
    for shared in [
        "Contents of managed/CLAUDE.md (",
        "Contents of CLAUDE.md (",
        "Contents of docs/build.md (",
        "Contents of .claude/rules/tests.md (",
        "Contents of web/CLAUDE.md (",
        "Answer in one line.",
    ] {
        assert!(one.contains(shared), "{shared}: {one}");
    }
    for clone in &clones {
        assert!(!is_in(&one, &clone.home));
    }
}

#[test]
fn bytes_of_a_user_or_machine_follow_the_project_layer() {
    let [clone, _] = clones();
    let prepared = clone.request(Layout::Layered);
    let shared = project_layer(&prepared);
    let body = String::from_utf8(prepared.body.to_vec()).unwrap();
    let after = &body[shared.len()..];
    let places = [
        "The files below are the instructions of the user",
        "Contents of ~/.claude/CLAUDE.md (",
        "Contents of CLAUDE.local.md (",
        r#""cache_control""#,
        "# currentDate",
        "# environment",
        "# memory",
        "Explain the build",
    ]
    .map(|text| after.rfind(text).unwrap_or_else(|| panic!("{text}: {after}")));
    let last_marker = places[3];
    assert!(places[..3].is_sorted() && places[4..].is_sorted(), "{places:?}");
    assert!(last_marker > places[6]);
    assert!(is_in(after, &clone.cwd));
    let user = prepared.plan.markers.iter().find(|it| it.reason == Reason::UserEnd);
    assert_eq!(user.unwrap().marker.at, BlockRef::Message { message: 0, block: 1 });
}

#[test]
fn the_classic_layout_keeps_full_paths_and_its_order() {
    let [clone, _] = clones();
    let prepared = clone.request(Layout::Classic);
    let request = prepared.request();
    let system = serde_json::to_string(&request.system).unwrap();
    let (environment, appended) = (system.find("# Environment"), system.find("Answer in one"));
    assert!(environment.is_some() && environment < appended);
    let first = serde_json::to_string(&request.messages[0]).unwrap();
    assert!(is_in(&first, &clone.home.join(".claude/CLAUDE.md")));
}

/// The goldens for one project, cloned by two users at two paths: the same
/// bytes up to the project layer's end, other bytes in the user's layer.
#[test]
fn the_goldens_of_two_clones_share_the_project_layer() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let [one, other] = ["private-instructions", "private-instructions-clone"].map(|name| {
        let body = fs::read_to_string(fixtures.join(name).join("request-1.json")).unwrap();
        // The static prompt explains reminders; the first one is in a message.
        let messages = body.find(r#""messages":["#).unwrap();
        let end = messages + body[messages..].find("</system-reminder>").unwrap();
        (body[..end].to_owned(), body[end..].to_owned())
    });
    assert_eq!(one.0, other.0);
    assert!(one.0.contains("Build with make."));
    assert!(one.1.contains("My port is 81.") && other.1.contains("I am Alex."));
}
