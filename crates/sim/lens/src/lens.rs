//! The simulation as reports know it.

use document::{Block, Colour, Figures};
use record::{Run, RunInfo};
use report::{Facts, Lens, LensError, ObjectNames, Part, ProductFacts, Reading};
use serde_json::json;
use stats::analysis::Analysis;
use stats::{Tally, own};

use crate::objects::object_names;
use crate::outcome::{KEY, Outcome};
use crate::simulation::Simulation;
use crate::tally::WarpTally;
use crate::{sections, series, words};

/// Time Warp simulations: what their engine said and what their rows tell.
#[derive(Debug)]
pub struct SimLens;

/// A run that may be a simulation: its rows will tell.
#[derive(Debug)]
struct SimReading {
    outcome: Option<Outcome>,
    names: ObjectNames,
}

impl Lens for SimLens {
    fn keys(&self) -> &'static [&'static str] {
        &[KEY]
    }

    fn facts(&self, info: &RunInfo) -> Option<ProductFacts> {
        let said = Outcome::of(&info.parameters)?.said;
        let results = Some(("Result, as the engine counted", said));
        Some(ProductFacts { results, ..ProductFacts::default() })
    }

    fn open(&self, run: &Run) -> Result<Option<Box<dyn Reading>>, LensError> {
        let outcome = Outcome::of(&run.info.parameters);
        let names = outcome.as_ref().map(|_| object_names(run)).unwrap_or_default();
        Ok(Some(Box::new(SimReading { outcome, names })))
    }

    fn series(&self) -> &'static [&'static str] {
        &series::NAMES
    }
}

impl Reading for SimReading {
    fn tally(&self) -> Box<dyn Tally> {
        Box::<WarpTally>::default()
    }

    fn finish(
        &self,
        tally: Box<dyn Tally>,
        _facts: &Facts,
        _analysis: &Analysis,
    ) -> Result<Option<Part>, LensError> {
        let simulation = own::<WarpTally>(tally).simulation();
        Ok(part(self.outcome.as_ref(), &self.names, simulation.as_ref()))
    }
}

/// `None` where neither the engine nor a row says anything.
fn part(
    outcome: Option<&Outcome>,
    names: &ObjectNames,
    simulation: Option<&Simulation>,
) -> Option<Part> {
    let figures = words::Figures::of(outcome, simulation)?;
    Some(Part {
        sentence: Some(figures.sentence()),
        opening: opening(&figures).into_iter().collect(),
        sections: simulation.map_or_else(Vec::new, |found| sections::all(outcome, names, found)),
        series: simulation.map_or_else(Vec::new, series::all),
        figures: json!({
            "simulation": simulation,
            "queues": outcome.map(|outcome| &outcome.queues).filter(|queues| !queues.is_empty()),
        }),
        ..Part::default()
    })
}

fn opening(figures: &words::Figures) -> Option<Block> {
    let tiles: Vec<(String, String)> =
        figures.tiles().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let head = "Simulation".to_owned();
    (!tiles.is_empty())
        .then(|| Block::Figures(vec![Figures { head, colour: Colour("work"), tiles }]))
}
