//! Links checked into a repository that lead out of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aside_reminder::{Loaded, ReminderLoader, Severity, load_path};
use aside_user_files::open::Fence;
use rustix::fs::{CWD, RenameFlags, renameat_with};

/// A project `p`, and next to it a directory `out` with a reminder.
struct World {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl World {
    fn new(link: &str, target: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        let world = Self { _dir: dir, root };
        for path in ["out/secret.md", "out/reminders/secret.md", "p/in/secret.md"] {
            fs::create_dir_all(world.at(path).parent().unwrap()).unwrap();
            fs::write(world.at(path), "secret").unwrap();
        }
        fs::create_dir_all(world.at(link).parent().unwrap()).unwrap();
        symlink(world.at(target), world.at(link)).unwrap();
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn load(&self, fence: Fence) -> Loaded {
        let loader = ReminderLoader {
            home: Some(self.at("home")),
            project: Some(self.at("p")),
            fence,
            ..ReminderLoader::default()
        };
        loader.load()
    }
}

/// Each place in a project that can be a link: the link, what it leads to, and
/// both as they are reported.
const CASES: [[&str; 4]; 6] = [
    ["p/.aside/reminders/a.md", "out/secret.md", "p/.aside/reminders/a.md", "out/secret.md"],
    ["p/.aside/reminders", "out/reminders", "p/.aside/reminders", "out/reminders"],
    ["p/.aside", "out", "p/.aside/reminders", "out/reminders"],
    ["p/.claude/reminders", "out/reminders", "p/.claude/reminders", "out/reminders"],
    ["p/.agents", "out", "p/.agents/reminders", "out/reminders"],
    ["p/.bitcode", "out", "p/.bitcode/reminders", "out/reminders"],
];

/// A link in a project could lead to any file of the user, and everything that
/// ends in `.md` would become a reminder.
#[test]
fn no_link_leads_out_of_the_project() {
    for [link, target, path, resolved] in CASES {
        let world = World::new(link, target);
        let loaded = world.load(Fence::default());
        assert_eq!(loaded.reminders, [], "{link}");
        let [diagnostic] = &loaded.diagnostics[..] else {
            panic!("{link}: {:?}", loaded.diagnostics);
        };
        assert_eq!(diagnostic.severity, Severity::Error);
        assert_eq!(diagnostic.path().unwrap(), world.at(path));
        assert_eq!(
            diagnostic.message,
            format!("outside the project and not approved: {}", world.at(resolved).display())
        );
    }
}

#[test]
fn approved_links_are_loaded() {
    for [link, target, ..] in CASES {
        let world = World::new(link, target);
        for fence in [
            Fence::default().approve_everything(),
            Fence::default().approve([world.at("out")]),
            Fence::around([world.at("out")]),
            Fence::around([world.root.clone()]),
        ] {
            let loaded = world.load(fence);
            assert_eq!(loaded.reminders.len(), 1, "{link}");
            assert_eq!(loaded.diagnostics, []);
        }
    }
}

#[test]
fn links_inside_are_followed_and_those_of_the_user_everywhere() {
    for (link, target) in [
        ("p/.aside/reminders/a.md", "p/in/secret.md"),
        ("p/.aside/reminders", "p/in"),
        ("home/.aside/reminders/a.md", "out/secret.md"),
        ("home/.aside/reminders", "out/reminders"),
        ("home/.aside", "out"),
    ] {
        let loaded = World::new(link, target).load(Fence::default());
        assert_eq!(loaded.reminders.len(), 1, "{link}");
        assert_eq!(loaded.diagnostics, []);
    }
    // So are those that the user names.
    let world = World::new("p/link.md", "out/secret.md");
    assert_eq!(load_path(&world.at("p/link.md")).reminders.len(), 1);
}

/// While a reminder directory is loaded, it is exchanged for a link to
/// elsewhere, again and again. An implementation that lists it and opens the
/// files by path loads the secret within a few hundred rounds.
#[test]
fn an_exchanged_directory_never_leads_outside() {
    let world = World::new("p/link", "out/reminders");
    let write = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(&world.at("p/.aside/reminders/secret.md"), "inside");
    let (dir, link) = (world.at("p/.aside/reminders"), world.at("p/link"));
    let stop = AtomicBool::new(false);
    let (mut inside, mut leaked, mut rounds) = (0, 0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let start = Instant::now();
        while leaked == 0
            && (rounds < 2_000 || (inside == 0 && start.elapsed() < Duration::from_secs(60)))
        {
            for reminder in world.load(Fence::default()).reminders {
                match reminder.content.as_str() {
                    "inside" => inside += 1,
                    _ => leaked += 1,
                }
            }
            rounds += 1;
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(leaked, 0);
    assert!(inside > 0);
}
