//! A document, its runs and its sections.

use crate::block::Block;
use crate::chart::Chart;
use crate::colour::Colour;
use crate::table::Table;
use std::borrow::Cow;

/// A result.
#[derive(Debug, Default)]
pub struct Document {
    /// Of the window.
    pub title: String,
    /// The first screen.
    pub opening: Vec<Block>,
    /// The sections, in the order in which they are read.
    pub sections: Vec<Section>,
    /// Runs that the document is about, where there are several: each is closed until it is
    /// wanted.
    pub runs: Vec<Run>,
}

/// One run of several.
#[derive(Debug, Default)]
pub struct Run {
    /// Its name in CSV.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What is said of it while it is closed.
    pub brief: String,
    /// Parts of the bar beside that.
    pub parts: Vec<(&'static str, Colour, f64)>,
    /// Its first screen.
    pub opening: Vec<Block>,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// A part of a document under one heading.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its name in links and in JSON: `mpi-waits`.
    pub id: Cow<'static, str>,
    /// The heading.
    pub title: String,
    /// One sentence that says what to see.
    pub sentence: String,
    /// Charts.
    pub charts: Vec<Chart>,
    /// Charts side by side where the page is wide enough.
    pub columns: usize,
    /// Colours that the charts use, by name.
    pub legend: Vec<(String, Colour)>,
    /// What stands below the charts.
    pub blocks: Vec<Block>,
    /// Where the page has it and the terminal does not: it says nothing there without its charts.
    pub page_only: bool,
    /// Whether it is left out where only the main figures are wanted.
    pub detail: bool,
}

impl Section {
    /// A section that consists of its sentence.
    pub fn new(
        id: impl Into<Cow<'static, str>>,
        title: impl Into<String>,
        sentence: impl Into<String>,
    ) -> Section {
        Section {
            id: id.into(),
            title: title.into(),
            sentence: sentence.into(),
            columns: 1,
            ..Section::default()
        }
    }

    /// With a table below.
    pub fn table(mut self, table: Table) -> Section {
        self.blocks.push(Block::Table(table));
        self
    }

    /// With a chart more.
    pub fn chart(mut self, chart: Chart) -> Section {
        self.charts.push(chart);
        self
    }

    /// Left out where only the main figures are wanted.
    pub fn as_detail(mut self) -> Section {
        self.detail = true;
        self
    }

    /// Its tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        tables(&self.blocks)
    }
}

/// The tables among blocks.
pub(crate) fn tables(blocks: &[Block]) -> impl Iterator<Item = &Table> {
    blocks.iter().filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    })
}

impl Document {
    /// The main figures alone.
    pub fn brief(mut self) -> Document {
        self.sections.retain(|section| !section.detail);
        self
    }

    /// Every section, of the document and of its runs.
    pub fn all_sections(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().chain(self.runs.iter().flat_map(|run| &run.sections))
    }

    /// Every table, of the first screen, of the sections, and of the runs.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        let own = tables(&self.opening).chain(self.sections.iter().flat_map(Section::tables));
        own.chain(self.runs.iter().flat_map(Run::tables))
    }
}

impl Run {
    /// Its tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        tables(&self.opening).chain(self.sections.iter().flat_map(Section::tables))
    }
}
