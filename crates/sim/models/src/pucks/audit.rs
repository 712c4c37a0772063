//! What must always hold, looked at while a run goes on in order.
//!
//! At every event: positions are on the table, radius and mass never change, nobody knows of the
//! future, and each message that calls a prediction off meets it. Once all events of a simtime are
//! done: energy is what it was; pucks are on the table and none overlap; pucks and sectors agree on
//! who is where, and that agrees with where the pucks are.
//!
//! The model's own rules let two pucks collide by a prediction that has become stale: then one of
//! them may reject it, or the energy jumps. That is counted (the benchmark has none of it), and
//! from there on the table as a whole is not looked at: a stale prediction puts a puck where it
//! would have been.
//!
//! Momentum is not conserved, because of the cushions. Energy is not looked at between the two
//! events of one collision.

use super::body::{Body, Vector};
use super::model::{Part, Pucks, PucksState};
use super::name::{Kind, Name};
use super::payload::PucksPayload;
use super::puck::Puck;
use super::scenario::Scenario;
use super::{CANCEL_ACTION, COLLIDE_PUCK, DEPART_SECTOR, ENTER_SECTOR};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use timewarp::{Bundle, Context, Model, ObjectId, Tell};

/// Rounding of positions.
const CLOSE: f64 = 1e-6;
/// Rounding of energy, relative.
const ENERGY: f64 = 1e-12;
/// What did not change is looked at so seldom: every so many simtimes.
const SELDOM: u64 = 37;

/// A model that fails at the first event at which something does not hold. For the sequential
/// engine alone: it sees the whole table, which no node of another engine does.
#[derive(Debug)]
pub struct Audited<'m> {
    model: &'m Pucks,
    table: Mutex<Table>,
}

/// What was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Findings {
    /// Simtimes with events.
    pub simtimes: u64,
    /// Sum of m / 2 v².
    pub energy: f64,
    /// Collisions that a puck rejected.
    pub rejected: u64,
    /// Simtimes at which the energy changed.
    pub jumps: u64,
    /// Most plans of a cushion, a puck, a sector.
    pub plans_most: [usize; 3],
    /// Most sectors that a puck was in.
    pub sectors_most: usize,
    /// Most pucks that a sector held.
    pub pucks_most: usize,
    /// Messages that call predictions off, and met them.
    pub cancels: u64,
}

/// The whole table as the objects last saw it.
#[derive(Debug)]
struct Table {
    now: f64,
    pucks: BTreeMap<Name, Puck>,
    /// Who is in each sector.
    sectors: BTreeMap<Name, Vec<Name>>,
    /// Pucks with an event at this simtime.
    changed: Vec<Name>,
    /// Whether pucks started at this simtime.
    started: bool,
    /// Messages handled: pucks' and sectors' of entering, the same of departing, collisions.
    handled: [[u64; 2]; 3],
    findings: Findings,
    width: f64,
    height: f64,
}

impl<'m> Audited<'m> {
    /// Look at this model.
    pub fn new(model: &'m Pucks) -> Audited<'m> {
        Audited { model, table: Mutex::new(Table::new(model.scenario())) }
    }

    /// What was seen so far.
    pub fn findings(&self) -> Findings {
        self.table.lock().unwrap_or_else(PoisonError::into_inner).findings
    }

    fn with_table(
        &self,
        context: &mut Context<'_, PucksPayload>,
        look: impl FnOnce(&mut Table) -> Result<(), String>,
    ) {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(what) = look(&mut table) {
            context.fail(format!("an invariant does not hold: {what}"));
        }
    }
}

impl Table {
    fn new(scenario: &Scenario) -> Table {
        let [width, height] = scenario.sector_sides();
        Table {
            now: f64::NEG_INFINITY,
            pucks: BTreeMap::new(),
            sectors: BTreeMap::new(),
            changed: Vec::new(),
            started: false,
            handled: [[0; 2]; 3],
            findings: Findings::default(),
            width,
            height,
        }
    }

    /// Before the first event of a simtime.
    fn advance(&mut self, simtime: f64) -> Result<(), String> {
        if simtime > self.now {
            let before = self.now;
            if before.is_finite() {
                self.findings.simtimes += 1;
            }
            self.look().map_err(|what| format!("at simtime {before}, {what}"))?;
            self.now = simtime;
        }
        Ok(())
    }

    /// An object has handled a bundle.
    fn note(
        &mut self,
        name: Name,
        state: &PucksState,
        bundle: Bundle<'_, PucksPayload>,
    ) -> Result<(), String> {
        let kind = name.kind() as usize;
        let most = &mut self.findings.plans_most[kind];
        *most = (*most).max(state.plans().used());
        match state.part() {
            Part::Puck(puck) => self.note_puck(name, puck)?,
            Part::Sector(sector) => drop(self.sectors.insert(name, sector.pucks().collect())),
            Part::Cushion(_) => {}
        }
        for message in bundle.iter() {
            let side = usize::from(name.kind() == Kind::Sector);
            match message.selector {
                ENTER_SECTOR => self.handled[0][side] += 1,
                DEPART_SECTOR => self.handled[1][side] += 1,
                COLLIDE_PUCK => self.handled[2][0] += 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn note_puck(&mut self, name: Name, puck: &Puck) -> Result<(), String> {
        let body = puck.body();
        if !puck.holds(body.p) {
            return Err(format!("it is not on the table at ({}, {})", body.p.x, body.p.y));
        }
        if body.t > self.now {
            return Err(format!("its position is that of simtime {}, which is to come", body.t));
        }
        match self.pucks.insert(name, *puck) {
            None => self.started = true,
            Some(before) if (before.body().r, before.body().m) != (body.r, body.m) => {
                return Err("its radius or its mass has changed".into());
            }
            Some(before) if before.tally().rejected != puck.tally().rejected => {
                self.findings.rejected += 1;
            }
            Some(_) => {}
        }
        self.changed.push(name);
        Ok(())
    }

    /// All events of a simtime are done.
    fn look(&mut self) -> Result<(), String> {
        self.look_at_energy()?;
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort();
        changed.dedup();
        if self.findings.simtimes.is_multiple_of(SELDOM) {
            changed = self.pucks.keys().copied().collect();
        }
        let places: Vec<(Name, Vector, f64)> = self
            .pucks
            .iter()
            .map(|(name, puck)| (*name, puck.body().at(self.now), puck.body().r))
            .collect();
        if self.findings.rejected + self.findings.jumps == 0 {
            changed.into_iter().try_for_each(|name| self.look_at(name, &places))?;
        }
        for (puck, sector) in
            [self.handled[0], self.handled[1]].map(|[puck, sector]| (puck, sector))
        {
            if puck != sector {
                return Err(format!(
                    "pucks have crossed boundaries {puck} times by their own count, {sector} by \
                    the sectors'"
                ));
            }
        }
        match self.handled[2][0] % 2 {
            0 => Ok(()),
            _ => Err("one of two pucks was not told of their collision".into()),
        }
    }

    fn look_at_energy(&mut self) -> Result<(), String> {
        let energy = self.pucks.values().map(|puck| energy(puck.body())).sum();
        let before = std::mem::replace(&mut self.findings.energy, energy);
        let started = std::mem::take(&mut self.started);
        if !started && (energy - before).abs() > ENERGY * before {
            self.findings.jumps += 1;
        }
        Ok(())
    }

    /// A puck among the others, and its sectors.
    fn look_at(&mut self, name: Name, places: &[(Name, Vector, f64)]) -> Result<(), String> {
        let Some(puck) = self.pucks.get(&name) else { return Ok(()) };
        let (body, sectors) = (*puck.body(), puck.sectors().collect::<Vec<_>>());
        let here = Body { p: body.at(self.now), t: self.now, ..body };
        if !puck.holds(here.p) {
            return Err(format!("{name} is not on the table, at ({}, {})", here.p.x, here.p.y));
        }
        for (other, at, r) in places.iter().filter(|(other, ..)| *other != name) {
            let overlap = here.r + r - (*at - here.p).squared().sqrt();
            if overlap > CLOSE {
                return Err(format!("{name} and {other} overlap by {overlap}"));
            }
        }
        self.findings.sectors_most = self.findings.sectors_most.max(sectors.len());
        if !(1..=4).contains(&sectors.len()) {
            return Err(format!("{name} is in {} sectors", sectors.len()));
        }
        self.look_at_sectors(name, &here, &sectors)
    }

    fn look_at_sectors(&mut self, name: Name, here: &Body, own: &[Name]) -> Result<(), String> {
        for (sector, held) in &self.sectors {
            let times = held.iter().filter(|puck| **puck == name).count();
            let listed = own.contains(sector);
            if times != usize::from(listed) {
                return Err(format!(
                    "{sector} holds {name} {times} times; the puck {} there",
                    is(listed)
                ));
            }
            let depth =
                if listed { self.depth_of_box(*sector, here) } else { self.depth(*sector, here) };
            if listed && depth < -CLOSE || !listed && depth > CLOSE {
                return Err(format!(
                    "{name} overlaps {sector} by {depth}; the puck {} there",
                    is(listed)
                ));
            }
            self.findings.pucks_most = self.findings.pucks_most.max(held.len());
        }
        Ok(())
    }

    /// By how much a disc overlaps a sector: it enters when that becomes positive.
    fn depth(&self, sector: Name, body: &Body) -> f64 {
        let (i, j) = (f64::from(sector.row()), f64::from(sector.column()));
        let nearest = Vector::new(
            body.p.x.clamp(j * self.width, (j + 1.0) * self.width),
            body.p.y.clamp(i * self.height, (i + 1.0) * self.height),
        );
        body.r - (nearest - body.p).squared().sqrt()
    }

    /// By how much the square around it does, in the direction in which it does least: it leaves
    /// when that becomes negative, which at a corner is later.
    fn depth_of_box(&self, sector: Name, body: &Body) -> f64 {
        let (w, h) = (self.width, self.height);
        let (i, j) = (f64::from(sector.row()), f64::from(sector.column()));
        let beside = (body.p.x + body.r - j * w).min((j + 1.0) * w - (body.p.x - body.r));
        beside.min(body.p.y + body.r - i * h).min((i + 1.0) * h - (body.p.y - body.r))
    }
}

fn is(listed: bool) -> &'static str {
    if listed { "thinks it is" } else { "does not think it is" }
}

fn energy(body: &Body) -> f64 {
    body.m / 2.0 * body.v.squared()
}

/// Predictions called off that an object has met so far, those of a collision apart that cushions
/// make.
fn cancelled(state: &PucksState) -> u64 {
    match state.part() {
        Part::Puck(puck) => puck.tally().cancelled.iter().map(|count| u64::from(*count)).sum(),
        Part::Sector(sector) => {
            u64::from(sector.tally().entries_cancelled)
                + u64::from(sector.tally().departures_cancelled)
        }
        Part::Cushion(_) => 0,
    }
}

impl Model for Audited<'_> {
    type State = PucksState;
    type Payload = PucksPayload;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.model.objects()
    }

    fn name(&self, object: ObjectId) -> String {
        self.model.name(object)
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        self.model.kind(object)
    }

    fn tells(&self) -> Vec<Tell<PucksPayload>> {
        self.model.tells()
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, PucksPayload>) -> PucksState {
        self.model.init(object, context)
    }

    fn event(
        &self,
        state: &mut PucksState,
        bundle: Bundle<'_, PucksPayload>,
        context: &mut Context<'_, PucksPayload>,
    ) {
        let simtime = context.now().simtime();
        self.with_table(context, |table| table.advance(simtime));
        let before = cancelled(state);
        self.model.event(state, bundle, context);
        let name = self.model.scenario().objects()[context.object().0 as usize];
        self.with_table(context, |table| {
            let cancels =
                bundle.iter().filter(|message| message.selector == CANCEL_ACTION).count() as u64;
            let met = cancelled(state) - before;
            if cancels != met {
                return Err(format!("of {cancels} predictions called off it met {met}"));
            }
            table.findings.cancels += cancels;
            table.note(name, state, bundle)
        });
    }

    fn term(
        &self,
        _: &mut PucksState,
        _: Bundle<'_, PucksPayload>,
        context: &mut Context<'_, PucksPayload>,
    ) {
        self.with_table(context, |table| table.advance(f64::INFINITY));
    }
}
