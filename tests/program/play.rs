//! `emilia play`: games with a person, by a pipe and in a pseudo terminal.

use crate::run::{Folder, run};

fn played(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_whole_game_is_played_saved_and_read_again() {
    let folder = Folder::new();
    let file = folder.path("game.ggf");
    // Emilia moves for both sides, and there are never more than 60 moves.
    let words = "go\n".repeat(61) + &format!("analyze\nsave {file}\nquit\n");
    let text = played(&["play", "--depth", "1", "--seed", "1"], &words);
    let moves = text.matches("Emilia plays ").count();
    assert!((50..=60).contains(&moves), "{text}");
    for told in [
        "Enter shows what went wrong",
        "  #  move  before",
        "white lost ",
        "saved: ",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(!text.contains("To continue"), "{text}");
    let again = played(&["play", &file], "undo\nredo\n");
    assert_eq!(
        again.matches("won, ").count() + again.matches("draw, ").count(),
        2,
        "{again}"
    );
    let loaded = played(&["play"], &format!("load {file}\nload {file} 2\n"));
    assert!(loaded.contains("there is no game 2"), "{loaded}");
    // What was there before is not overwritten, what was saved here is.
    let other = folder.path("my game.ggf");
    let escaped = other.replace(' ', "\\ ");
    let words = format!("save {file}\nload {file} 0\nsave {escaped}\nf5\nsave {other}\n");
    let kept = played(&["play"], &words);
    assert!(kept.contains("it exists"), "{kept}");
    assert!(kept.contains("there is no game 0"), "{kept}");
    assert_eq!(kept.matches("saved: ").count(), 2, "{kept}");
}

#[test]
fn what_cannot_be_begun_with_is_an_error_with_its_reason() {
    for (argument, reason) in [
        ("f5a1", "column 3: illegal move a1"),
        ("nothing.ggf", "cannot read \"nothing.ggf\""),
    ] {
        let output = run(&["play", argument], "");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{argument}");
        assert!(told.contains(reason), "{argument}: {told}");
    }
}

/// A pseudo terminal, made by `script` of util-linux.
#[cfg(target_os = "linux")]
mod terminal {
    use std::io::{Read, Write};
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;
    use std::time::{Duration, Instant};

    /// Time without the expected text after which the program counts as hung.
    const WATCHDOG: Duration = Duration::from_secs(30);

    struct Terminal {
        child: Child,
        shown: Receiver<Vec<u8>>,
        text: String,
    }

    impl Terminal {
        /// Starts the program in one; `None`: there is no `script`.
        fn start(arguments: &str) -> Option<Terminal> {
            // A shell in between would take Ctrl+C too, and some end by it.
            let line = format!("exec {} {arguments}", env!("CARGO_BIN_EXE_emilia"));
            let mut command = Command::new("script");
            command.args(["-q", "-e", "-c", &line, "/dev/null"]);
            command
                .env("SHELL", "/bin/sh")
                .env("TERM", "xterm-256color")
                .env("LC_ALL", "C.UTF-8")
                .env_remove("NO_COLOR");
            let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = pipes.spawn().ok()?;
            let mut output = child.stdout.take().expect("piped");
            let (sender, shown) = channel();
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(length @ 1..) = output.read(&mut bytes) {
                    let _ = sender.send(bytes[..length].to_vec());
                }
            });
            let text = String::new();
            Some(Terminal { child, shown, text })
        }

        fn press(&mut self, keys: &str) {
            self.text.clear();
            let input = self.child.stdin.as_mut().expect("piped");
            input.write_all(keys.as_bytes()).expect("it reads");
        }

        fn wait_for(&mut self, text: &str) {
            let start = Instant::now();
            while !self.text.contains(text) {
                let left = WATCHDOG.saturating_sub(start.elapsed());
                match self.shown.recv_timeout(left) {
                    Ok(bytes) => self.text.push_str(&String::from_utf8_lossy(&bytes)),
                    Err(error) => panic!("no {text:?} ({error}) in {}", self.text),
                }
            }
        }

        fn leaves(mut self) {
            assert!(self.child.wait().expect("it ends").success());
        }
    }

    #[test]
    fn three_keys_make_a_move_and_ctrl_c_stops_thinking_then_leaves() {
        let Some(mut terminal) = Terminal::start("--version") else {
            return;
        };
        terminal.wait_for("emilia ");
        terminal.leaves();
        let mut terminal = Terminal::start("play --depth 1").expect("a terminal");
        terminal.wait_for("black> ");
        assert!(terminal.text.contains("\x1b[48;5;"), "{}", terminal.text);
        terminal.press("f5\r");
        terminal.wait_for("Emilia plays ");
        terminal.wait_for("black> ");
        // The middle of a word completes it.
        terminal.press("und\t\r");
        terminal.wait_for("60 empty");
        terminal.wait_for("black> ");
        terminal.press("solve\r");
        terminal.wait_for("plies: ");
        terminal.press("\x03");
        terminal.wait_for("not solved");
        terminal.wait_for("black> ");
        terminal.press("\x03");
        terminal.leaves();
    }

    #[test]
    fn a_first_line_of_a_host_begins_its_protocol() {
        for (line, answer) in [("uci", "uciok"), ("nboard 2", "set myname Emilia")] {
            let Some(mut terminal) = Terminal::start("") else {
                return;
            };
            terminal.wait_for("black> ");
            terminal.press(&format!("{line}\r"));
            terminal.wait_for(answer);
            terminal.press("quit\r");
            terminal.leaves();
        }
    }

    #[test]
    fn whoever_types_the_input_is_told_what_is_awaited() {
        for (command, told) in [
            ("solve", "type or paste positions"),
            ("analyze", "type or paste games"),
        ] {
            let Some(mut terminal) = Terminal::start(command) else {
                return;
            };
            terminal.wait_for(told);
            // One Ctrl+D ends what is read.
            terminal.press("\x04");
            let _ = terminal.child.wait();
        }
    }
}
