//! Prints stdin as text that opens no reminder, and steers no terminal.

use std::io::Read;

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let text = aside_text::neutralize(&text, &["system-reminder"]);
    print!("{}", aside_text::terminal_lines(&text));
    Ok(())
}
