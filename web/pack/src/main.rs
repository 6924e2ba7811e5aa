//! Packs the blocks of a sealed file (`emilia_core::container`) smaller: the same layout and the same contents, for readers
//! that know nothing of it. What is loaded over a network is worth the minute that this takes.
//!
//!     emilia-pack INPUT OUTPUT

use std::error::Error;
use std::io::{self, Read};
use std::{env, fs, num::NonZeroU64, thread};

use emilia_core::container::{ContainerFormat, ContainerReader, Sealer};
use flate2::read::DeflateDecoder;
use serde_json::value::RawValue;
use zopfli::Options;

/// Rounds of Zopfli, each of which knows better what a symbol costs.
const ROUNDS: NonZeroU64 = NonZeroU64::new(15).unwrap();

/// Parts of a megabyte with a code of their own, at most: the numbers of a weight file change from column to column.
const MOST_SPLITS: u16 = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("usage: emilia-pack INPUT OUTPUT".into());
    };
    fs::write(output, smaller(&fs::read(input)?)?)?;
    Ok(())
}

/// The file with smaller blocks.
fn smaller(file: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let format = format_of(file).ok_or("it is too short for a sealed file")?;
    let (mut reader, header) = ContainerReader::new::<Box<RawValue>>(&format, file)?;
    let mut blocks = Vec::new();
    while let Some(block) = reader.block()? {
        blocks.push(block);
    }
    let (mut sealer, mut bytes) = Sealer::new(&format, &header);
    for block in all_smaller(&blocks)? {
        bytes.extend(sealer.block(&block));
    }
    let (mut again, _) = ContainerReader::new::<Box<RawValue>>(&format, bytes.as_slice())?;
    while again.block()?.is_some() {}
    Ok(bytes)
}

/// The kind that a file says it is of.
fn format_of(file: &[u8]) -> Option<ContainerFormat> {
    let (magic, rest) = file.split_first_chunk()?;
    Some(ContainerFormat {
        magic: *magic,
        version: u32::from_le_bytes(*rest.first_chunk()?),
        name: "a sealed file",
    })
}

fn all_smaller(blocks: &[Vec<u8>]) -> io::Result<Vec<Vec<u8>>> {
    thread::scope(|scope| {
        let start = |block| scope.spawn(move || smaller_block(block));
        let threads: Vec<_> = blocks.iter().map(Vec::as_slice).map(start).collect();
        let end = |thread: thread::ScopedJoinHandle<_>| thread.join().expect("no panic");
        threads.into_iter().map(end).collect()
    })
}

/// A block that is one deflate stream, packed smaller; any other as it is.
fn smaller_block(block: &[u8]) -> io::Result<Vec<u8>> {
    let Some(data) = inflated(block) else {
        return Ok(block.to_owned());
    };
    let options = Options {
        iteration_count: ROUNDS,
        maximum_block_splits: MOST_SPLITS,
        ..Options::default()
    };
    let mut packed = Vec::new();
    zopfli::compress(options, zopfli::Format::Deflate, &data[..], &mut packed)?;
    let is_good = inflated(&packed).is_some_and(|again| again == data);
    if !is_good {
        return Err(io::Error::other("what was packed does not unpack"));
    }
    Ok(if packed.len() < block.len() {
        packed
    } else {
        block.to_owned()
    })
}

/// What a whole deflate stream unpacks to; `None` if `bytes` are something else.
fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = DeflateDecoder::new(bytes);
    let mut data = Vec::new();
    decoder.read_to_end(&mut data).ok()?;
    (decoder.total_in() == bytes.len() as u64).then_some(data)
}
