//! `emilia ggs` as its users start and stop it; `tests/library/ggs` has its conversations.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::host::command;

/// A folder with settings for this port, and a password that only its owner can read.
fn folder(port: u16) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = format!(
        "host = \"127.0.0.1\"\nport = {port}\nname = \"emilia\"\npassword_file = \"secret\"\n\
         games = \"games.ggf\"\nengine = \"--hash 2 --level 1\"\n"
    );
    fs::write(folder.path().join("ggs.toml"), settings).expect("a file");
    fs::write(folder.path().join("secret"), "pass word\n").expect("a file");
    allow(&folder, 0o600);
    folder
}

fn allow(folder: &TempDir, mode: u32) {
    let permissions = fs::Permissions::from_mode(mode);
    fs::set_permissions(folder.path().join("secret"), permissions).expect("ours");
}

fn ggs(folder: &TempDir) -> Command {
    let mut command = command(&["ggs", "--config"]);
    command
        .arg(folder.path().join("ggs.toml"))
        .env_remove("EMILIA_GGS_PASSWORD");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A match in which the opponent is to move.
fn begun_match() -> String {
    let cells = ["-"; 8].join(" ");
    let row = |rank: u32| match rank {
        4 => "\r\n| 4 - - - O * - - - 4".to_owned(),
        5 => "\r\n| 5 - - - * O - - - 5".to_owned(),
        _ => format!("\r\n| {rank} {cells} {rank}"),
    };
    let board: String = (1..=8).map(row).collect();
    format!(
        "/os: + match .5 1720 kitty 1720 emilia 8 R\r\n/os: join .5 8 K?\r\n|0 move(s)\r\n\
         |kitty (1720.0 *) 01:00//02:00\r\n|emilia (1720.0 O) 01:00//02:00{board}\r\n|* to move\r\nREADY\r\n"
    )
}

/// A server of one connection that says `after` once it has the password, and sends so many interrupts at the moves that
/// follow. What the program leaves behind, and the lines that it said.
fn run(
    folder: &TempDir,
    listener: &TcpListener,
    after: &str,
    interrupts: usize,
) -> (Output, Vec<String>) {
    let child = ggs(folder).spawn().expect("the program starts");
    let id = child.id().to_string();
    let (mut stream, _) = listener.accept().expect("a client");
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let mut lines = Vec::new();
    let mut said = |text: &str| stream.write_all(text.as_bytes()).expect("the client reads");
    said(": Enter login (yours, or one you'd like to use).\r\n");
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|read| read > 0) {
        let text = line.trim_end();
        match text {
            "emilia" => said(": Enter your password.\r\n"),
            "pass word" => said(after),
            _ => {}
        }
        // Once all is set up, and once more when the first interrupt was heard.
        let is_time = text == "tell /os stored" || (text == "tell /os open 0" && interrupts == 2);
        if text == "tell /os stored" && interrupts == 2 {
            said(&begun_match());
            said("/os: +   .8 1 kitty 01:00 10 R 1 emilia\r\nREADY\r\n");
        }
        if (is_time && interrupts == 1)
            || text == "tell /os decline .8"
            || (is_time && text == "tell /os open 0")
        {
            // SIGINT is ignored where tests run in the background.
            assert!(
                Command::new("kill")
                    .args(["-TERM", &id])
                    .status()
                    .expect("there is kill")
                    .success()
            );
        }
        lines.push(text.to_owned());
        if text == "quit" {
            break;
        }
        line.clear();
    }
    drop((reader, stream));
    (child.wait_with_output().expect("it ends"), lines)
}

#[test]
fn without_settings_an_example_is_printed() {
    let output = command(&["ggs"]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    let example = String::from_utf8_lossy(&output.stdout);
    assert!(
        example.contains("name = \"emilia\"") && example.contains("engine ="),
        "{example}"
    );
    assert!(error(&output).contains("emilia ggs --config ggs.toml"));
}

#[test]
fn a_password_is_ours_alone_and_never_shown() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let folder = folder(listener.local_addr().expect("an address").port());
    for mode in [0o644, 0o640, 0o602] {
        allow(&folder, mode);
        let output = ggs(&folder).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        assert!(error(&output).contains("chmod 600"), "{}", error(&output));
    }
    allow(&folder, 0o600);
    let answer = "|pass word\r\n: ERR Password is incorrect: pass word\r\n";
    let (output, lines) = run(&folder, &listener, answer, 0);
    assert_eq!(output.status.code(), Some(1));
    let said = error(&output);
    assert!(
        said.contains("the login of emilia is refused") && said.contains("Password is incorrect"),
        "{said}"
    );
    assert!(!said.contains("pass word") && lines == ["emilia", "pass word"]);
}

#[test]
fn one_interrupt_leaves_and_two_adjourn() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let folder = folder(listener.local_addr().expect("an address").port());
    let (output, lines) = run(&folder, &listener, "READY\r\n", 1);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    assert!(
        lines.ends_with(&["tell /os open 0".to_owned(), "quit".to_owned()]),
        "{lines:?}"
    );
    let (output, lines) = run(&folder, &listener, "READY\r\n", 2);
    assert_eq!(output.status.code(), Some(143), "{}", error(&output));
    assert!(
        lines.ends_with(&["tell /os break .5".to_owned(), "quit".to_owned()]),
        "{lines:?}"
    );
    assert!(
        error(&output).contains("match .5 begins: 8 of kitty and emilia"),
        "{}",
        error(&output)
    );
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    let port = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address")
        .port();
    let output = ggs(&folder(port)).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error(&output).contains("cannot connect to 127.0.0.1"),
        "{}",
        error(&output)
    );
}
