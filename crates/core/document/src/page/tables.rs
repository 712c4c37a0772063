//! Tables of the page, and the little bars in them.

use maud::{Markup, html};

use super::text;
use crate::colour::Colour;
use crate::format::{NONE, part};
use crate::table::{Cell, Column, Row, Table, Value};

/// A table; wide ones scroll within themselves on narrow screens.
pub(super) fn table(table: &Table) -> Markup {
    let body = html! {
        div.scroll tabindex="0" {
            table.figures.told[table.wordy] data-table=(table.id) {
                @if table.turned { (turned(table)) } @else { (upright(table)) }
            }
        }
    };
    if table.data {
        return html! {};
    }
    html! {
        (legend(table))
        @match &table.folded {
            Some(words) => details.fold { summary { (text(words)) } (body) },
            None => (body),
        }
        @if let Some(note) = &table.note { p.note { (text(note)) } }
    }
}

/// What the colours of bars are, where no head of a column says it.
fn legend(table: &Table) -> Markup {
    let mut names: Vec<(&'static str, Colour)> = Vec::new();
    let parts = table.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| match &cell.value {
        Value::Parts(parts) => Some(parts),
        _ => None,
    });
    for (name, colour, _) in parts.flatten() {
        let in_head = table.columns.iter().any(|column| column.colour == Some(*colour));
        if !in_head && !names.iter().any(|(_, known)| known == colour) {
            names.push((name, *colour));
        }
    }
    html! {
        @if !names.is_empty() && table.folded.is_none() {
            ul.legend { @for (name, colour) in &names { li { (swatch(Some(*colour))) (name) } } }
        }
    }
}

fn upright(table: &Table) -> Markup {
    let seen = table.seen(true);
    html! {
        thead { tr {
            @for column in seen.iter().map(|at| &table.columns[*at]) {
                th.left[column.unit.is_words()] scope="col" { (head(column)) }
            }
        } }
        tbody {
            @for row in &table.rows { (upright_row(table, &seen, row)) }
        }
    }
}

fn upright_row(table: &Table, seen: &[usize], row: &Row) -> Markup {
    html! {
        tr.jump[row.marked] {
            @for (column, one) in seen.iter().map(|at| (&table.columns[*at], &row.cells[*at])) {
                @if column.key == table.columns[0].key {
                    th scope="row" { (cell(column, one)) }
                } @else {
                    td class=[class(column, one)] { (cell(column, one)) }
                }
            }
        }
    }
}

/// Columns become rows: a table whose few rows are compared with each other, figure by figure.
fn turned(table: &Table) -> Markup {
    html! {
        thead { tr {
            td {}
            @for row in &table.rows { th scope="col" { (cell(&table.columns[0], &row.cells[0])) } }
        } }
        tbody {
            @for at in table.seen(true).into_iter().skip(1) {
                @let column = &table.columns[at];
                tr {
                    th scope="row" { (head(column)) }
                    @for row in &table.rows { td { (cell(column, &row.cells[at])) } }
                }
            }
        }
    }
}

fn head(column: &Column) -> Markup {
    html! { (swatch(column.colour)) (text(&column.head)) }
}

fn swatch(colour: Option<Colour>) -> Markup {
    html! { @if let Some(colour) = colour { span class={ "swatch " (colour.0) } {} } }
}

fn class(column: &Column, cell: &Cell) -> Option<&'static str> {
    match cell.value {
        Value::Parts(_) => Some("barcell"),
        _ => column.unit.is_words().then_some("left"),
    }
}

fn cell(column: &Column, cell: &Cell) -> Markup {
    html! {
        @match &cell.leads_to {
            Some(name) => a href={ "#" (name) } { (value(column, cell)) },
            None => (value(column, cell)),
        }
        @if let Some((low, high)) = cell.interval {
            small { (cell.show(column, low)) " to " (cell.show(column, high)) }
        }
        @for line in &cell.small { small { (text(line)) } }
    }
}

fn value(column: &Column, cell: &Cell) -> Markup {
    match &cell.value {
        Value::Parts(parts) if cell.shown.is_none() => bar(parts),
        Value::Lines(lines) if !lines.is_empty() && cell.shown.is_none() => html! {
            @for (at, line) in lines.iter().enumerate() {
                @if at > 0 { br; }
                (text(line))
            }
        },
        _ => html! { (swatch(cell.colour)) (text(&cell.words(column))) },
    }
}

/// A small bar of parts of a whole, in words for those who cannot see it.
pub(super) fn bar(parts: &[(&'static str, Colour, f64)]) -> Markup {
    if parts.is_empty() {
        return html! { (NONE) };
    }
    let words: Vec<String> =
        parts.iter().map(|(name, _, share)| format!("{name} {}", part(*share))).collect();
    let words = words.join(", ");
    html! {
        span.minibar role="img" aria-label=(words) title=(words) {
            @for (_, colour, share) in parts.iter().filter(|(.., share)| *share > 0.0) {
                i class=(colour.0) style=(format!("flex-grow:{share:.4}")) {}
            }
        }
    }
}
