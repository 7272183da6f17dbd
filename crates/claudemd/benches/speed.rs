//! Claims: start-up costs at most twice as much as reading the loaded files
//! (`start_up` against `just_reading`), and a touch costs the same in a large
//! tree as in a small one.

#![expect(clippy::unwrap_used, reason = "a benchmark without its tree measures nothing")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use aside_claudemd::{Dirs, Memory, load};
use divan::Bencher;

fn main() {
    divan::main();
}

/// A tree with about 10,000 directories, one in 20 with a `CLAUDE.md`, and
/// 1,000 rules, one in ten with `paths`.
struct Tree {
    root: tempfile::TempDir,
}

static LARGE: LazyLock<Tree> = LazyLock::new(|| Tree::new(10_000));

impl Tree {
    fn new(dirs: usize) -> Self {
        let tree = Self { root: tempfile::tempdir().unwrap() };
        fs::create_dir(tree.path(".git")).unwrap();
        let rules = tree.path(".claude/rules");
        fs::create_dir_all(&rules).unwrap();
        for i in 0..1_000 {
            let body = "Use the words that the code base uses.\n".repeat(20);
            let header = match i % 10 {
                0 => format!("---\npaths: part{i}/**/*.rs\n---\n"),
                _ => String::new(),
            };
            fs::write(rules.join(format!("{i}.md")), header + &body).unwrap();
        }
        for i in 0..dirs {
            let dir = tree.dir(i);
            fs::create_dir_all(&dir).unwrap();
            if i % 20 == 0 {
                let text = format!("# Part {i}\n\n") + &"Keep functions short.\n".repeat(50);
                fs::write(dir.join("CLAUDE.md"), text).unwrap();
            }
        }
        tree
    }

    /// Returns directory `i`'s path. Each directory has ten subdirectories.
    fn dir(&self, mut i: usize) -> PathBuf {
        let mut parts = Vec::new();
        while i > 0 {
            parts.push(format!("d{}", i % 10));
            i /= 10;
        }
        parts.reverse();
        self.path(&parts.join("/"))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn load(&self, cwd: &Path) -> Memory {
        load(cwd, &Dirs::default()).unwrap()
    }
}

#[divan::bench]
fn start_up(bencher: Bencher<'_, '_>) {
    let cwd = LARGE.dir(4_280);
    bencher.bench(|| LARGE.load(&cwd));
}

#[divan::bench]
fn just_reading(bencher: Bencher<'_, '_>) {
    let memory = LARGE.load(&LARGE.dir(4_280));
    let rules = (0..1_000).step_by(10).map(|i| LARGE.path(&format!(".claude/rules/{i}.md")));
    // A rule has to be read to see whether it has `paths`.
    let files = memory.files().iter().map(|file| file.path.clone());
    let paths: Vec<PathBuf> = files.chain(rules).collect();
    bencher.bench(|| paths.iter().map(|path| fs::read(path).unwrap()).collect::<Vec<_>>());
}

/// Measures a session's first touch, which compiles the patterns.
#[divan::bench(args = [100, 1_000, 10_000])]
fn first_touch(bencher: Bencher<'_, '_>, dirs: usize) {
    let tree = Tree::new(dirs);
    bencher
        .with_inputs(|| tree.load(tree.root.path()))
        .bench_refs(|memory| memory.touch("d2/d0/x.rs"));
}

#[divan::bench(args = [100, 1_000, 10_000])]
fn next_touch(bencher: Bencher<'_, '_>, dirs: usize) {
    let tree = Tree::new(dirs);
    let mut memory = tree.load(tree.root.path());
    memory.touch("d2/d0/x.rs");
    bencher.bench_local(|| memory.touch("d2/d0/x.rs"));
}
