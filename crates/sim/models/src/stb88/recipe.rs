//! What is to be known of STB88, and of the reconstruction of CTLS on its rules, to offer them.

use super::{CtlsOptions, FILES, Scenario, Stb88, Stb88Options, Tables, TheatreOptions};
use crate::ModelError;
use crate::argument::{Argument, Parameter};
use crate::recipe::{Auditor, HOLD, Read, Recipe};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where an order of battle comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScenarioSource {
    /// The tables in this folder. Every node reads them.
    Files(PathBuf),
    /// Drawn from a seed.
    Drawn(TheatreOptions),
}

impl Default for ScenarioSource {
    fn default() -> ScenarioSource {
        ScenarioSource::Drawn(TheatreOptions::default())
    }
}

impl ScenarioSource {
    /// Which battle is drawn, if one is.
    fn draw(&mut self, change: impl FnOnce(&mut TheatreOptions)) {
        if let ScenarioSource::Drawn(options) = self {
            change(options);
        }
    }
}

/// A parameter of the battle drawn.
const fn drawn(name: &'static str, help: &'static str, usual: &'static str) -> Argument {
    Argument::count(name, help, usual).instead_of(&["data"])
}

impl Recipe for ScenarioSource {
    type Model = Stb88;

    const NAME: &'static str = super::NAME;
    const ABOUT: &'static str =
        "A battle along a front: the corps and divisions of two sides meet, fight and report";
    const IS_AUDITED: bool = true;
    const PARAMETERS: &'static [Parameter<ScenarioSource>] = &[
        Parameter {
            argument: Argument::data(
                "Folder with stb88_objects.csv, stb88_corps.csv and so on",
                "orders of battle drawn from the seed",
            ),
            set: |source, value| *source = ScenarioSource::Files(value.path().into()),
        },
        Parameter {
            argument: drawn("corps", "Corps a side, of the battle drawn", "18"),
            set: |source, value| source.draw(|battle| battle.corps = value.whole()),
        },
        Parameter {
            argument: drawn("blue-divisions", "Divisions of a blue corps, 2 to 10", "7"),
            set: |source, value| source.draw(|battle| battle.blue_divisions = value.whole()),
        },
        Parameter {
            argument: drawn("red-divisions", "Divisions of a red corps at most, 2 to 10", "10"),
            set: |source, value| source.draw(|battle| battle.red_divisions = value.whole()),
        },
        Parameter {
            argument: Argument::seed("Seed of the battle drawn").instead_of(&["data"]),
            set: |source, value| source.draw(|battle| battle.seed = value.seed()),
        },
    ];

    fn make(&self, read: &Read<'_>) -> Result<Stb88, ModelError> {
        let scenario = match self {
            ScenarioSource::Drawn(options) => Scenario::generate(options)?,
            ScenarioSource::Files(folder) => {
                let what = "the tables stb88_objects.csv, stb88_corps.csv and so on";
                let texts = FILES.map(|file| read(folder, file, what));
                let texts = texts.into_iter().collect::<Result<Vec<_>, _>>()?;
                let tables: Tables<'_> = std::array::from_fn(|table| texts[table].as_str());
                Scenario::read(tables)?
            }
        };
        Ok(Stb88::new(scenario, &Stb88Options::default()))
    }

    fn audit<A: Auditor>(model: &Stb88, auditor: &mut A) -> Result<String, A::Error> {
        watched(model, auditor)
    }
}

impl Recipe for CtlsOptions {
    type Model = Stb88;

    const NAME: &'static str = super::CTLS;
    const ABOUT: &'static str = "A reconstruction of CTLS: the rules of stb88 with 960 divisions, \
    for 32 nodes on a hypercube";
    const NOTES: &'static str = "\
Little is known of CTLS but its size: over 65,000 messages on 32 nodes, over 50,000 of them \
between nodes, and an object red_div22. This is our reconstruction on the rules of stb88, not the \
program of 1988; its results are its own.

The two runs of 1988:
  fourstamp warp ctls --nodes 32 --topology hypercube --max-acks 20 \\
    --placement round-robin --plimit 50 --reward 1 --penalty 2 --out ctls-20
  fourstamp warp ctls --nodes 32 --topology hypercube --max-acks 2 \\
    --placement round-robin --out ctls-2
  fourstamp compare ctls-20 ctls-2";
    const CUTOFF: Option<f64> = Some(super::CTLS_CUTOFF);
    const IS_AUDITED: bool = true;
    const PARAMETERS: &'static [Parameter<CtlsOptions>] = &[
        Parameter {
            argument: Argument::count(
                "corps",
                "Corps a side, 3 to 99; each has ten divisions",
                "48",
            ),
            set: |ctls, value| ctls.corps = value.whole(),
        },
        Parameter {
            argument: Argument::seed("Seed of how much of the weapons works at the beginning"),
            set: |ctls, value| ctls.seed = value.seed(),
        },
    ];

    fn make(&self, _: &Read<'_>) -> Result<Stb88, ModelError> {
        Scenario::ctls(self).map(|scenario| Stb88::new(scenario, &Stb88Options::default()))
    }

    fn audit<A: Auditor>(model: &Stb88, auditor: &mut A) -> Result<String, A::Error> {
        watched(model, auditor)
    }
}

fn watched<A: Auditor>(model: &Stb88, auditor: &mut A) -> Result<String, A::Error> {
    auditor.run(&Stb88::new(model.scenario().clone(), &Stb88Options { watch: true }))?;
    Ok(HOLD.into())
}
