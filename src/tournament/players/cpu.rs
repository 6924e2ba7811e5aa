//! CPU time of threads and processes, where the system tells it.

use std::time::Duration;

/// CPU time of the calling thread so far.
#[cfg(unix)]
pub(super) fn of_this_thread() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).ok()
}

#[cfg(not(unix))]
pub(super) fn of_this_thread() -> Option<Duration> {
    None
}

/// CPU time so far of a process and of everything that it has started: `/proc` of Linux.
#[cfg(target_os = "linux")]
pub(super) fn of_process(id: u32) -> Option<Duration> {
    let ticks = ticks_of(id.try_into().ok()?)?;
    let second = procfs::ticks_per_second();
    Some(Duration::from_secs_f64(ticks as f64 / second as f64))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn of_process(_id: u32) -> Option<Duration> {
    None
}

/// Clock ticks of a process, of its children that have ended, and of those that run.
#[cfg(target_os = "linux")]
fn ticks_of(id: i32) -> Option<u64> {
    let process = procfs::process::Process::new(id).ok()?;
    let stat = process.stat().ok()?;
    let ended = u64::try_from(stat.cutime + stat.cstime).unwrap_or(0);
    // Any thread may have started a child.
    let tasks = process.tasks().ok()?.flatten();
    let children = tasks.flat_map(|task| task.children().unwrap_or_default());
    let running = children.filter_map(|child| ticks_of(child.try_into().ok()?));
    Some(stat.utime + stat.stime + ended + running.sum::<u64>())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn threads_and_processes_with_their_children_are_counted() {
        assert!(of_this_thread() > Some(Duration::ZERO));
        assert_eq!(of_process(u32::MAX), None);
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "sh -c 'while :; do :; done'; true"]);
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().expect("a shell");
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        let is_counted = || of_process(child.id()) >= Some(Duration::from_millis(50));
        while !is_counted() && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        let counted = is_counted();
        let group = rustix::process::Pid::from_child(&child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        child.wait().expect("ended");
        assert!(counted);
    }
}
