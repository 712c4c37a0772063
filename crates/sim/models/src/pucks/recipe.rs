//! What is to be known of pucks to offer it.

use super::{Audited, Findings, MESSAGES_FILE, OBJECTS_FILE, Pucks, PucksOptions, Scenario};
use crate::ModelError;
use crate::argument::{Argument, Parameter};
use crate::recipe::{Auditor, HOLD, Read, Recipe};
use crate::table::Table;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where a table of pucks comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PucksSource {
    /// The two tables in this folder. Every node reads them.
    Files(PathBuf),
    /// Drawn from a seed.
    #[serde(rename = "table")]
    Generated(PucksOptions),
}

impl Default for PucksSource {
    fn default() -> PucksSource {
        PucksSource::Generated(PucksOptions::default())
    }
}

impl PucksSource {
    /// Which table is drawn, if one is.
    fn draw(&mut self, change: impl FnOnce(&mut PucksOptions)) {
        if let PucksSource::Generated(options) = self {
            change(options);
        }
    }
}

/// A parameter of the table drawn.
const fn drawn(name: &'static str, help: &'static str, usual: &'static str) -> Argument {
    Argument::count(name, help, usual).instead_of(&["data"])
}

impl Recipe for PucksSource {
    type Model = Pucks;

    const NAME: &'static str = super::NAME;
    const ABOUT: &'static str = "Discs that collide on a table: short events that predict \
    collisions and cancel predictions";
    const IS_AUDITED: bool = true;
    const PARAMETERS: &'static [Parameter<PucksSource>] = &[
        Parameter {
            argument: Argument::data(
                "Folder with pucks_objects.csv and pucks_initial_messages.csv",
                "a table drawn from the seed",
            ),
            set: |source, value| *source = PucksSource::Files(value.path().into()),
        },
        Parameter {
            argument: drawn("rows", "Rows of sectors of the table drawn", "8"),
            set: |source, value| source.draw(|table| table.rows = value.whole()),
        },
        Parameter {
            argument: drawn("columns", "Columns of sectors of the table drawn", "16"),
            set: |source, value| source.draw(|table| table.columns = value.whole()),
        },
        Parameter {
            argument: drawn("sector-width", "Width of its sectors", "128").named("LENGTH"),
            set: |source, value| source.draw(|table| table.width = value.whole()),
        },
        Parameter {
            argument: drawn("sector-height", "Height of its sectors", "256").named("LENGTH"),
            set: |source, value| source.draw(|table| table.height = value.whole()),
        },
        Parameter {
            argument: drawn("pucks", "Pucks on it", "128"),
            set: |source, value| source.draw(|table| table.pucks = value.whole()),
        },
        Parameter {
            argument: drawn("radius", "Radius of a puck", "6").named("LENGTH"),
            set: |source, value| source.draw(|table| table.radius = value.whole()),
        },
        Parameter {
            argument: Argument::seed("Seed of the table drawn").instead_of(&["data"]),
            set: |source, value| source.draw(|table| table.seed = value.seed()),
        },
    ];

    fn make(&self, read: &Read<'_>) -> Result<Pucks, ModelError> {
        let scenario = match self {
            PucksSource::Generated(options) => Scenario::generate(options)?,
            PucksSource::Files(folder) => {
                let what = format!("{OBJECTS_FILE} and {MESSAGES_FILE}");
                let objects = read(folder, OBJECTS_FILE, &what)?;
                let messages = read(folder, MESSAGES_FILE, &what)?;
                let table = |file, text| Table { file, text };
                Scenario::read(table(OBJECTS_FILE, &objects), table(MESSAGES_FILE, &messages))?
            }
        };
        Ok(Pucks::new(scenario))
    }

    fn end(&self) -> f64 {
        super::HORIZON
    }

    fn audit<A: Auditor>(model: &Pucks, auditor: &mut A) -> Result<String, A::Error> {
        let audited = Audited::new(model);
        auditor.run(&audited)?;
        Ok(said(&audited.findings()))
    }
}

/// After a stale prediction has changed the table, it is not looked at as a whole any more.
fn said(Findings { rejected, jumps, .. }: &Findings) -> String {
    let some = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    match rejected + jumps {
        0 => HOLD.into(),
        _ => format!(
            "the model's invariants hold as far as they were looked at: stale predictions, which \
            the rules allow, made pucks reject {} and changed the energy at {}; from the first of \
            these on nobody looked at overlaps and at who is where",
            some(*rejected, "collision"),
            some(*jumps, "simtime")
        ),
    }
}
