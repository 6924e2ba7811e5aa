//! Model checks of what threads share: the queue of solves, split points of the search, and the first use of lazy values.
//!
//! The files are the engine's own. `crate::locks` here has the locks and atomics of Shuttle, which runs the threads of a model
//! one at a time, in many orders, and fails where one of them waits for ever. It is sequentially consistent, and waits for a time never
//! end by themselves: so nothing may need its time-outs to go on. A table entry needs no model: crates/core/src/search/table.rs tries
//! every mixture of the words of two entries.

#![expect(dead_code, reason = "the models do not use all of the engine's files")]

use std::sync::Arc;

use shuttle::thread;

mod locks;

#[path = "../../core/src/faults.rs"]
mod faults;

#[path = "../../core/src/lazy.rs"]
mod first_use;

#[path = "../../../src/pool/queue.rs"]
mod queue;

mod search;
mod stand_ins;
mod work;

use stand_ins::{host, lazy, score, threads};

/// Orders of the threads that are tried of each model, unless the first argument is another number.
const ORDERS: usize = 3000;

fn main() {
    let orders = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let orders = orders.unwrap_or(ORDERS);
    let models: [(&str, fn()); 8] = [
        (
            "first use of a lazy value while a process forks",
            first_use_of_a_value,
        ),
        ("queue, answers in order", || {
            work::all_is_answered(true, false)
        }),
        ("queue, answers as they come", || {
            work::all_is_answered(false, false)
        }),
        ("queue, hard tasks are shared", || {
            work::all_is_answered(true, true)
        }),
        ("queue, a thread fails", || work::a_failure_ends_all(true)),
        ("queue, nobody takes more answers", || {
            work::a_failure_ends_all(false)
        }),
        ("split points, small nodes", || {
            search::a_split_has_its_score(15)
        }),
        ("split points, large nodes", || {
            search::a_split_has_its_score(26)
        }),
    ];
    for (name, model) in models {
        shuttle::check_random(model, orders);
        shuttle::check_pct(model, orders / 10, 3);
        println!(
            "{name}: {orders} orders of its threads and {} with few switches, nothing found",
            orders / 10
        );
    }
}

/// Two threads compute values, one inside the other's; a third one holds them back, as before a fork.
fn first_use_of_a_value() {
    static AT_WORK: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    use std::sync::atomic::Ordering::SeqCst;
    let gate = Arc::new(first_use::Gate::new());
    let computers = [false, true].map(|is_nested| {
        let gate = Arc::clone(&gate);
        thread::spawn(move || {
            let working = gate.enter();
            AT_WORK.fetch_add(1, SeqCst);
            thread::yield_now();
            if is_nested {
                drop(gate.enter());
            }
            AT_WORK.fetch_sub(1, SeqCst);
            drop(working);
        })
    });
    let closed = gate.close();
    assert_eq!(AT_WORK.load(SeqCst), 0, "a value was half computed");
    thread::yield_now();
    assert_eq!(
        AT_WORK.load(SeqCst),
        0,
        "a value is begun though the gate is closed"
    );
    drop(closed);
    for computer in computers {
        computer.join().expect("no panic");
    }
}
