//! STB88's objects, and how they are reached.

use super::corps::{self, CorpsState};
use super::division::{self, DivisionSheet, DivisionState};
use super::geometry::Particle;
use super::grid::{self, GridState};
use super::name::Kind;
use super::payload::{Sighted, Stb88Payload};
use super::scenario::Scenario;
use super::watch::Before;
use super::{Name, Side};
use serde::{Deserialize, Serialize};
use timewarp::{Bundle, Context, Model, ObjectId, Tell, VirtualTime};

/// Selector of the configuration's messages; all others have 0.
const START: i32 = 99;
/// What a distributor takes, ticks.
const DISTRIBUTION: i32 = 20;

/// Parameters, besides the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stb88Options {
    /// Whether what must hold is checked after every event of a division or a grid.
    pub watch: bool,
}

/// The model.
#[derive(Clone, Debug)]
pub struct Stb88 {
    scenario: Scenario,
    options: Stb88Options,
    /// What each object is: of a corps its plan's place, of a grid its row.
    roles: Vec<Role>,
    /// Which cell each has to do with.
    standings: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Role {
    Grid(i32),
    Corps(u32),
    Division,
    Distributor,
}

/// State of an object.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant)] // nearly all objects are divisions
pub enum Stb88State {
    /// Of a division.
    Division(DivisionState),
    /// Of a corps.
    Corps(Box<CorpsState>),
    /// Of a cell.
    Grid(GridState),
    /// Of a distributor, which has none.
    Distributor,
}

impl Stb88 {
    /// Of this scenario.
    pub fn new(scenario: Scenario, options: &Stb88Options) -> Stb88 {
        let role = |name: &Name| match name.kind() {
            Some(Kind::Grid) => Role::Grid(name.last_number()),
            Some(Kind::Corps) => {
                let place = scenario.corps().iter().position(|plan| plan.name == *name);
                Role::Corps(place.unwrap_or(0) as u32)
            }
            Some(Kind::Distributor) => Role::Distributor,
            Some(Kind::Division) | None => Role::Division,
        };
        let roles = scenario.objects().iter().map(role).collect();
        let standings = scenario.cells();
        Stb88 { scenario, options: options.clone(), roles, standings }
    }

    /// Its scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// How a division is; `None` for other objects.
    pub fn sheet(&self, object: ObjectId, state: &Stb88State) -> Option<DivisionSheet> {
        let Stb88State::Division(state) = state else { return None };
        Some(state.sheet(&self.scenario, Side::of(self.scenario.objects()[object.0 as usize])))
    }

    pub(crate) fn state(&self, object: u32) -> Stb88State {
        let name = self.scenario.objects()[object as usize];
        match self.roles[object as usize] {
            Role::Division => {
                Stb88State::Division(DivisionState::new(&self.scenario, Side::of(name)))
            }
            Role::Corps(_) => Stb88State::Corps(Box::new(CorpsState::new())),
            Role::Grid(_) => Stb88State::Grid(GridState::default()),
            Role::Distributor => Stb88State::Distributor,
        }
    }

    /// What the configuration sends: to whom, and when.
    pub(crate) fn starts(&self) -> &[(u32, i32)] {
        self.scenario.starts()
    }

    /// Handle a bundle whose messages carry these.
    #[inline]
    pub(crate) fn handle<'p, O: Outgoing>(
        &self,
        state: &mut Stb88State,
        (object, now): (u32, i32),
        payloads: impl Iterator<Item = &'p Stb88Payload>,
        out: &mut O,
    ) {
        let name = self.scenario.objects()[object as usize];
        let scenario = &self.scenario;
        let mut desk = Desk { scenario, object, name, now, out };
        match (state, self.roles[object as usize]) {
            (Stb88State::Division(state), _) => {
                let before = self.options.watch.then(|| Before::division(state));
                division::Visit::new(scenario, state, desk).run(payloads);
                if let Some(flaw) = before.and_then(|before| before.flaw(scenario, name, state)) {
                    out.refuse(&flaw);
                }
            }
            (Stb88State::Corps(state), Role::Corps(plan)) => {
                let plan = &scenario.corps()[plan as usize];
                corps::Visit { scenario, plan, state, desk }.run(payloads);
            }
            (Stb88State::Grid(state), Role::Grid(row)) => {
                grid::Visit { scenario, row, state, desk }.run(payloads);
            }
            _ => payloads.for_each(|payload| desk.distribute(payload)),
        }
    }
}

/// Where messages go: an engine's context, or a queue.
pub(crate) trait Outgoing {
    fn post(&mut self, receiver: u32, time: i32, payload: Stb88Payload);
    /// This event must not come true.
    fn refuse(&mut self, reason: &str);
}

/// What every object has at hand in an event.
pub(super) struct Desk<'a, O> {
    scenario: &'a Scenario,
    object: u32,
    pub name: Name,
    pub now: i32,
    out: &'a mut O,
}

impl<O: Outgoing> Desk<'_, O> {
    /// Send so many ticks from now. What has no receiver is dropped.
    #[inline]
    pub fn send(&mut self, to: Name, delay: i32, payload: Stb88Payload) {
        self.send_at(to, i64::from(self.now) + i64::from(delay), payload);
    }

    /// Send to a time; where that is past, or beyond all times, nothing is sent: speculation may
    /// come to that.
    #[inline]
    pub fn send_at(&mut self, to: Name, time: i64, payload: Stb88Payload) {
        if let Some(receiver) = self.scenario.find(to) {
            self.post(receiver, time, payload);
        }
    }

    #[inline]
    pub fn send_self(&mut self, delay: i32, payload: Stb88Payload) {
        self.post(self.object, i64::from(self.now) + i64::from(delay), payload);
    }

    #[inline]
    pub fn send_self_at(&mut self, time: i64, payload: Stb88Payload) {
        self.post(self.object, time, payload);
    }

    #[inline]
    fn post(&mut self, receiver: u32, time: i64, payload: Stb88Payload) {
        match i32::try_from(time) {
            Ok(time) if time > self.now => self.out.post(receiver, time, payload),
            _ => {}
        }
    }

    /// Bring a unit and its cell together.
    fn distribute(&mut self, payload: &Stb88Payload) {
        let Stb88Payload::Enter(sighted) = payload else { return };
        let Sighted { unit, place: Particle { at, .. }, .. } = *sighted;
        if let Some(cell) = self.scenario.cell_of(at) {
            self.send(cell, DISTRIBUTION, payload.clone());
            self.send(unit, DISTRIBUTION, Stb88Payload::Cell(cell));
        }
    }
}

impl Outgoing for Context<'_, Stb88Payload> {
    #[inline]
    fn post(&mut self, receiver: u32, time: i32, payload: Stb88Payload) {
        self.send(ObjectId(receiver), VirtualTime::at(f64::from(time)), 0, payload);
    }

    fn refuse(&mut self, reason: &str) {
        self.fail(reason);
    }
}

impl Model for Stb88 {
    type State = Stb88State;
    type Payload = Stb88Payload;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.roles.len() as u32
    }

    fn name(&self, object: ObjectId) -> String {
        self.scenario.objects()[object.0 as usize].to_string()
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        self.scenario.objects()[object.0 as usize].kind().map_or("", Kind::name)
    }

    fn tells(&self) -> Vec<Tell<Stb88Payload>> {
        let tell = |&(receiver, time): &(u32, i32)| Tell {
            receiver: ObjectId(receiver),
            receive: VirtualTime::at(f64::from(time)),
            selector: START,
            payload: Stb88Payload::Start,
        };
        self.starts().iter().map(tell).collect()
    }

    fn init(&self, object: ObjectId, _: &mut Context<'_, Stb88Payload>) -> Stb88State {
        self.state(object.0)
    }

    #[inline]
    fn event(
        &self,
        state: &mut Stb88State,
        bundle: Bundle<'_, Stb88Payload>,
        context: &mut Context<'_, Stb88Payload>,
    ) {
        // All times are whole and fit.
        let (object, now) = (context.object().0, context.now().simtime() as i32);
        self.handle(state, (object, now), bundle.iter().map(|message| &message.payload), context);
    }

    /// What is of one corps' number, on both sides, meets in one cell and hardly ever anything
    /// else.
    fn standing(&self, object: ObjectId) -> u64 {
        self.standings[object.0 as usize]
    }

    fn state_bytes(&self, state: &Stb88State) -> Option<Vec<u8>> {
        postcard::to_allocvec(state).ok()
    }

    fn state_from_bytes(&self, object: ObjectId, bytes: &[u8]) -> Option<Stb88State> {
        let (state, rest): (Stb88State, _) = postcard::take_from_bytes(bytes).ok()?;
        let fits = std::mem::discriminant(&self.state(object.0)) == std::mem::discriminant(&state);
        (rest.is_empty() && fits).then_some(state)
    }

    #[inline]
    fn state_heap_bytes(&self, state: &Stb88State) -> usize {
        match state {
            Stb88State::Division(state) => state.heap_bytes(),
            Stb88State::Corps(_) => size_of::<CorpsState>(),
            Stb88State::Grid(state) => state.heap_bytes(),
            Stb88State::Distributor => 0,
        }
    }
}

impl Clone for Stb88State {
    fn clone(&self) -> Stb88State {
        match self {
            Stb88State::Division(state) => Stb88State::Division(state.clone()),
            Stb88State::Corps(state) => Stb88State::Corps(state.clone()),
            Stb88State::Grid(state) => Stb88State::Grid(state.clone()),
            Stb88State::Distributor => Stb88State::Distributor,
        }
    }

    #[inline]
    fn clone_from(&mut self, source: &Stb88State) {
        match (self, source) {
            (Stb88State::Division(state), Stb88State::Division(source)) => state.clone_from(source),
            (Stb88State::Corps(state), Stb88State::Corps(source)) => state.clone_from(source),
            (Stb88State::Grid(state), Stb88State::Grid(source)) => state.clone_from(source),
            (state, source) => *state = source.clone(),
        }
    }
}
