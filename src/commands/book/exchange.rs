//! `emilia book import` and `export`.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::growing::left;
use super::{BookFile, check_new, say};
use crate::book::NewBook;
use crate::book::exchange::{self, Losses};
use crate::commands::Exit;
use crate::files::{FileKind, UsedFiles};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Edax,
    Egaroucid,
    Text,
}

impl From<Format> for exchange::ExchangeFormat {
    fn from(format: Format) -> exchange::ExchangeFormat {
        match format {
            Format::Edax => exchange::ExchangeFormat::Edax,
            Format::Egaroucid => exchange::ExchangeFormat::Egaroucid,
            Format::Text => exchange::ExchangeFormat::Text,
        }
    }
}

/// The arguments of `emilia book import`.
#[derive(Args, Debug)]
pub(super) struct Import {
    /// Whose format it is: book.dat of Edax (version 4), .egbk3 of Egaroucid, or text as Edax exports it
    #[arg(long)]
    format: Format,
    /// The book of the other program
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The new book; it must not exist
    #[arg(value_name = "BOOK")]
    book: PathBuf,
}

pub(super) fn import(arguments: &Import) -> anyhow::Result<Exit> {
    check_new(&arguments.book)?;
    let path = arguments.input.display();
    let file = File::open(&arguments.input).with_context(|| format!("cannot open {path}"))?;
    let new = NewBook::create(&arguments.book)?;
    let reader = BufReader::with_capacity(1 << 20, file);
    let imported = exchange::import(arguments.format.into(), reader);
    let (tree, losses) = imported.with_context(|| format!("cannot read {path}"))?;
    tell(&losses);
    let (positions, left) = (tree.len(), left(tree.unsearched()));
    tree.write(new)?;
    say(format_args!("{positions} positions{left}"));
    Ok(Exit::SUCCESS)
}

/// The arguments of `emilia book export`.
#[derive(Args, Debug)]
pub(super) struct Export {
    /// Whose format it is
    #[arg(long)]
    format: Format,
    #[command(flatten)]
    file: BookFile,
    /// The book for the other program; it must not exist
    #[arg(value_name = "OUT")]
    out: PathBuf,
}

pub(super) fn export(arguments: &Export) -> anyhow::Result<Exit> {
    const ANY: FileKind = FileKind {
        name: "a book",
        is: |_| true,
    };
    let mut used = UsedFiles::reading([&arguments.file.book]);
    let out = used.new_output(&arguments.out, ANY)?;
    let mut tree = arguments.file.load()?;
    let searched = tree.iter().filter(|(_, entry)| entry.is_known()).count();
    if searched < tree.len() {
        log::warn!(
            "not carried over: {} positions that are not searched",
            tree.len() - searched
        );
        let known: Vec<bool> = tree.iter().map(|(_, entry)| entry.is_known()).collect();
        tree.retain(|number| known[number]);
    }
    tree.sort();
    let mut losses = Losses::default();
    out.write(|out| {
        losses = exchange::export(arguments.format.into(), &tree, out)?;
        Ok(())
    })?;
    tell(&losses);
    say(format_args!("{} positions", tree.len()));
    Ok(Exit::SUCCESS)
}

/// Says what could not be carried over.
fn tell(losses: &Losses) {
    for (what, count) in losses.iter() {
        log::warn!("not carried over as it is: {count} {what}");
    }
}
