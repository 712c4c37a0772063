//! What the messages of a cut met on their way, beside what all messages met.

use document::{Block, Cell, Column, Section, Table, part, time};
use stats::analysis::Overlap;

use crate::palette::{key, name};

/// The section, where there is a cut.
pub(super) fn section(overlaps: &[Overlap]) -> Option<Section> {
    let first = overlaps.first()?;
    let share = part(first.of as f64 / first.all_of.max(1) as f64);
    let mut sentence = format!(
        "Of the messages of the cut ({share} of all that were looked at), the part in whose {} \
        something else went on at a node of their way: work of the node, or messages of kinds that \
        were not asked for. Long times meet more than short ones; by chance they would meet so \
        many at any other time of the run.",
        name(first.stage)
    );
    if first.least_ns > 0 {
        let least = time(first.least_ns as f64);
        sentence.push_str(&format!(" What took less than {least} was too much to be looked at."));
    }
    let blocks = vec![Block::Table(table(overlaps))];
    Some(Section { blocks, ..Section::new("overlaps", "What the cut overlaps", sentence) })
}

fn table(overlaps: &[Overlap]) -> Table {
    let columns = [
        Column::text("what", "What else"),
        Column::text("stage", "").data(),
        Column::count("with", "").data(),
        Column::count("of", "").data(),
        Column::count("all_with", "").data(),
        Column::count("all_of", "").data(),
        Column::share("share", "Of the cut"),
        Column::share("base", "Of all"),
        Column::share("by_chance", "By chance"),
    ];
    let row = |overlap: &Overlap| -> [Cell; 9] {
        let &Overlap { stage, kind, with, of, all_with, all_of, by_chance, .. } = overlap;
        let share = |with: u64, of: u64| Cell::from(with as f64 / of.max(1) as f64);
        [
            Cell::from(kind.name()).shown(kind.plural()),
            key(stage).into(),
            with.into(),
            of.into(),
            all_with.into(),
            all_of.into(),
            share(with, of),
            share(all_with, all_of),
            by_chance.into(),
        ]
    };
    Table::new("overlaps", columns).with(overlaps.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::{Document, table_csv};
    use record::Kind;
    use stats::analysis::Stage;

    #[test]
    fn parts_of_the_cut_and_of_all_stand_side_by_side() {
        let overlap = Overlap {
            stage: Stage::Transit,
            kind: Kind::GvtRound,
            with: 9,
            of: 10,
            all_with: 100,
            all_of: 400,
            by_chance: 0.5,
            least_ns: 0,
        };
        let sections = section(&[overlap]).into_iter().collect();
        let document = Document { sections, ..Document::default() };
        let mut out = Vec::new();
        table_csv(&document, "overlaps", &mut out).expect("there is that table");
        let lines = "what,stage,with,of,all_with,all_of,share,base,by_chance\n\
            gvt-round,transit,9,10,100,400,0.9,0.25,0.5\n";
        assert_eq!(String::from_utf8(out).expect("CSV is UTF-8"), lines);
        assert!(section(&[]).is_none());
    }
}
