//! The memory for opening a transcript of 100 MB and reading its conversation,
//! which is at most 2.5 times its size. Prints the size, the peak of a process
//! that does only this, and their ratio, for long and for short messages.
#![expect(clippy::print_stdout, reason = "figures are for whoever runs this")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::Role;
use aside_transcript::{Owner, Record, SessionFile};
use uuid::Uuid;

const SIZE: u64 = 100 * 1000 * 1000;
/// The variable with the path of the transcript, set in the measured process.
const OPENED: &str = "ASIDE_BENCH_OPENS";

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(path) = std::env::var_os(OPENED) {
        return open(Path::new(&path));
    }
    // `cargo test --all-targets` also runs this program, and measures nothing.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    println!("a message        size        peak   ratio");
    for length in [100_000, 10_000, 1_000] {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("transcript.jsonl");
        write(&path, length)?;
        let size = fs::metadata(&path)?.len();
        let peak = peak(&path)?;
        let ratio = peak as f64 / size as f64;
        println!("{length:>7} B {size:>11} {peak:>11} {ratio:>7.2}");
    }
    Ok(())
}

/// Writes a transcript with messages of this length, in bytes.
fn write(path: &Path, length: usize) -> Result<(), Box<dyn Error>> {
    let mut transcript = SessionFile::create(path)?;
    let mut conversation = Conversation::new(Uuid::nil());
    let text = "let total = \"all\";\n".repeat(length.div_ceil(19));
    for number in 0_usize.. {
        if number.is_multiple_of(64) && fs::metadata(path)?.len() >= SIZE {
            break;
        }
        let text = format!("{number} {text}");
        let entry = match number % 2 {
            0 => EntryDraft::human(text),
            _ => answer(text),
        };
        let entry = conversation.push(entry).clone();
        transcript.append(&[Record::Entry(Box::new(entry))])?;
    }
    Ok(())
}

fn answer(text: String) -> EntryDraft {
    let origin = Origin::Model { provider: "p".into(), name: "m".into() };
    EntryDraft::message(Role::Assistant, origin, vec![Part::text(text)])
}

/// Returns the peak memory, in bytes, of another process that opens it.
fn peak(path: &Path) -> Result<u64, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?).env(OPENED, path).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Opens it as `aside run --resume` does, and prints the peak.
fn open(path: &Path) -> Result<(), Box<dyn Error>> {
    let (transcript, contents) = SessionFile::open(path, Owner::Session)?;
    let conversation =
        contents.conversation(Uuid::nil()).map_err(|entry| format!("{entry} comes twice"))?;
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: u64 = peak
        .and_then(|peak| peak.trim().strip_suffix(" kB"))
        .ok_or("the system does not tell the peak")?
        .parse()?;
    println!("{}", kilobytes * 1024);
    drop((transcript, contents, conversation));
    Ok(())
}
