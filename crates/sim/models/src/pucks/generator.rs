//! Tables of any size, drawn from a seed, of the character of the benchmark's. They are ours.
//!
//! The benchmark has 128 pucks of one size on a table of 8 rows and 16 columns, and the parts of
//! their velocities lie evenly between -120 and 120 in steps of a tenth. So it is here; pucks never
//! overlap at the start, and lie half-way between whole coordinates: one that touches a boundary at
//! the very start would never be seen to cross it.

use super::name::Name;
use super::scenario::{Flaw, Scenario, Start};
use super::{CUSHION_START, PUCK_START, SECTOR_START};
use crate::ModelError;
use crate::error::demand;
use serde::{Deserialize, Serialize};
use timewarp::Random;

/// Fastest part of a velocity, and its steps.
const SPEED_TENTHS: u64 = 1200;
/// Draws for a place before the table is called full.
const DRAWS_MAX: u32 = 10_000;
/// When sectors and cushions begin, and when pucks do.
const BEGIN: [f64; 2] = [-1.0, 0.0];
/// Sides of a sector, in radii of a puck, so that a puck is never in more than four.
const SIDE_MIN: u32 = 4;
const SIDE_MAX: u32 = 100_000;

/// Which table to draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PucksOptions {
    /// Rows of sectors, 1 to 100.
    pub rows: u32,
    /// Columns of sectors, 1 to 100.
    pub columns: u32,
    /// Width of a sector, at least 4 radii.
    pub width: u32,
    /// Height of a sector, at least 4 radii.
    pub height: u32,
    /// Pucks, 1 to 10000.
    pub pucks: u32,
    /// Their radius.
    pub radius: u32,
    /// Of all draws.
    pub seed: u64,
}

impl Default for PucksOptions {
    fn default() -> PucksOptions {
        PucksOptions {
            rows: 8,
            columns: 16,
            width: 128,
            height: 256,
            pucks: 128,
            radius: 6,
            seed: 1,
        }
    }
}

/// Mass of every puck.
const MASS: u32 = 10;

impl Scenario {
    /// Draw a table.
    ///
    /// # Errors
    /// When an option is out of its range, or the pucks do not fit on the table.
    pub fn generate(options: &PucksOptions) -> Result<Scenario, ModelError> {
        check(options)?;
        let mut drawing = Drawing { options, objects: Vec::new(), starts: Vec::new() };
        drawing.add_sectors();
        drawing.add_cushions();
        // Cushions come first among the messages, as in the benchmark, and last among sectors and
        // cushions as objects.
        drawing.starts.sort_by_key(|start| start.selector);
        drawing.add_pucks()?;
        Scenario::build(drawing.objects, drawing.starts).map_err(|Flaw { reason, .. }| {
            ModelError::Data { place: "the table drawn".into(), reason }
        })
    }
}

fn check(options: &PucksOptions) -> Result<(), ModelError> {
    let &PucksOptions { rows, columns, width, height, pucks, radius, .. } = options;
    let places = 1..=Name::PLACES_MAX;
    demand(places.contains(&rows), "rows", rows, "give 1 to 100")?;
    demand(places.contains(&columns), "columns", columns, "give 1 to 100")?;
    demand((1..=Name::PUCKS_MAX).contains(&pucks), "pucks", pucks, "give 1 to 10000")?;
    demand((1..=1000).contains(&radius), "radius", radius, "give 1 to 1000")?;
    let sides = SIDE_MIN * radius..=SIDE_MAX;
    let reason =
        format!("a side of a sector is 4 radii or more; give {} to {SIDE_MAX}", sides.start());
    demand(sides.contains(&width), "width", width, &reason)?;
    demand(sides.contains(&height), "height", height, &reason)
}

struct Drawing<'o> {
    options: &'o PucksOptions,
    objects: Vec<Name>,
    starts: Vec<Start>,
}

impl Drawing<'_> {
    fn table(&self) -> [u32; 2] {
        [self.options.columns * self.options.width, self.options.rows * self.options.height]
    }

    fn add(&mut self, name: Name, (simtime, selector): (f64, i32), text: String) {
        let receiver = self.objects.len() as u32;
        self.objects.push(name);
        self.starts.push(Start { receiver, simtime, selector, text: text.into() });
    }

    fn add_sectors(&mut self) {
        let &PucksOptions { rows, columns, width, height, .. } = self.options;
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)))
        {
            let (x, y) = (column * width, row * height);
            let text = format!("{rows} {columns} {x} {y} {height} {width}");
            self.add(Name::sector(row as u8, column as u8), (BEGIN[0], SECTOR_START), text);
        }
    }

    fn add_cushions(&mut self) {
        let &PucksOptions { rows, columns, width, height, .. } = self.options;
        let [east, south] = self.table();
        for (side, places) in (0..).zip([rows, columns, rows, columns]) {
            for place in 0..places {
                let (x, y) = (place * width, place * height);
                let [x, y, x_end, y_end] = match side {
                    0 => [0, y, 0, y + height],
                    1 => [x, 0, x + width, 0],
                    2 => [east, y, east, y + height],
                    _ => [x, south, x + width, south],
                };
                let text = format!("{x} {y} {x_end} {y_end} 0 0 {east} {south}");
                self.add(Name::cushion(side, place as u8), (BEGIN[0], CUSHION_START), text);
            }
        }
    }

    fn add_pucks(&mut self) -> Result<(), ModelError> {
        let mut random = Random::new(self.options.seed, 0);
        let mut places: Vec<[u32; 2]> = Vec::new();
        for number in 0..self.options.pucks {
            let at = self.free_place(&places, &mut random)?;
            places.push(at);
            let mut speed =
                || (random.below(2 * SPEED_TENTHS + 1) as f64 - SPEED_TENTHS as f64) / 10.0;
            let (vx, vy) = (speed(), speed());
            self.add_puck(number as u16, at, format!("{vx:.1} {vy:.1}"));
        }
        Ok(())
    }

    /// One start message for each sector that it overlaps.
    fn add_puck(&mut self, number: u16, [x, y]: [u32; 2], velocity: String) {
        let &PucksOptions { width, height, radius, .. } = self.options;
        let [east, south] = self.table();
        let receiver = self.objects.len() as u32;
        self.objects.push(Name::puck(number));
        let of = |at: u32, side: u32| (at - radius) / side..=(at + radius) / side;
        for (row, column) in
            of(y, height).flat_map(|row| of(x, width).map(move |column| (row, column)))
        {
            let sector = Name::sector(row as u8, column as u8);
            let text = format!(
                "{radius} {MASS} {x}.5 {y}.5 {velocity} {sector} {width} {height} 0 0 {east} \
                {south}"
            );
            self.starts.push(Start {
                receiver,
                simtime: BEGIN[1],
                selector: PUCK_START,
                text: text.into(),
            });
        }
    }

    /// A place on the table that is not taken, half a unit before the true one.
    fn free_place(&self, taken: &[[u32; 2]], random: &mut Random) -> Result<[u32; 2], ModelError> {
        let radius = self.options.radius;
        let apart = u64::from(2 * radius);
        let is_free = |at: [u32; 2]| {
            let squared = |other: &[u32; 2]| {
                (0..2).map(|i| u64::from(at[i].abs_diff(other[i])).pow(2)).sum::<u64>()
            };
            taken.iter().all(|other| squared(other) > apart * apart)
        };
        for _ in 0..DRAWS_MAX {
            let at =
                self.table().map(|side| radius + random.below(u64::from(side - 2 * radius)) as u32);
            if is_free(at) {
                return Ok(at);
            }
        }
        let reason = "they do not fit on the table; give fewer or smaller pucks, or more sectors";
        Err(ModelError::parameter("pucks", self.options.pucks, reason))
    }
}
