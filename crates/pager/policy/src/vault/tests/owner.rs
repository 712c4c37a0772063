//! Who puts pages into the vault and knows what must come out.

use std::collections::{HashMap, VecDeque};

use rand::RngExt;

use crate::frames::Frames;
use crate::simulation::{Input, World, checksum};
use crate::vault::{Event, Fetched, Policy, Role, Vault};
use crate::{Action, Frame, Into, Page, Place, Urgency};

const PAGES: u64 = 40;
const FRAMES: u32 = 16;
const TICK_NS: u64 = 100_000_000;

pub(super) struct Setting {
    pub(super) policy: Policy,
    pub(super) servers: Vec<(Place, Role)>,
    pub(super) seed: u64,
    pub(super) room: u32,
    pub(super) refuses: u32,
    pub(super) spoils: bool,
    pub(super) crashes: bool,
}

struct Get {
    into: Into,
    /// What it may bring: what was there when it began, or came since.
    may_bring: Vec<u64>,
}

pub(super) struct Owner {
    pub(super) vault: Vault,
    pub(super) world: World,
    pub(super) lost: Vec<Page>,
    setting: Setting,
    frames: Frames,
    truth: HashMap<Page, u64>,
    putting: HashMap<Frame, (Page, u64)>,
    getting: HashMap<Page, Get>,
    /// Places that died, or hang, since all was safe.
    deaths: u32,
    spoilt: u32,
    out: VecDeque<Action>,
    now_ns: u64,
    next: u64,
}

impl Owner {
    pub(super) fn new(setting: Setting) -> Owner {
        let vault = Vault::new(setting.policy, &setting.servers, FRAMES);
        let mut world = World::new(
            setting.seed,
            FRAMES + vault.frames_wanted(),
            setting.servers.len() as u16,
            setting.room,
        );
        world.refuses = setting.refuses;
        let mut owner = Owner {
            vault,
            world,
            lost: Vec::new(),
            setting,
            frames: Frames::new(0, FRAMES),
            truth: HashMap::new(),
            putting: HashMap::new(),
            getting: HashMap::new(),
            deaths: 0,
            spoilt: 0,
            out: VecDeque::new(),
            now_ns: 0,
            next: 0,
        };
        owner.tick();
        owner
    }

    /// Anything, in any order.
    pub(super) fn live(&mut self, steps: u32) {
        for _ in 0..steps {
            match self.world.random.random_range(0..100) {
                0..30 => self.put_any(),
                30..45 => self.get_any(),
                45..48 => self.forget_any(),
                48..90 => self.step(),
                90..95 => self.tick(),
                _ => self.trouble(),
            }
        }
    }

    /// Nothing more goes wrong: all comes to rest, and all that was put is there.
    pub(super) fn end(&mut self) {
        self.give_up_hanging();
        self.world.refuses = 0;
        self.settle();
        let mut pages: Vec<Page> = self.truth.keys().copied().collect();
        pages.sort_unstable();
        for page in &pages {
            self.get(*page, false);
            self.settle();
        }
        for page in pages {
            self.forget(page);
        }
        self.settle();
        self.nothing_is_left();
    }

    pub(super) fn settle(&mut self) {
        for _ in 0..200 {
            while let Some(input) = self.world.step() {
                self.tell(input);
            }
            self.tick();
            if self.vault.settled() && self.getting.is_empty() && self.putting.is_empty() {
                return;
            }
        }
        let waits = (self.getting.len(), self.putting.len(), self.vault.status());
        panic!("it does not come to rest: {waits:#?} {:#?}", self.vault);
    }

    pub(super) fn put(&mut self, page: Page) -> bool {
        let Some(frame) = self.frames.alloc() else { return false };
        self.next += 1;
        let content = self.next.wrapping_mul(0xD134_2543_DE82_EF95) ^ self.setting.seed;
        self.world.fill(frame, content);
        self.truth.insert(page, content);
        self.putting.insert(frame, (page, content));
        if let Some(get) = self.getting.get_mut(&page) {
            get.may_bring.push(content);
        }
        self.vault.put(page, frame, checksum(content), &mut self.out);
        self.react();
        true
    }

    pub(super) fn get(&mut self, page: Page, into_frame: bool) {
        if self.getting.contains_key(&page) {
            return;
        }
        let frame = if into_frame { self.frames.alloc() } else { None };
        let into = frame.map_or(Into::Page(page), Into::Frame);
        let may_bring = self.truth.get(&page).copied().into_iter().collect();
        self.getting.insert(page, Get { into, may_bring });
        self.vault.get(page, into, Urgency::Fault, &mut self.out);
        self.react();
    }

    pub(super) fn crash(&mut self, place: Place) {
        if self.world.spots[&place].up {
            self.deaths += u32::from(!self.world.spots[&place].hangs);
            self.world.crash(place);
            self.vault.down(place, &mut self.out);
            self.react();
        }
    }

    pub(super) fn step(&mut self) {
        if let Some(input) = self.world.step() {
            self.tell(input);
        }
    }

    pub(super) fn tick(&mut self) {
        self.now_ns += TICK_NS;
        self.vault.tick(self.now_ns, &mut self.out);
        self.react();
    }

    pub(super) fn forget(&mut self, page: Page) {
        self.truth.remove(&page);
        self.vault.forget(page, &mut self.out);
        self.react();
    }

    pub(super) fn join(&mut self, place: Place, role: Role) {
        self.world.join(place, self.setting.room);
        self.vault.joined(place, role, &mut self.out);
        self.react();
    }

    fn tell(&mut self, input: Input) {
        match input {
            Input::Done(operation, outcome) => self.vault.done(operation, outcome, &mut self.out),
            Input::Granted(place, slots) => self.vault.granted(place, slots, &mut self.out),
            Input::Sum(frame, sum) => self.vault.sum(frame, sum, &mut self.out),
        }
        self.react();
    }

    fn react(&mut self) {
        loop {
            while let Some(action) = self.out.pop_front() {
                self.world.carry_out(action);
            }
            match self.vault.event() {
                Some(event) => self.hear(event),
                None => break,
            }
        }
        let hangs = self.world.spots.values().any(|spot| spot.hangs);
        if self.vault.settled() && !hangs {
            self.deaths = 0;
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Stored { page, frame } => {
                let (put, content) = self.putting.remove(&frame).expect("a frame comes back once");
                assert_eq!(
                    (put, content),
                    (page, self.world.full(frame)),
                    "the frame of a put was changed"
                );
                self.empty(frame);
            }
            Event::Fetched { page, into, got } => {
                let get = self.getting.remove(&page).expect("a get is answered once");
                assert_eq!(into, get.into);
                self.fetched(page, &get, got);
            }
            Event::Lost { page } => {
                self.may_be_lost(page);
                self.truth.remove(&page).expect("a page is lost once");
                self.lost.push(page);
            }
        }
    }

    fn fetched(&mut self, page: Page, get: &Get, got: Fetched) {
        let content = match (got, get.into) {
            (Fetched::There(_), Into::Frame(frame)) => Some(self.world.full(frame)),
            (Fetched::There(_), Into::Page(page)) => Some(self.world.memory[&page]),
            (Fetched::InFrame(frame), Into::Page(_)) => {
                let content = self.world.full(frame);
                self.vault.give_back(frame, &mut self.out);
                Some(content)
            }
            (Fetched::InFrame(_), Into::Frame(_)) => panic!("a frame was asked for"),
            (Fetched::Lost | Fetched::Gone, _) => None,
        };
        match content {
            Some(content) => {
                assert!(
                    get.may_bring.contains(&content),
                    "page {} came back as it was before",
                    page.0
                )
            }
            None => assert!(
                !self.truth.contains_key(&page),
                "page {} is there, and did not come",
                page.0
            ),
        }
        if let Into::Frame(frame) = get.into {
            self.empty(frame);
        }
    }

    fn empty(&mut self, frame: Frame) {
        self.world.frames[frame.0 as usize] = None;
        self.frames.free(frame);
    }

    /// Whether enough has gone wrong at once.
    fn may_be_lost(&self, page: Page) {
        let survives = match self.setting.policy {
            Policy::None => 0,
            Policy::Disk => u32::MAX,
            Policy::Mirror | Policy::ParityLog => 1,
        };
        let bad = self.deaths + self.spoilt;
        assert!(bad > survives, "page {} was lost after {bad} deaths", page.0);
    }

    fn any_page(&mut self) -> Page {
        Page(self.world.random.random_range(0..PAGES))
    }

    fn put_any(&mut self) {
        let page = self.any_page();
        self.put(page);
    }

    fn get_any(&mut self) {
        let (page, into_frame) = (self.any_page(), self.world.chance(300));
        self.get(page, into_frame);
    }

    fn forget_any(&mut self) {
        let page = self.any_page();
        self.forget(page);
    }

    fn any_server(&mut self) -> (Place, Role) {
        let index = self.world.random.random_range(0..self.setting.servers.len());
        self.setting.servers[index]
    }

    fn trouble(&mut self) {
        let (place, role) = self.any_server();
        let up = self.world.spots[&place].up;
        if !self.setting.crashes {
            return;
        }
        match self.world.random.random_range(0..12) {
            0 => self.crash(place),
            1 if up && !self.world.spots[&place].hangs => {
                self.deaths += 1;
                self.world.spots.get_mut(&place).unwrap().hangs = true;
            }
            2..6 => self.give_up_hanging(),
            6..8 if !up => self.join(place, role),
            8 => self.world.spots.get_mut(&place).unwrap().room += 10,
            9 if self.setting.spoils && up => self.spoilt += u32::from(self.world.spoil(place)),
            _ => {}
        }
    }

    fn give_up_hanging(&mut self) {
        let mut hanging: Vec<Place> = self
            .world
            .spots
            .iter()
            .filter(|(_, spot)| spot.hangs)
            .map(|(place, _)| *place)
            .collect();
        hanging.sort_unstable();
        for place in hanging {
            self.crash(place);
        }
    }

    /// After all is forgotten, only the open group may hold anything.
    fn nothing_is_left(&mut self) {
        let status = self.vault.status();
        let used: u64 = status.places.iter().map(|place| place.used).sum();
        assert!(
            status.groups_open <= 1 && status.groups_full + status.groups_broken == 0,
            "groups are left: {status:#?}"
        );
        assert!(used <= 17, "{used} slots are left");
        let held: usize = self.world.spots.keys().map(|place| self.world.held(*place)).sum();
        assert!(held <= 17, "{held} pages are left at the places");
        let frames = self.world.frames.iter().flatten().count();
        assert!(frames <= 1, "{frames} frames are left");
    }
}
