//! The quiet load with deep Windows paths: one byte in eight of an event is a backslash, all of them escaped in JSON.

use std::io::{self, Write};

use super::Load;
use super::quiet::{Events, QUIET};

/// The load.
pub const PATHS: Load = Load {
    name: "paths",
    doc: "The quiet load with deep Windows paths in programs and command lines, all their backslashes and quotes escaped.",
    rules: &[1, 41, 200, 1000],
    data: "paths",
    generate,
    flink: &[],
    ..QUIET
};

fn generate(n: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut events = Events::new(false);
    for _ in 0..n {
        let mut event = events.next();
        let [a, b, ..] = event.seeds;
        let words = events.words();
        let word = |r: u64| words.benign(r);
        // What the rules look for is at the ends of programs and within command lines: both stay as they are.
        if let Some(rest) = event.proc_path.strip_prefix("C:\\") {
            event.proc_path = format!(
                "C:\\ProgramData\\{}\\v{}\\bin\\x64\\{}\\{rest}",
                word(a >> 5),
                a % 20,
                word(a >> 20)
            );
        }
        if let Some(command) = &mut event.cmdline {
            command.push_str(&format!(
                " --log \"C:\\Users\\{}\\AppData\\Local\\{}\\logs\\{}.log\" --share \\\\{}\\c$\\{}",
                word(b),
                word(b >> 12),
                word(b >> 24),
                word(a >> 30),
                word(a >> 42)
            ));
        }
        out.write_all(b"{")?;
        event.write_json(out)?;
        out.write_all(b"}\n")?;
    }
    Ok(())
}
