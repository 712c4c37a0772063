//! Pucks' objects as the engine sees them.

use super::cushion::{Cushion, Edge};
use super::name::{Kind, Name};
use super::payload::PucksPayload;
use super::plans::Plans;
use super::puck::Puck;
use super::scenario::{Land, Scenario};
use super::sector::{Rectangle, Sector};
use super::visit::{Outgoing, Visit};
use serde::{Deserialize, Serialize};
use timewarp::{Bundle, Context, Model, ObjectId, Tell, VirtualTime};

/// The model.
#[derive(Clone, Debug)]
pub struct Pucks {
    scenario: Scenario,
    /// Objects' numbers by [`place`]; `NOBODY` where there is no such object.
    numbers: Vec<u32>,
    standings: Vec<u64>,
}

/// State of an object.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct PucksState {
    pub(super) plans: Plans,
    pub(super) part: Part,
}

/// What an object is, and what it remembers besides its plans.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Part {
    /// A disc.
    Puck(Puck),
    /// A rectangle of the table.
    Sector(Sector),
    /// A piece of its edge.
    Cushion(Cushion),
}

const NOBODY: u32 = u32::MAX;
const SECTORS: usize = (Name::PLACES_MAX * Name::PLACES_MAX) as usize;
const CUSHIONS: usize = Name::SIDES as usize * Name::PLACES_MAX as usize;

/// Where an object's number is kept.
#[inline]
fn place(name: Name) -> usize {
    let (row, column) = (usize::from(name.row()), usize::from(name.column()));
    let in_rows = row * Name::PLACES_MAX as usize + column;
    match name.kind() {
        Kind::Sector => in_rows,
        Kind::Cushion => SECTORS + in_rows,
        Kind::Puck => SECTORS + CUSHIONS + column,
    }
}

impl Pucks {
    /// On this table.
    pub fn new(scenario: Scenario) -> Pucks {
        let objects = scenario.objects();
        let places = objects.iter().map(|name| place(*name) + 1).max().unwrap_or(0);
        let mut numbers = vec![NOBODY; places];
        for (number, name) in (0..).zip(objects) {
            numbers[place(*name)] = number;
        }
        let standings = scenario.standings();
        Pucks { scenario, numbers, standings }
    }

    /// The table and what lies on it.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// An object's number; one that no object has where there is none of this name.
    #[inline]
    pub(super) fn object(&self, name: Name) -> u32 {
        self.numbers.get(place(name)).copied().unwrap_or(NOBODY)
    }

    #[inline]
    pub(super) fn rectangle(&self, object: u32) -> Option<&Rectangle> {
        match &self.scenario.lands[object as usize] {
            Land::Sector(rectangle) => Some(rectangle),
            Land::Cushion(_) | Land::Puck => None,
        }
    }

    #[inline]
    pub(super) fn edge(&self, object: u32) -> Option<&Edge> {
        match &self.scenario.lands[object as usize] {
            Land::Cushion(edge) => Some(edge),
            Land::Sector(_) | Land::Puck => None,
        }
    }

    pub(crate) fn state(&self, object: u32) -> PucksState {
        let part = match self.scenario.objects()[object as usize].kind() {
            Kind::Puck => Part::Puck(Puck::default()),
            Kind::Sector => Part::Sector(Sector::default()),
            Kind::Cushion => Part::Cushion(Cushion::default()),
        };
        PucksState { plans: Plans::default(), part }
    }

    /// Handle a bundle of these selectors and payloads.
    #[inline]
    pub(crate) fn handle<'p, O: Outgoing>(
        &self,
        state: &mut PucksState,
        (object, now): (u32, VirtualTime),
        messages: impl Iterator<Item = (i32, &'p PucksPayload)> + Clone,
        out: &mut O,
    ) {
        let own = self.scenario.objects()[object as usize];
        let mut visit = Visit { model: self, object, own, now, out };
        let PucksState { plans, part } = state;
        let done = match part {
            Part::Puck(puck) => puck.event(plans, messages, &mut visit),
            Part::Sector(sector) => sector.event(plans, messages, &mut visit),
            Part::Cushion(cushion) => cushion.event(plans, messages, &mut visit),
        };
        if let Err(reason) = done {
            out.refuse(reason);
        }
    }
}

impl PucksState {
    /// What the object is.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// What it has predicted.
    pub fn plans(&self) -> &Plans {
        &self.plans
    }
}

impl Outgoing for Context<'_, PucksPayload> {
    #[inline]
    fn post(&mut self, receiver: u32, receive: VirtualTime, selector: i32, payload: PucksPayload) {
        self.send(ObjectId(receiver), receive, selector, payload);
    }

    fn refuse(&mut self, reason: &str) {
        self.fail(reason);
    }
}

impl Model for Pucks {
    type State = PucksState;
    type Payload = PucksPayload;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.scenario.objects().len() as u32
    }

    fn name(&self, object: ObjectId) -> String {
        self.scenario.objects()[object.0 as usize].to_string()
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        self.scenario.objects()[object.0 as usize].kind().text()
    }

    fn tells(&self) -> Vec<Tell<PucksPayload>> {
        let starts = self.scenario.starts().iter();
        let tell = |start: &super::Start| Tell {
            receiver: ObjectId(start.receiver),
            receive: VirtualTime::at(start.simtime),
            selector: start.selector,
            payload: PucksPayload::Start(start.text.clone()),
        };
        starts.map(tell).collect()
    }

    fn init(&self, object: ObjectId, _: &mut Context<'_, PucksPayload>) -> PucksState {
        self.state(object.0)
    }

    #[inline]
    fn event(
        &self,
        state: &mut PucksState,
        bundle: Bundle<'_, PucksPayload>,
        context: &mut Context<'_, PucksPayload>,
    ) {
        let (object, now) = (context.object().0, context.now());
        let messages = bundle.iter().map(|message| (message.selector, &message.payload));
        self.handle(state, (object, now), messages, context);
    }

    fn standing(&self, object: ObjectId) -> u64 {
        self.standings[object.0 as usize]
    }

    fn state_bytes(&self, state: &PucksState) -> Option<Vec<u8>> {
        postcard::to_allocvec(state).ok()
    }

    fn state_from_bytes(&self, object: ObjectId, bytes: &[u8]) -> Option<PucksState> {
        let (state, rest): (PucksState, _) = postcard::take_from_bytes(bytes).ok()?;
        let fits =
            |ours: &Part| std::mem::discriminant(ours) == std::mem::discriminant(&state.part);
        (rest.is_empty() && fits(&self.state(object.0).part)).then_some(state)
    }

    #[inline]
    fn state_heap_bytes(&self, state: &PucksState) -> usize {
        let part = match &state.part {
            Part::Sector(sector) => sector.heap_bytes(),
            Part::Puck(_) | Part::Cushion(_) => 0,
        };
        state.plans.heap_bytes() + part
    }
}

impl Clone for PucksState {
    fn clone(&self) -> PucksState {
        PucksState { plans: self.plans.clone(), part: self.part.clone() }
    }

    /// Reuses memory.
    #[inline]
    fn clone_from(&mut self, source: &PucksState) {
        self.plans.clone_from(&source.plans);
        match (&mut self.part, &source.part) {
            (Part::Sector(ours), Part::Sector(theirs)) => ours.clone_from(theirs),
            (ours, theirs) => *ours = theirs.clone(),
        }
    }
}

impl Clone for Part {
    #[inline]
    fn clone(&self) -> Part {
        match self {
            Part::Puck(puck) => Part::Puck(*puck),
            Part::Sector(sector) => Part::Sector(sector.clone()),
            Part::Cushion(cushion) => Part::Cushion(*cushion),
        }
    }
}
