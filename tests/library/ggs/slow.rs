//! Emilia against itself through the mock of the server: whole games, connections that are cut, hostile lines. The tests
//! of a few games run always; `scripts/check/ggs.sh` runs the long ones, which are ignored here.

use std::thread;
use std::time::{Duration, Instant};

use emilia::engine::Strength;
use emilia::protocol::Preferences;
use emilia::protocol::ggs::Ended;
use emilia::protocol::ggs::Report;
use emilia::random::SplitMix64;

use super::mock::{Counts, Mock, Network};
use super::script::{Running, preferences, settings};

const KINDS: [&str; 5] = ["s8r14", "s8r18", "8", "8b", "8k"];

struct Plan {
    pairs: usize,
    games: u32,
    clock: &'static str,
    strength: Strength,
    network: Network,
    /// Cuts of connections, and the longest pause between two.
    kills: u32,
    kill_pause: Duration,
    hostile_lines: u32,
    limit: Duration,
}

const PLAN: Plan = Plan {
    pairs: 2,
    games: 10,
    clock: "00:30//02:00",
    strength: Strength::Depth(1),
    network: Network {
        lag: Duration::from_millis(1),
        jitter: Duration::from_millis(2),
        is_split: false,
    },
    kills: 0,
    kill_pause: Duration::from_millis(100),
    hostile_lines: 0,
    limit: Duration::from_secs(60),
};

/// What a run shows.
struct Shown {
    counts: Counts,
    reports: Vec<Report>,
    time: Duration,
}

impl Shown {
    fn notes(&self, part: &str) -> usize {
        let is_found =
            |report: &&Report| matches!(report, Report::Note(text) if text.contains(part));
        self.reports.iter().filter(is_found).count()
    }

    fn games(&self) -> usize {
        self.reports
            .iter()
            .filter(|report| matches!(report, Report::Game { .. }))
            .count()
    }

    /// Nothing happened that must not.
    fn check(&self) {
        let Counts {
            illegal,
            out_of_turn,
            soft_timeouts,
            fatal_timeouts,
            trust_violations,
            ..
        } = self.counts;
        let wrong = [
            illegal,
            out_of_turn,
            soft_timeouts,
            fatal_timeouts,
            trust_violations,
        ];
        assert_eq!(wrong, [0; 5], "{:#?}", self.counts);
    }

    /// What a clock lost on average and at most, in seconds, in single games and in those of synchro matches.
    fn lost(&self) -> [(f64, f64); 2] {
        self.counts.lost.map(|(sum, most, clocks)| {
            let mean = sum.as_secs_f64() / f64::from(clocks.max(1));
            (mean, most.as_secs_f64())
        })
    }

    fn print(&self, what: &str) {
        let Counts {
            games,
            moves,
            passes,
            adjourned,
            resumed,
            logins,
            kills,
            least,
            ..
        } = self.counts;
        let least = least.unwrap_or_default().as_secs_f64();
        let Counts {
            illegal,
            out_of_turn,
            soft_timeouts,
            fatal_timeouts,
            ..
        } = self.counts;
        let seconds = self.time.as_secs();
        let [(single, most), (synchro, synchro_most)] = self.lost();
        let text = format!(
            "{what}: {games} games, {moves} moves, {passes} passes in {seconds} s; {illegal} illegal, {out_of_turn} out of turn or twice, \
             {soft_timeouts} and {fatal_timeouts} timeouts, least clock {least:.2} s; {logins} logins, {kills} cuts in matches, {adjourned} adjourned, {resumed} resumed; \
             a clock lost {single:.2} s ({most:.2} at most) in single games, {synchro:.2} s ({synchro_most:.2} at most) in synchro ones"
        );
        #[expect(clippy::print_stdout, reason = "the figures of scripts/check/ggs.sh")]
        {
            println!("{text}");
        }
    }
}

fn names(pair: usize) -> [String; 2] {
    ["a", "b"].map(|side| format!("em{pair}{side}"))
}

/// Two clients, of which the first asks the second for all kinds of matches in turn.
fn start_pair(pair: usize, port: u16, plan: &Plan) -> [Running; 2] {
    let names = names(pair);
    let start = |index: usize| {
        let mut settings = settings(&names[index], port);
        settings.types = KINDS
            .map(|kind| kind.to_owned().try_into().expect("a kind"))
            .to_vec();
        if index == 0 {
            let asked = |at: usize| {
                let kind = KINDS[(pair + at) % KINDS.len()];
                format!("{kind} {} {}", plan.clock, names[1])
            };
            settings.ask = (0..KINDS.len()).map(asked).collect();
        }
        let ponders = plan.strength == Strength::Unchosen && pair % 2 == 1;
        Running::start(
            settings,
            Preferences {
                ponders,
                ..preferences(plan.strength)
            },
        )
    };
    [start(0), start(1)]
}

fn play(plan: &Plan) -> Shown {
    let mock = Mock::start(plan.network, 7);
    let clients: Vec<Running> = (0..plan.pairs)
        .flat_map(|pair| start_pair(pair, mock.port, plan))
        .collect();
    let start = Instant::now();
    let mut random = SplitMix64::new(11);
    let mut hostile = 0;
    let mut next_kill = Instant::now() + plan.kill_pause;
    let is_done = |counts: &Counts| {
        counts.games >= plan.games
            && counts.kills >= plan.kills
            && counts.adjourned <= counts.resumed
    };
    while !is_done(&mock.counts()) || hostile < plan.hostile_lines {
        assert!(start.elapsed() < plan.limit, "{:#?}", mock.counts());
        for (number, client) in clients.iter().enumerate() {
            assert!(
                client.is_running(),
                "client {number} has ended: {:#?}",
                client.reports.try_iter().last()
            );
        }
        let name = &names(random.below(plan.pairs as u64) as usize)[random.below(2) as usize];
        if mock.counts().kills < plan.kills && Instant::now() > next_kill {
            mock.kill(name);
            next_kill =
                Instant::now() + plan.kill_pause.mul_f64(random.below(1000) as f64 / 1000.0);
        }
        for _ in 0..20.min(plan.hostile_lines - hostile) {
            mock.say(name, &hostile_line(&mut random));
            hostile += 1;
        }
        thread::sleep(Duration::from_millis(5));
    }
    for client in &clients {
        client.interrupt();
    }
    let reports: Vec<_> = clients
        .iter()
        .map(|client| client.reports.clone())
        .collect();
    for client in clients {
        assert_eq!(client.end(), Ended::Left);
    }
    Shown {
        counts: mock.counts(),
        reports: reports
            .iter()
            .flat_map(|reports| reports.try_iter())
            .collect(),
        time: start.elapsed(),
    }
}

/// Garbage, messages that are cut, and messages about matches that do not exist, or of others.
fn hostile_line(random: &mut SplitMix64) -> String {
    const MESSAGES: [&str; 16] = [
        "/os: join .901 8 K?\r\n|0 move(s)\r\n|em0a (1720.0 *) 01:00,0:0//02:00,0:0\r\n|em0b (1720.0 O) 01:00,0:0//02:00,0:0\r\n",
        "/os: update .1 8 K?\r\n|  1: f5//0.10\r\n",
        "/os: update .1.0 s8r14 K?\r\n|  1: f5//0.10\r\n|em0a (1720.0 *) 01:00,0:0//02:00,0:0\r\n",
        "/os: + match .902 1720 lynx 1720 patzer 8 R\r\n",
        "/os: - match .902 1720 lynx 1720 patzer 8 R +2.00 .80000\r\n",
        "/os: end .902.1 ( lynx vs. patzer ) +12.00\r\n",
        "/os: +   .903 1720.0 lynx 01:00//02:00 88 R 1720.0 patzer\r\n",
        "/os: stored 1 lynx\r\n|.42590   23 Feb 2001 23:17:39 lynx patzer   s8r16:l\r\n",
        "/os: error .904 not your turn\r\n",
        "/os: fatal-timeout .902 lynx (*)\r\n",
        "lynx: tell /os resign .1\r\n|/os: join .1 8 K?\r\n|quit\r\n",
        ".chat lynx: hello \x1b[31m\x07\u{9b}2J\r\n",
        ": Enter your password.\r\n",
        ": + lynx\r\n",
        "READY\r\n",
        "|   A B C D E F G H\r\n| 1 - - - - - - - - 1\r\n|* to move\r\n",
    ];
    let mut text: Vec<char> = MESSAGES[random.below(16) as usize].chars().collect();
    for _ in 0..random.below(4) {
        // The first word stays, so that a message of nobody does not become one of the service about ours.
        let at = 6 + random.below(200) as usize;
        if at + 2 < text.len() {
            match random.below(3) {
                0 => _ = text.remove(at),
                1 => text.insert(
                    at,
                    char::from_u32(random.below(0x2100) as u32).unwrap_or('?'),
                ),
                _ => text.truncate(at),
            }
        }
    }
    let mut text: String = text.into_iter().collect();
    if !text.ends_with('\n') {
        text += "\r\n";
    }
    if random.below(50) == 0 {
        text = format!("{}{text}", "y".repeat(random.below(100_000) as usize));
    }
    text
}

#[test]
fn whole_matches_of_all_kinds_are_played() {
    let shown = play(&PLAN);
    shown.check();
    assert!(shown.counts.games >= PLAN.games && shown.counts.moves > 400);
    assert!(
        shown.games() >= 2 * PLAN.games as usize,
        "both players save every game"
    );
}

#[test]
fn matches_go_on_after_cuts_and_hostile_lines_change_nothing() {
    let shown = play(&Plan {
        games: 6,
        kills: 6,
        hostile_lines: 2_000,
        ..PLAN
    });
    shown.check();
    assert!(
        shown.counts.resumed > 0 && shown.notes("cut off") > 0,
        "{:#?}",
        shown.counts
    );
}

/// A number that the script sets.
fn set(name: &str, usual: u32) -> u32 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(usual)
}

/// What is on the way to a server far away.
const FAR: Network = Network {
    lag: Duration::from_millis(100),
    jitter: Duration::from_millis(100),
    is_split: false,
};

#[test]
#[ignore = "takes minutes: scripts/check/ggs.sh"]
fn many_games_on_short_and_long_clocks() {
    for (clock, games, pairs) in [
        (
            "00:05//02:00",
            set("GGS_SHORT_GAMES", 160),
            set("GGS_SHORT_PAIRS", 8),
        ),
        (
            "01:00//02:00",
            set("GGS_LONG_GAMES", 40),
            set("GGS_LONG_PAIRS", 8),
        ),
    ] {
        let shown = play(&Plan {
            pairs: pairs as usize,
            games,
            clock,
            strength: Strength::Unchosen,
            network: FAR,
            limit: Duration::from_secs(3600),
            ..PLAN
        });
        shown.print(clock);
        shown.check();
        // Both games of a synchro match lose no more time than one, but for chance.
        let [(single, _), (synchro, _)] = shown.lost();
        assert!(synchro <= 1.25 * single, "{synchro} s instead of {single}");
    }
}

#[test]
#[ignore = "takes minutes: scripts/check/ggs.sh"]
fn many_cuts() {
    let shown = play(&Plan {
        pairs: 4,
        kills: set("GGS_KILLS", 100),
        kill_pause: Duration::from_millis(3_000),
        network: Network {
            lag: Duration::from_millis(20),
            ..FAR
        },
        clock: "00:05//02:00",
        strength: Strength::Unchosen,
        limit: Duration::from_secs(3600),
        ..PLAN
    });
    shown.print("cuts");
    shown.check();
}

#[test]
#[ignore = "takes minutes: scripts/check/ggs.sh"]
fn many_hostile_lines() {
    let plan = |hostile_lines| Plan {
        hostile_lines,
        limit: Duration::from_secs(600),
        ..PLAN
    };
    let first = play(&plan(2_000));
    let before = memory();
    let shown = play(&plan(set("GGS_LINES", 20_000)));
    let more = memory().saturating_sub(before);
    shown.print(&format!("hostile lines, {more} kB of memory more"));
    first.check();
    shown.check();
    assert!(more < 16 << 10, "{more} kB of memory more");
}

/// Kilobytes of memory that the process uses, where the system tells.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let words = line.and_then(|line| line.split_whitespace().next());
    words.and_then(|number| number.parse().ok()).unwrap_or(0)
}
