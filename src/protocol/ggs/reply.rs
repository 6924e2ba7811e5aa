//! What is said to the server.

use super::game::ServerGame;
use super::settings::Settings;
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
pub(super) fn set_up_service(settings: &Settings, is_open: bool, mut say: impl FnMut(String)) {
    // `F` is what is never true.
    let formula = |text: &str| if text.is_empty() { "F" } else { text }.to_owned();
    let rated = if settings.rated { '+' } else { '-' };
    let open = if is_open { settings.at_once } else { 0 };
    let commands = [
        "vt100 -".to_owned(),
        "client -".to_owned(),
        "trust +".to_owned(),
        format!("rated {rated}"),
        "request +".to_owned(),
        format!("aform {}", formula(&settings.aform)),
        format!("dform {}", formula(&settings.dform)),
        format!("open {open}"),
    ];
    let watching = ["notify + *", "track + *"].map(str::to_owned);
    let watching = watching.into_iter().filter(|_| settings.observes);
    for command in commands.into_iter().chain(watching) {
        say(format!("tell /os {command}"));
    }
}

/// A move, or a bid for the komi, with its score and its time. A bid of nothing would be printed as none.
pub(super) fn play(game: &ServerGame, mv: Move) -> String {
    let text = match mv {
        Move::Place(square) => square.name(),
        Move::Pass => "pa",
    };
    let hundredths = match (game.score.clamp(-99.0, 99.0) * 100.0).round() {
        0.0 if game.awaits_bids => 1.0,
        other => other + 0.0,
    };
    let (id, score) = (game.id, hundredths / 100.0);
    let seconds = game.since.elapsed().as_secs_f64().max(0.01);
    format!("tell /os play {id} {text}/{score:.2}/{seconds:.2}")
}
