//! What is said to the server.

use std::time::Duration;

use super::message::GameId;
use super::settings::{Asked, Settings};
use crate::rules::Move;

/// Commands to the central server: nothing but messages, without colours and bells.
pub(super) const CENTRAL_SET_UP: [&str; 5] = [
    "verbose -news -faq -help -ack",
    "vt100 -",
    "bell -t -tc -tg -n -nc -ng -ni -nn",
    "chann %",
    "notify + /os",
];

/// Commands to the Othello service.
pub(super) fn service_set_up(settings: &Settings, is_open: bool) -> Vec<String> {
    let switch = |is_on: bool| if is_on { '+' } else { '-' };
    let open = if is_open { settings.at_once } else { 0 };
    let mut lines = vec![
        "vt100 -".to_owned(),
        "client -".to_owned(),
        "trust +".to_owned(),
        format!("rated {}", switch(settings.rated)),
        format!("request {}", switch(settings.accept_open)),
        format!("aform {}", settings.aform),
        format!("dform {}", settings.dform),
    ];
    if settings.observes {
        lines.extend(["notify + *".to_owned(), "track + *".to_owned()]);
    }
    lines.extend([format!("open {open}"), "stored".to_owned()]);
    let to_service = |line: &String| format!("tell /os {}", line.trim_end());
    lines.iter().map(to_service).collect()
}

/// A request for a match.
pub(super) fn ask(asked: &Asked) -> String {
    let opponent = asked.opponent.as_deref().unwrap_or_default();
    let line = format!(
        "tell /os ask {} {} {opponent}",
        asked.kind, asked.clock.text
    );
    line.trim_end().to_owned()
}

/// A move, or a bid for the komi, with its score and its time. A bid of nothing would be printed as none.
pub(super) fn play(id: GameId, mv: Move, score: f64, time: Duration, is_bid: bool) -> String {
    let text = match mv {
        Move::Place(square) => square.name(),
        Move::Pass => "pa",
    };
    let hundredths = match (score.clamp(-99.0, 99.0) * 100.0).round() {
        0.0 if is_bid => 1.0,
        other => other + 0.0,
    };
    let seconds = time.as_secs_f64().max(0.01);
    format!(
        "tell /os play {id} {text}/{:.2}/{seconds:.2}",
        hundredths / 100.0
    )
}

/// Can something be told to a user of this name? A name is one word of the server's letters.
pub(super) fn is_name(name: &str) -> bool {
    name.len() <= 16
        && name.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'-' || byte == b'_'
        })
}
