//! Orders of battle drawn from a small description, of the character of the benchmark's.
//!
//! The benchmark has eighteen corps a side, one opposite the other, each in a cell of its own; a
//! blue corps has seven divisions, a red one nine or ten, in one of four formations that keep two
//! to five in reserve and deal the rest to three sectors, at most four to one. Geometry, weapons
//! and rules are the benchmark's; formations, who has which, and how much of the weapons works at
//! the beginning are drawn. So nothing is reached that the benchmark does not reach: in a sector at
//! most four meet four, and nobody moves beyond the cell.

use super::attrition::ATTRITION;
use super::scenario::{
    Board, CELL, CorpsPlan, DivisionPlan, Parts, SECTORS, Scenario, Systems, places, wrong,
};
use super::{Name, Side};
use crate::ModelError;
use crate::error::demand;
use serde::{Deserialize, Serialize};
use timewarp::Random;

/// Formations of a side.
const FORMATIONS: usize = 4;
/// Divisions of a sector.
const IN_A_SECTOR: usize = 4;
/// x of the sides' corps, km.
const BLUE_X: f64 = 90.0;
const RED_X: f64 = 300.0;
/// When corps wake, ticks.
const WAKE: i32 = -2000;
/// The benchmark's cells without units.
const EMPTY_CELLS: u32 = 2;
const WIDTH: f64 = 400.0;
/// When nothing new is begun, ticks.
const END: i32 = 500_000;

/// Both sides in a few numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TheatreOptions {
    /// Corps a side, 1 to 200.
    pub corps: u32,
    /// Divisions of a blue corps, 2 to 10.
    pub blue_divisions: u32,
    /// Divisions of a red corps at most, 2 to 10.
    pub red_divisions: u32,
    /// Of all draws.
    pub seed: u64,
}

impl Default for TheatreOptions {
    fn default() -> TheatreOptions {
        TheatreOptions { corps: 18, blue_divisions: 7, red_divisions: 10, seed: 1 }
    }
}

/// A theatre in which divisions are numbered through, for CTLS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CtlsOptions {
    /// Corps a side, 3 to 99: each has ten divisions.
    pub corps: u32,
    /// Of how much of the weapons works at the beginning.
    pub seed: u64,
}

impl Default for CtlsOptions {
    fn default() -> CtlsOptions {
        CtlsOptions { corps: 48, seed: 1 }
    }
}

/// CTLS's corps: all its divisions in two sectors, so that much of what is sent goes to others;
/// with fewer together most messages are to oneself.
const CTLS_FORMATION: [usize; SECTORS] = [0, 5, 5, 0];

/// How divisions are named.
#[derive(Clone, Copy, PartialEq)]
enum Numbering {
    /// From 1 in every corps, the corps' number behind it.
    InCorps,
    /// From 1 through the side.
    Through,
}

impl Scenario {
    /// Draw an order of battle.
    ///
    /// # Errors
    /// When there are too few corps or divisions, or too many.
    pub fn generate(options: &TheatreOptions) -> Result<Scenario, ModelError> {
        let TheatreOptions { corps, blue_divisions, red_divisions, seed } = *options;
        demand((1..=200).contains(&corps), "corps", corps, "give 1 to 200")?;
        for (name, divisions) in
            [("blue_divisions", blue_divisions), ("red_divisions", red_divisions)]
        {
            demand((2..=10).contains(&divisions), name, divisions, "give 2 to 10")?;
        }
        let mut random = Random::new(seed, 0);
        let blue = formations(blue_divisions as usize, [2, 5], 0, &mut random);
        let red = formations(red_divisions as usize, [2, 3], 1, &mut random);
        let mut pick =
            |all: &[[usize; SECTORS]; FORMATIONS]| all[random.below(FORMATIONS as u64) as usize];
        let sides = [(Side::Blue, blue), (Side::Red, red)];
        let plans =
            sides.map(|(side, own)| (side, (0..corps).map(|_| pick(&own)).collect::<Vec<_>>()));
        build(&plans, Numbering::InCorps, &mut random)
    }

    /// The reconstruction of CTLS: the same rules, more divisions, numbered through each side.
    ///
    /// # Errors
    /// When there are too few corps or too many.
    pub fn ctls(options: &CtlsOptions) -> Result<Scenario, ModelError> {
        let corps = options.corps;
        demand((3..=99).contains(&corps), "corps", corps, "give 3 to 99")?;
        let mut random = Random::new(options.seed, 0);
        let plans =
            [Side::Blue, Side::Red].map(|side| (side, vec![CTLS_FORMATION; corps as usize]));
        build(&plans, Numbering::Through, &mut random)
    }
}

/// Divisions of each sector of each formation; the third one has fewer, where a side is uneven.
fn formations(
    divisions: usize,
    reserve: [u64; 2],
    uneven: usize,
    random: &mut Random,
) -> [[usize; SECTORS]; FORMATIONS] {
    std::array::from_fn(|formation| {
        let divisions = if formation == 2 { (divisions - uneven).max(2) } else { divisions };
        let [least, most] = reserve;
        let held = (least + random.below(most - least + 1)).min(divisions as u64 - 1) as usize;
        let mut counts = [held, 0, 0, 0];
        for _ in held..divisions {
            let open: Vec<usize> =
                (1..SECTORS).filter(|sector| counts[*sector] < IN_A_SECTOR).collect();
            counts[open[random.below(open.len() as u64) as usize]] += 1;
        }
        counts
    })
}

type Sides = [(Side, Vec<[usize; SECTORS]>); 2];

fn build(sides: &Sides, numbering: Numbering, random: &mut Random) -> Result<Scenario, ModelError> {
    let corps = sides[0].1.len() as u32;
    let cells = corps + EMPTY_CELLS;
    let mut objects = Vec::new();
    for row in 0..cells {
        objects.push(named(format!("G0,{row}"))?);
    }
    let mut plans = Vec::new();
    for (side, formations) in sides {
        let mut before = 0;
        for (number, counts) in (1..).zip(formations) {
            let plan = plan(*side, number, *counts, (numbering, before))?;
            before += plan.divisions.len();
            objects.push(plan.name);
            objects.extend(plan.divisions.iter().map(|division| division.name));
            plans.push(plan);
        }
    }
    for number in 1..=corps {
        objects.push(named(format!("distrib{number}"))?);
    }
    Scenario::new(Parts {
        objects,
        starts: plans.iter().map(|plan| (plan.name, WAKE)).collect(),
        corps: plans,
        sides: [systems(RED, random), systems(BLUE, random)],
        attrition: ATTRITION.to_vec(),
        board: Board {
            width: WIDTH,
            height: CELL * f64::from(cells),
            columns: 1,
            rows: i64::from(cells),
            end: END,
        },
    })
}

fn plan(
    side: Side,
    number: i32,
    counts: [usize; SECTORS],
    (numbering, before): (Numbering, usize),
) -> Result<CorpsPlan, ModelError> {
    let (colour, x) = match side {
        Side::Red => ("red", RED_X),
        Side::Blue => ("blue", BLUE_X),
    };
    let at = [x, CELL * f64::from(number - 1) + CELL / 2.0];
    let mut divisions = Vec::new();
    for (place, (sector, at)) in (1..).zip(places(side, at, counts)) {
        let name = match numbering {
            Numbering::InCorps => format!("{colour}_div{place}/{number}"),
            Numbering::Through => format!("{colour}_div{}", before + place),
        };
        divisions.push(DivisionPlan { name: named(name)?, sector, at });
    }
    let (name, distributor) =
        (named(format!("{colour}_corps{number}"))?, named(format!("distrib{number}"))?);
    Ok(CorpsPlan { name, side, number, at, distributor, divisions })
}

fn named(text: String) -> Result<Name, ModelError> {
    Name::parse(&text).ok_or_else(|| wrong("the generated scenario", format!("{text} is no name")))
}

/// Number and authorised count of each system, and the strength of those that fight.
type Kinds = [(u8, f64, f64); 7];

const BLUE: Kinds = [
    (0, 300.0, 1.0),
    (4, 350.0, 1.0),
    (6, 300.0, 1.0),
    (8, 350.0, 1.0),
    (10, 400.0, 1.05),
    (3, 3500.0, 0.0),
    (13, 1700.0, 0.0),
];
const RED: Kinds = [
    (1, 375.0, 1.0),
    (5, 325.0, 1.1),
    (7, 275.0, 1.03),
    (9, 400.0, 1.0),
    (11, 400.0, 1.02),
    (12, 1800.0, 0.0),
    (2, 1500.0, 0.0),
];

/// Of what is authorised 90 to 96 % works.
fn systems(kinds: Kinds, random: &mut Random) -> Systems {
    let mut systems = Systems::default();
    for (slot, (id, authorised, strength)) in kinds.into_iter().enumerate() {
        systems.ids[slot] = id;
        systems.authorised[slot] = authorised;
        systems.operational[slot] = (authorised * (90 + random.below(7)) as f64 / 100.0).floor();
        if let Some(own) = systems.strengths.get_mut(slot) {
            *own = strength;
        }
    }
    systems
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_theatre_is_sound(
            corps in 1u32..60, blue_divisions in 2u32..=10, red_divisions in 2u32..=10, seed: u64,
        ) {
            let options = TheatreOptions { corps, blue_divisions, red_divisions, seed };
            let scenario = Scenario::generate(&options).unwrap();
            let fewest = 2 * corps as usize;
            let most = (corps * (blue_divisions + red_divisions)) as usize;
            prop_assert!(scenario.divisions() >= fewest);
            prop_assert!(scenario.divisions() <= most);
            for plan in scenario.corps() {
                for sector in 1..SECTORS {
                    let divisions = plan.divisions.iter();
                    let there = divisions.filter(|division| division.sector == sector).count();
                    prop_assert!(there <= IN_A_SECTOR);
                }
                prop_assert!(plan.divisions.iter().any(|division| division.sector > 0));
            }
        }
    }

    #[test]
    fn a_seed_says_it_all() {
        let draw = |seed| {
            Scenario::generate(&TheatreOptions { seed, ..TheatreOptions::default() }).unwrap()
        };
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
        let refused = |change: &dyn Fn(&mut TheatreOptions)| {
            let mut options = TheatreOptions::default();
            change(&mut options);
            Scenario::generate(&options).unwrap_err().to_string()
        };
        assert!(refused(&|options| options.corps = 0).contains("corps = 0"));
        assert!(refused(&|options| options.blue_divisions = 11).contains("blue_divisions = 11"));
        assert!(refused(&|options| options.red_divisions = 1).contains("red_divisions = 1"));
    }

    #[test]
    fn ctls_numbers_its_divisions_through() {
        let scenario = Scenario::ctls(&CtlsOptions::default()).unwrap();
        let red = Name::parse("red_div22").unwrap();
        assert!(scenario.find(red).is_some());
        assert!(Scenario::ctls(&CtlsOptions { corps: 2, seed: 1 }).is_err());
    }
}
