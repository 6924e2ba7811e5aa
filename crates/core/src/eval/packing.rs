//! Which features share a row because they are mirror images.

use super::patterns::{CLASSES, CONFIGURATIONS, MOBILITY_PAIRS, class_offset};
use super::phases::BIASES;
use crate::lazy::Lazy;
use crate::rules::{Bitboard, Symmetry};

/// The numbers of the distinct rows of one stage: first those of the configurations, then those of the pairs
/// of mobilities and of the numbers of empties, which share none.
pub struct Packing {
    /// For each configuration of all classes, in the order of its index, the number of its row.
    slots: Vec<u32>,
    /// For each of them the symmetry that takes the configuration stored to this one.
    turns: Vec<Symmetry>,
    /// For each distinct row the symmetries that leave its feature as it is: bit s for that of index s.
    fixed: Vec<u8>,
}

impl Packing {
    /// The packing of [`CLASSES`].
    pub fn get() -> &'static Packing {
        static PACKING: Lazy<Packing> = Lazy::new(Packing::new);
        &PACKING
    }

    fn new() -> Packing {
        let mut packing = Packing {
            slots: vec![0; CONFIGURATIONS],
            turns: vec![Symmetry::IDENTITY; CONFIGURATIONS],
            fixed: Vec::new(),
        };
        for (number, class) in CLASSES.iter().enumerate() {
            let (offset, indices) = (class_offset(number), class.indices());
            let maps: Vec<(Symmetry, Vec<u16>)> = class.self_maps().collect();
            for configuration in 0..class.configurations() {
                let at = |configuration: usize| offset + usize::from(indices[configuration]);
                let image = |(symmetry, images): &(_, Vec<u16>)| {
                    (usize::from(images[configuration]), *symmetry)
                };
                let images = maps.iter().map(image);
                // Of mirror images the smallest number is stored.
                let least = images.clone().min_by_key(|&(image, _)| image);
                let (least, symmetry): (usize, Symmetry) = least.expect("the identity");
                if least == configuration {
                    packing.slots[at(configuration)] = packing.fixed.len() as u32;
                    let own = images.filter(|image| image.0 == configuration);
                    let own = own.fold(0, |bits, (_, symmetry)| bits | 1 << symmetry.index());
                    packing.fixed.push(own);
                } else {
                    packing.slots[at(configuration)] = packing.slots[at(least)];
                    packing.turns[at(configuration)] = symmetry.inverse();
                }
            }
        }
        let others = packing.fixed.len() + MOBILITY_PAIRS + BIASES;
        packing.fixed.resize(others, u8::MAX);
        packing
    }

    /// For each configuration of all classes, in the order of its index, the number of its row.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// For each of them the symmetry that takes the configuration of that row to it.
    pub fn turns(&self) -> &[Symmetry] {
        &self.turns
    }

    /// The symmetries that leave the feature of row `slot` as it is, the identity among them.
    pub fn fixed(&self, slot: usize) -> impl ExactSizeIterator<Item = Symmetry> + Clone + use<> {
        let bits = Bitboard(self.fixed[slot].into());
        bits.map(|bit| Symmetry::ALL[bit.index()])
    }

    /// Distinct rows of one stage.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.fixed.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirror_images_share_a_row_and_say_how_they_turn() {
        let packing = Packing::get();
        let class = CLASSES
            .iter()
            .position(|class| class.name == "row 2")
            .expect("a class");
        let indices = CLASSES[class].indices();
        let at = |configuration: usize| class_offset(class) + usize::from(indices[configuration]);
        let (player_on_a2, player_on_h2) = (at(1), at(3usize.pow(7)));
        assert_eq!(packing.slots()[player_on_a2], packing.slots()[player_on_h2]);
        assert_eq!(packing.turns()[player_on_a2], Symmetry::IDENTITY);
        let mirror = packing.turns()[player_on_h2];
        assert_eq!(mirror.apply(0xFF00_0000_0000_01FF), 0xFF00_0000_0000_80FF);
        let fixed = |index: usize| packing.fixed(packing.slots()[index] as usize);
        assert_eq!(fixed(player_on_a2).len(), 1);
        assert!(fixed(at(0)).eq([Symmetry::IDENTITY, mirror]));
        assert_eq!(packing.fixed(packing.len() - 1).len(), 8);
    }
}
