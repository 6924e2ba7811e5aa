//! The date as game files have it.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, `2026-11-21 06:35:07 GMT`.
pub(super) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    text(since.map_or(0, |since| since.as_secs()))
}

/// That many seconds after 1970 began.
fn text(seconds: u64) -> String {
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} GMT")
}

/// Year, month and day, that many days after 1970 began. Years are counted from March, so
/// that the leap day is their last (H. Hinnant, "chrono-compatible low-level date
/// algorithms").
const fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let january_or_february = (month <= 2) as u64;
    (year_of_era + 400 * era + january_or_february, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(text(0), "1970-01-01 00:00:00 GMT");
        assert_eq!(text(951_782_400), "2000-02-29 00:00:00 GMT");
        assert_eq!(text(1_795_242_907), "2026-11-21 06:35:07 GMT");
    }
}
