//! A part of the input for each of several machines, alike in work.
//!
//! Each line goes to the part that has the least estimated work so far. That depends on
//! the whole input and on nothing else, so each machine finds its own part by itself.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::str::FromStr;

const MAX_SHARDS: u32 = 1_000_000;

/// One part of several, `I/N`; the first is 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shard {
    index: u32,
    count: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let parsed = parts.and_then(|(index, count)| {
            let (index, count) = (index.parse().ok()?, count.parse().ok()?);
            (1 <= index && index <= count && count <= MAX_SHARDS).then_some(Shard { index, count })
        });
        parsed.ok_or_else(|| "expected a part and their number, such as 3/16".to_owned())
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Shard {
    pub(crate) fn chooser(self) -> Chooser {
        Chooser {
            own: self.number(),
            parts: Parts::new(self.count),
        }
    }

    /// The number of the part, the first is 0.
    pub(crate) const fn number(self) -> u32 {
        self.index - 1
    }

    pub(crate) const fn count(self) -> u32 {
        self.count
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// The work of each part so far, the least on top.
    totals: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Parts {
    pub(crate) fn new(count: u32) -> Parts {
        Parts {
            totals: (0..count).map(|part| Reverse((0, part))).collect(),
        }
    }

    /// The part of the next line, of so much work.
    pub(crate) fn next(&mut self, work: u64) -> Shard {
        let count = self.totals.len() as u32;
        let Some(mut least) = self.totals.peek_mut() else {
            return Shard { index: 1, count };
        };
        let (total, part) = least.0;
        // Every line is some work: without this, lines of none would all go to one part.
        least.0.0 = total.saturating_add(work.max(1));
        let index = part + 1;
        Shard { index, count }
    }
}

/// Says of each line whether it belongs to the part.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    own: u32,
    parts: Parts,
}

impl Chooser {
    /// Does the next line, of so much work, belong to this part?
    pub(crate) fn takes(&mut self, work: u64) -> bool {
        self.parts.next(work).number() == self.own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn shards_are_read_and_printed() {
        for text in ["1/1", "3/16", "16/16"] {
            assert_eq!(text.parse::<Shard>().expect(text).to_string(), text);
        }
        for text in [
            "",
            "1",
            "0/4",
            "5/4",
            "1/0",
            "a/b",
            "1/2/3",
            "-1/4",
            "1/99999999",
        ] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn each_line_belongs_to_one_part_and_the_parts_are_alike() {
        let mut random = SplitMix64::new(5);
        let work: Vec<u64> = (0..5000).map(|_| 1 << random.below(20)).collect();
        for count in [1, 2, 7] {
            let mut choosers: Vec<Chooser> = (1..=count)
                .map(|index| Shard { index, count }.chooser())
                .collect();
            let mut totals = vec![0; count as usize];
            for &work in &work {
                let takers: Vec<usize> = (0..choosers.len())
                    .filter(|&index| choosers[index].takes(work))
                    .collect();
                assert_eq!(takers.len(), 1);
                totals[takers[0]] += work;
            }
            let (least, most) = (totals.iter().min(), totals.iter().max());
            let (least, most) = (*least.expect("one"), *most.expect("one"));
            assert!(most - least <= 1 << 20, "{totals:?}");
        }
    }
}
