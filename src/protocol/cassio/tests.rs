//! What the grammar reads and refuses, and that nothing makes it panic.

use super::*;
use crate::rules::Position;
use crate::search::Selectivity;
use crate::text::{Line, TextError};
use grammar::is_command;

const START: &str = "---------------------------OX------XO---------------------------X";

fn read(text: &str) -> Result<CassioCommand, TextError> {
    parse(&Line::from(text))
}

#[test]
fn commands_stand_behind_their_word() {
    assert_eq!(read(""), Ok(CassioCommand::Alive));
    assert_eq!(read("ENGINE-PROTOCOL init\r"), Ok(CassioCommand::Init));
    assert_eq!(read("ENGINE-PROTOCOL  stop "), Ok(CassioCommand::Stop));
    assert!(read("init").is_err() && !is_command(&Line::from("init")));
    for text in [
        "dance",
        "",
        "midgame-search",
        "init now",
        "endgame-search x -64 64 100",
    ] {
        let text = format!("ENGINE-PROTOCOL {text}");
        assert!(
            read(&text).is_err() && is_command(&Line::from(text.as_str())),
            "{text}"
        );
    }
}

#[test]
fn searches_are_read() {
    let search = |alpha, beta, depth, precision| {
        Ok(CassioCommand::Search(SearchCommand {
            position: Position::START,
            alpha,
            beta,
            depth,
            precision,
        }))
    };
    let midgame = format!("ENGINE-PROTOCOL midgame-search {START} -64.0 64.0 8 73");
    let expected = search(-64.0, 64.0, Some(8), Selectivity::P73);
    assert_eq!(read(&midgame), expected);
    let endgame = format!("ENGINE-PROTOCOL endgame-search {START} -1 +1 100");
    let expected = search(-1.0, 1.0, None, Selectivity::Full);
    assert_eq!(read(&endgame), expected);
    let between = format!("ENGINE-PROTOCOL endgame-search {START} -64 64 90%");
    let expected = search(-64.0, 64.0, None, Selectivity::P95);
    assert_eq!(read(&between), expected);
}
