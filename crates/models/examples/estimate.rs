//! Prints the estimated tokens of files, one line each: the name and a column
//! per tokenizer.
//!
//! `cargo run -p aside-models --example estimate -- FILE…`

use std::process::ExitCode;
use std::{env, fs, io};

use aside_models::{Tokenizer, estimate};

fn main() -> ExitCode {
    let mut out = String::from("text");
    for family in Tokenizer::ALL {
        out += &format!("\t{family}");
    }
    for file in env::args().skip(1) {
        match fs::read_to_string(&file) {
            Ok(text) => {
                out += &format!("\n{file}");
                for family in Tokenizer::ALL {
                    out += &format!("\t{}", estimate(&text, family).tokens());
                }
            }
            Err(error) => {
                let line = format!("failed to read {file}: {error}\n");
                let _ = io::Write::write_all(&mut io::stderr(), line.as_bytes());
                return ExitCode::FAILURE;
            }
        }
    }
    out.push('\n');
    match io::Write::write_all(&mut io::stdout(), out.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
