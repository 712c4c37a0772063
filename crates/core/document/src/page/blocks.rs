//! The pieces of the first screen and of sections.

use maud::{Markup, html};

use super::tables::table;
use super::{chooser, drawing, text};
use crate::block::{Block, Figures, Pairs, Parts, ShareBar};
use crate::format::part;

/// Blocks of a section.
pub(super) fn blocks(blocks: &[Block]) -> Markup {
    html! { @for one in blocks { (block(one, 4)) } }
}

/// The first screen. A page has one first heading: the finding of its only run, or what is said of
/// all runs together.
pub(super) fn opening(blocks: &[Block], alone: bool) -> Markup {
    html! { @for one in blocks { (block(one, if alone { 1 } else { 2 })) } }
}

fn block(block: &Block, level: u8) -> Markup {
    match block {
        Block::Eyebrow(parts) => eyebrow(parts),
        Block::Finding(words) if level == 1 => html! { h1.finding { (text(words)) } },
        Block::Finding(words) => html! { h2.finding { (text(words)) } },
        Block::Lead(words) => html! { p.lead { (text(words)) } },
        Block::Note(about, words) => html! {
            p.note { @if let Some(about) = about { b { (about) ":" } " " } (text(words)) }
        },
        Block::Warning(lines) => html! {
            div.warning role="note" { h2 { "Read this first" } (list(lines)) }
        },
        Block::Heading(words) => html! { h4 { (text(words)) } },
        Block::List(lines) => list(lines),
        Block::Figures(rows) => figures(rows),
        Block::Bars(bars, parts) => share_bars(bars, parts),
        Block::Pairs(groups) | Block::Aside(groups) => pairs(groups, level),
        Block::Table(one) => table(one),
        Block::Lanes(one) => drawing::lanes(one),
        Block::Drawing(one) => drawing::drawing(one),
        Block::Tracks(all) => drawing::tracks(all),
        Block::Chooser(one) => chooser::chooser(one),
        Block::Fold(fold) => html! {
            details.fold id=(fold.name) { summary { (text(&fold.words)) } (blocks(&fold.blocks)) }
        },
    }
}

fn eyebrow(parts: &[String]) -> Markup {
    html! {
        p.eyebrow {
            @for (at, one) in parts.iter().enumerate() {
                @if at > 0 { " " span aria-hidden="true" { "·" } " " }
                (text(one))
            }
        }
    }
}

fn list(lines: &[String]) -> Markup {
    html! { ul.plain { @for line in lines { li { (text(line)) } } } }
}

fn figures(rows: &[Figures]) -> Markup {
    html! {
        div.keyfigures { @for row in rows {
            div.figurerow.wide[row.tiles.len() > 4] {
                h2 { span class={ "swatch " (row.colour.0) } {} (text(&row.head)) }
                dl { @for (name, value) in &row.tiles {
                    div { dt { (text(name)) } dd { (text(value)) } }
                } }
            }
        } }
    }
}

/// The bars that answer the question, and what each colour is.
fn share_bars(bars: &[ShareBar], parts: &Parts) -> Markup {
    html! {
        div.sharebars { @for bar in bars.iter().filter(|bar| !bar.parts.is_empty()) {
            (share_bar(bar))
        } }
        ul.legend.keys { @for (name, colour, figures, meaning) in parts {
            li {
                span class={ "swatch " (colour.0) } {} b { (name) } " " (text(figures))
                small { (meaning) }
            }
        } }
    }
}

fn share_bar(bar: &ShareBar) -> Markup {
    let words: Vec<String> =
        bar.parts.iter().map(|(name, _, share)| format!("{name} {}", part(*share))).collect();
    let kind = if bar.main { "all" } else { "typical" };
    html! {
        div.barlabel { (bar.head) }
        div class={ "sharebar " (kind) } role="img"
            aria-label={ (bar.head) ": " (words.join(", ")) } {
            @for (_, colour, share) in bar.parts.iter().filter(|(.., share)| *share > 0.0) {
                div class={ (colour.0) " part" } style=(format!("flex-grow:{share:.4}")) {
                    span { (part(*share)) }
                }
            }
        }
    }
}

fn pairs(groups: &[Pairs], level: u8) -> Markup {
    let group = |group: &Pairs| {
        html! {
            div {
                @if level < 3 { h2 { (text(&group.head)) } } @else { h4 { (text(&group.head)) } }
                dl { @for (name, value) in group.filled() {
                    div { dt { (text(name)) } dd { (text(value)) } }
                } }
            }
        }
    };
    let class = if level < 3 { "facts" } else { "pairs" };
    html! { div class=(class) { @for one in groups { (group(one)) } } }
}
