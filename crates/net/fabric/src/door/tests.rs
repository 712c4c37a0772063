//! The lobby against simulated crowds, and the door against real sockets.

use super::lobby::{Heard, Limits, Lobby};
use super::*;
use crate::handshake::{Handshake, HandshakeError, Purpose, Role};
use crate::reach::{ReachError, Reaching, reach};
use std::collections::{BTreeMap, HashMap};

const SERVER: Introduction = Introduction {
    role: Role::Server,
    purpose: Purpose::Control,
    node: Introduction::NO_NODE,
    session: 7,
};
const CLIENT: Introduction = Introduction { role: Role::Client, ..SERVER };
const LIMITS: Limits = Limits { at_once: 16, patience: Duration::from_millis(200) };

fn address(number: u64) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 1 + (number % 60_000) as u16))
}

fn client(key: &RunKey) -> Handshake {
    Handshake::new(key, CLIENT, "server".into()).unwrap()
}

/// splitmix64: the same crowd for the same seed.
struct Draw(u64);

impl Draw {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }
}

/// What a simulated client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Habit {
    Peer,
    Idle,
    OneByte,
    Garbage,
    Drip,
    WrongKey,
    Reset,
}

const HABITS: [Habit; 6] =
    [Habit::Idle, Habit::OneByte, Habit::Garbage, Habit::Drip, Habit::WrongKey, Habit::Reset];

struct Caller {
    habit: Habit,
    /// Of a peer.
    handshake: Option<Handshake>,
}

/// A lobby, those who call at it, and what is under way, in simulated time.
struct World {
    draw: Draw,
    key: RunKey,
    /// What a client with another key says.
    wrong_hello: Vec<u8>,
    lobby: Lobby<u64>,
    begun: Instant,
    /// What happens when (µs, in order of planning), to which caller.
    plan: BTreeMap<(u64, u64), (u64, Step)>,
    planned: u64,
    callers: HashMap<u64, Caller>,
    /// The peer, while it is at the door.
    peer: Option<u64>,
    admitted: u64,
    attempts: u64,
    called: u64,
    refused: u64,
}

enum Step {
    Call(Habit),
    ToServer(Vec<u8>),
    ToClient(Vec<u8>),
    HangUp,
}

impl World {
    fn new(seed: u64) -> World {
        let key = RunKey::generate().unwrap();
        let wrong_hello = client(&RunKey::generate().unwrap()).outgoing();
        World {
            wrong_hello,
            draw: Draw(seed),
            lobby: Lobby::new(key.clone().into(), SERVER, LIMITS),
            key,
            begun: Instant::now(),
            plan: BTreeMap::new(),
            planned: 0,
            callers: HashMap::new(),
            peer: None,
            admitted: 0,
            attempts: 0,
            called: 0,
            refused: 0,
        }
    }

    fn at(&mut self, us: u64, caller: u64, step: Step) {
        self.planned += 1;
        self.plan.insert((us, self.planned), (caller, step));
    }

    fn run(&mut self) {
        while let Some(((us, _), (caller, step))) = self.plan.pop_first() {
            let now = self.begun + Duration::from_micros(us);
            self.refused += self.lobby.expire(now).len() as u64;
            self.look_after_the_peer(us);
            match step {
                Step::Call(habit) => self.call(us, habit),
                Step::ToServer(bytes) => self.server_gets(us, caller, &bytes),
                Step::ToClient(bytes) => self.client_gets(us, caller, &bytes),
                Step::HangUp => {
                    if let Some(place) = self.place(caller) {
                        self.lobby.hang_up(place);
                        self.refused += 1;
                    }
                }
            }
            assert!(self.lobby.len() <= LIMITS.at_once, "the crowd is bounded");
        }
        let over = self.begun + Duration::from_secs(3600);
        self.refused += self.lobby.expire(over).len() as u64;
        assert_eq!((self.lobby.len(), self.lobby.next_deadline()), (0, None));
    }

    fn call(&mut self, us: u64, habit: Habit) {
        self.called += 1;
        let caller = self.called;
        let mut handshake = (habit == Habit::Peer).then(|| client(&self.key));
        let said = handshake.as_mut().map(Handshake::outgoing);
        let hello = said.unwrap_or_else(|| self.wrong_hello.clone());
        self.callers.insert(caller, Caller { habit, handshake });
        let now = self.begun + Duration::from_micros(us);
        self.refused += u64::from(self.lobby.enter(caller, address(caller), now).is_some());
        self.look_after_the_peer(us);
        if habit == Habit::Peer {
            (self.peer, self.attempts) = (Some(caller), self.attempts + 1);
        }
        match habit {
            Habit::Peer | Habit::WrongKey => {
                self.sends(us, caller, hello);
            }
            Habit::Idle => {}
            Habit::OneByte => self.sends(us, caller, hello[..1].to_vec()),
            Habit::Garbage => self.sends(us, caller, b"GET / HTTP/1.1\r\n\r\n".to_vec()),
            Habit::Drip => {
                (0..72).for_each(|i| {
                    self.at(us + 20_000 * i, caller, Step::ToServer(vec![hello[i as usize]]))
                });
            }
            Habit::Reset => self.at(us + 100, caller, Step::HangUp),
        }
    }

    /// On its way for up to 3 ms.
    fn sends(&mut self, us: u64, caller: u64, bytes: Vec<u8>) {
        let delay = 20 + self.draw.next(3_000);
        self.at(us + delay, caller, Step::ToServer(bytes));
    }

    fn server_gets(&mut self, us: u64, caller: u64, mut bytes: &[u8]) {
        while let (Some(place), false) = (self.place(caller), bytes.is_empty()) {
            let (_, wants) = self.lobby.listen(place);
            let (now, later) = bytes.split_at(wants.min(bytes.len()));
            bytes = later;
            let delay = 20 + self.draw.next(3_000);
            match self.lobby.hear(place, now) {
                Heard::Waits(words) => self.at(us + delay, caller, Step::ToClient(words)),
                Heard::Proved { connection, proved, .. } => {
                    assert_eq!((connection, proved.who), (caller, CLIENT));
                    assert_eq!(self.callers[&caller].habit, Habit::Peer, "only the key opens");
                    (self.peer, self.admitted) = (None, self.admitted + 1);
                }
                Heard::Refused { .. } => self.refused += 1,
            }
        }
    }

    fn client_gets(&mut self, us: u64, caller: u64, bytes: &[u8]) {
        let Some(Caller { handshake: Some(handshake), .. }) = self.callers.get_mut(&caller) else {
            return;
        };
        handshake.receive(bytes).unwrap();
        let proof = handshake.outgoing();
        self.sends(us, caller, proof);
    }

    /// A peer that was pushed out calls again.
    fn look_after_the_peer(&mut self, us: u64) {
        if self.peer.is_some_and(|peer| self.place(peer).is_none()) {
            self.peer = None;
            self.at(us + 10_000, 0, Step::Call(Habit::Peer));
        }
    }

    fn place(&self, caller: u64) -> Option<usize> {
        self.lobby.connections().position(|connection| *connection == caller)
    }
}

/// A peer gets in while two thousand others a second hold every place they can: one in each world.
#[test]
fn a_peer_gets_in_through_any_crowd() {
    for seed in 0..100 {
        let mut world = World::new(seed);
        let mut us = 0;
        for _ in 0..2_000 {
            us += world.draw.next(1_000);
            let habit = HABITS[world.draw.next(HABITS.len() as u64) as usize];
            world.at(us, 0, Step::Call(habit));
        }
        let middle = us / 2;
        world.at(middle, 0, Step::Call(Habit::Peer));
        world.run();
        let again = "cargo test -p fourstamp-fabric a_peer_gets_in";
        assert_eq!(world.admitted, 1, "seed {seed}, {} attempts: {again}", world.attempts);
        assert!(world.attempts <= 60, "seed {seed}: {} attempts: {again}", world.attempts);
        let counted = world.lobby.counts();
        assert_eq!(
            counted.total(),
            world.refused,
            "seed {seed}: everybody else is counted, once: {again}"
        );
        assert_eq!(world.called, world.refused + world.admitted, "seed {seed}: {again}");
    }
}

#[test]
fn strangers_are_told_apart_and_the_first_of_each_kind_is_named() {
    let (key, now) = (RunKey::generate().unwrap(), Instant::now());
    let mut lobby = Lobby::new(key.into(), SERVER, LIMITS);
    for number in 0..4 {
        assert!(lobby.enter(number, address(number), now).is_none());
    }
    assert!(matches!(lobby.hear(1, b"4"), Heard::Waits(words) if words.is_empty()));
    assert!(matches!(lobby.hear(3, b"GET"), Heard::Refused { refusal, .. } if refusal.is_first));
    assert!(lobby.hang_up(2).is_first);
    assert!(lobby.expire(now + LIMITS.patience - Duration::from_nanos(1)).is_empty());
    let late = lobby.expire(now + LIMITS.patience);
    assert!(late.iter().all(|refusal| refusal.is_first), "{late:?}");
    let kinds = [
        StrangerKind::Silent,
        StrangerKind::Unfinished,
        StrangerKind::HungUp,
        StrangerKind::Foreign,
    ];
    assert_eq!(kinds.map(|kind| lobby.counts().of(kind)), [1; 4]);
    assert_eq!(lobby.counts().total(), 4);
}

#[test]
fn the_oldest_makes_room() {
    let (key, now) = (RunKey::generate().unwrap(), Instant::now());
    let mut lobby = Lobby::new(key.into(), SERVER, LIMITS);
    let enter = |number: u64, lobby: &mut Lobby<u64>| lobby.enter(number, address(number), now);
    for number in 0..LIMITS.at_once as u64 {
        assert!(enter(number, &mut lobby).is_none());
    }
    let crowded = enter(99, &mut lobby).expect("the lobby is full");
    let here = address(0).to_string();
    assert!(matches!(&crowded.reason, HandshakeError::Crowded { peer } if *peer == here));
    assert_eq!(lobby.connections().next(), Some(&1));
    assert_eq!((lobby.len(), lobby.connections().last()), (LIMITS.at_once, Some(&99)));
}

/// More idle connections than there are places, before and while a peer comes: it gets in, and
/// nobody else does.
#[test]
fn a_peer_gets_through_a_real_door_that_is_full() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, waker) = (listener.local_addr().unwrap(), listener.try_clone().unwrap());
    let key = RunKey::generate().unwrap();
    let other = RunKey::generate().unwrap();
    let ring = KeyRing::new(vec![other.clone(), key.clone()]).unwrap();
    let mut door = Door::open(listener, ring, SERVER).unwrap();
    let idle: Vec<TcpStream> =
        (0..AT_ONCE + 44).map(|_| TcpStream::connect(address).unwrap()).collect();
    let served = std::thread::spawn(move || {
        let (mut guests, mut told) = (Vec::new(), Vec::new());
        while door
            .attend(None, &mut |knock| match knock {
                Knock::Guest(guest) => guests.push(guest),
                Knock::Stranger(reason) => told.push(reason),
            })
            .is_ok()
        {}
        (guests, told, door.strangers())
    });
    let (peer, limit) = (address.to_string(), Duration::from_secs(60));
    let reaching =
        Reaching { addresses: &[address], peer: &peer, ours: CLIENT, limit, will_listen: false };
    let (mut stream, proved) = reach(&reaching, &key).unwrap();
    assert_eq!(proved.who, SERVER);
    let (_other, proved) = reach(&reaching, &other).unwrap();
    assert_eq!(proved.key, other);
    let wrong = reach(&reaching, &RunKey::generate().unwrap()).unwrap_err();
    assert!(matches!(wrong, ReachError::Handshake(HandshakeError::WrongKey { .. })), "{wrong:?}");
    stream.write_all(b"x").unwrap();
    rustix::net::shutdown(&waker, rustix::net::Shutdown::Both).unwrap();
    let (mut guests, told, strangers) = served.join().unwrap();
    assert_eq!(guests.iter().map(|guest| &guest.key).collect::<Vec<_>>(), [&key, &other]);
    guests[0].stream.read_exact(&mut [0]).unwrap();
    assert!(strangers.of(StrangerKind::Silent) >= 44, "{strangers}");
    assert_eq!(strangers.of(StrangerKind::WrongKey), 1, "{strangers}");
    assert!(told.len() <= 6, "{told:?}");
    drop(idle);
}
