//! The fabrics that are tested, and how their nodes are started.

#![allow(dead_code, reason = "not every test program uses all of it")]

#[path = "ranks.rs"]
pub mod ranks;

use clock::Clock;
use fabric::{
    Machine, MachineTopology, Node, NodeId, NodeOptions, Opening, PathRoom, Places, ReceiveTask,
    Recording, RunKey, Spec, Topology, TransportSpec, UdpFaults, UdpOptions, UdpTimer, Wait,
    Waiting, open, prepare,
};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// How long a node may be stuck before its test fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What a path holds in tests that go far beyond that.
pub const LITTLE_ROOM: PathRoom = PathRoom { messages: 32, bytes: 4 << 10 };

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Carrier {
    Thread,
    Shm,
    Tcp,
    Udp(UdpOptions),
    /// A simulated machine whose nodes are linked like this.
    Machine(MachineTopology),
    /// Every node is a rank, in a process of its own that runs this same suite: see
    /// `conformance_mpi.rs`.
    Mpi,
}

/// Datagrams, with the usual window.
pub fn udp_adaptive() -> Carrier {
    Carrier::Udp(UdpOptions::default())
}

/// Datagrams, with the study's timer and its window.
pub fn udp_periodic() -> Carrier {
    let timer = UdpTimer::Periodic { period_us: 1000 };
    Carrier::Udp(UdpOptions { timer, max_acks: 29, ..UdpOptions::default() })
}

/// Datagrams, with a task for what comes, and the study's window.
pub fn udp_tasked() -> Carrier {
    let receive_task = ReceiveTask::Own { user_priority: None };
    Carrier::Udp(UdpOptions { receive_task, max_acks: 29, ..UdpOptions::default() })
}

/// The same over a bad network.
pub fn troubled(carrier: Carrier, chance: f64) -> Carrier {
    let Carrier::Udp(options) = carrier else { panic!("only datagrams can be troubled") };
    let faults = UdpFaults {
        loss: chance,
        duplicate: chance,
        reorder: chance,
        delay: chance,
        ..UdpFaults::NONE
    };
    Carrier::Udp(UdpOptions { faults: Some(faults), ..options })
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Fabric {
    pub carrier: Carrier,
    pub nodes: u16,
    pub topology: Topology,
    pub wait: Waiting,
    pub path_room: Option<PathRoom>,
    pub plant: Option<fabric::Plant>,
}

/// What nodes need to find each other, kept for as long as they run.
pub struct Ground {
    pub spec: Spec,
    pub key: RunKey,
    listeners: Vec<Option<TcpListener>>,
    _segment: Option<fabric::Segment>,
}

impl Fabric {
    pub fn mesh(carrier: Carrier, nodes: u16, wait: Waiting) -> Fabric {
        let topology = Topology::Mesh;
        Fabric { carrier, nodes, topology, wait, path_room: None, plant: None }
    }

    pub fn cube(carrier: Carrier, nodes: u16, wait: Waiting) -> Fabric {
        Fabric {
            topology: Topology::Hypercube { packet_bytes: 1000 },
            ..Fabric::mesh(carrier, nodes, wait)
        }
    }

    /// With some of everything that can be planted, each so short that no test waits for it.
    pub fn planted(self) -> Fabric {
        let texts = [
            "peak:mass=0.3,by=30us,stage=send-wait",
            "every:messages=7,by=20us",
            "knee:at=100,jump=10us,stage=receive-wait",
            "packets:payload=5000,each=1us",
            "pause:messages=40,for=100us",
        ];
        let plantings = texts.iter().map(|text| text.parse().unwrap()).collect();
        Fabric { plant: Some(fabric::Plant { seed: 1, plantings }), ..self }
    }

    /// The same with paths that hold next to nothing, so that a test soon goes far beyond them.
    pub fn with_little_room(&self) -> Fabric {
        let carrier = match self.carrier {
            Carrier::Udp(options) => {
                Carrier::Udp(UdpOptions { max_acks: LITTLE_ROOM.messages, ..options })
            }
            other => other,
        };
        Fabric { carrier, path_room: Some(LITTLE_ROOM), ..self.clone() }
    }

    /// The same with paths that hold what a node sends to another while neither takes anything: of
    /// many nodes they are small, and two that wait for room towards each other wait for ever.
    pub fn with_ample_room(self) -> Fabric {
        Fabric { path_room: Some(PathRoom { messages: 1024, bytes: 1 << 20 }), ..self }
    }

    /// Whether an arrival may be known within bounds only.
    pub fn brackets(&self) -> bool {
        self.transport().kind.brackets
    }

    /// Whether each datagram may have to go many times.
    pub fn is_troubled(&self) -> bool {
        matches!(self.carrier, Carrier::Udp(UdpOptions { faults: Some(_), .. }))
    }

    /// Whether its time is simulated, packet by packet.
    pub fn is_simulated(&self) -> bool {
        matches!(self.carrier, Carrier::Machine(_))
    }

    /// Whether every few dozen packets wait for an acknowledgement: on a busy machine that takes
    /// its time.
    pub fn is_udp(&self) -> bool {
        matches!(self.carrier, Carrier::Udp(_))
    }

    pub fn is_cube(&self) -> bool {
        self.topology != Topology::Mesh
            || self.carrier == Carrier::Machine(MachineTopology::Hypercube)
    }

    /// Addresses and shared memory for the nodes.
    pub fn ground(&self) -> Ground {
        let listeners: Vec<TcpListener> = match self.carrier {
            Carrier::Tcp | Carrier::Udp(_) => {
                (0..self.nodes).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect()
            }
            _ => Vec::new(),
        };
        let address = |listener: &TcpListener| listener.local_addr().unwrap();
        let addresses = listeners.iter().map(address).collect();
        let (spec, segment) = self.prepared(addresses);
        let listeners = listeners.into_iter().map(Some).collect();
        Ground { spec, key: RunKey::generate().unwrap(), listeners, _segment: segment }
    }

    /// The spec of nodes that may meet at these addresses, and what they share.
    pub fn prepared(&self, addresses: Vec<SocketAddr>) -> (Spec, Option<fabric::Segment>) {
        let mut spec = self.spec();
        let places = Places { addresses, file: new_segment_path() };
        let segment = prepare(&mut spec, places).unwrap();
        (spec, segment)
    }

    fn transport(&self) -> TransportSpec {
        match self.carrier {
            Carrier::Thread => TransportSpec::of(&fabric::THREAD),
            Carrier::Shm => TransportSpec::of(&fabric::SHM),
            Carrier::Tcp => TransportSpec::of(&fabric::TCP),
            Carrier::Mpi => TransportSpec::of(&fabric::MPI),
            Carrier::Machine(topology) => {
                let machine = fabric::find_machine("myrinet").unwrap();
                // As large as those of the fabric's own cubes.
                let machine = machine.with("network.packet", 1000.0);
                TransportSpec::simulated(&Machine { topology, ..machine })
            }
            Carrier::Udp(options) => {
                let settings = serde_json::to_value(options).unwrap();
                TransportSpec { settings, ..TransportSpec::of(&fabric::UDP) }
            }
        }
    }

    pub fn spec(&self) -> Spec {
        Spec {
            nodes: self.nodes,
            transport: self.transport(),
            topology: self.topology,
            wait: self.wait,
            path_room: self.path_room,
            peer_timeout_ms: PATIENCE.as_millis() as u64,
            plant: self.plant.clone(),
        }
    }

    /// Run every node in a thread of its own: `program` is its whole life but for opening and
    /// closing.
    pub fn run(&self, program: impl Fn(&mut Node) + Sync) {
        self.run_recorded(|_| Recording::Off, |node, _| program(node));
    }

    /// The same, with something to record into; `after` gets it back.
    pub fn run_recorded(
        &self,
        recording: impl Fn(NodeId) -> Recording + Sync,
        program: impl Fn(&mut Node, &Fabric) + Sync,
    ) -> Vec<Recording> {
        let mut ground = self.ground();
        let (spec, key) = (ground.spec.clone(), ground.key.clone());
        let (recording, program) = (&recording, &program);
        let run = |transport, id: NodeId| {
            let mut node = Node::new(transport, options(&spec, id, recording(id)));
            program(&mut node, self);
            node.close().unwrap_or_else(|error| panic!("node {id} of {self:?} closing: {error}"));
            node.into_recording()
        };
        let run = &run;
        if self.carrier == Carrier::Mpi {
            let id = ranks::rank();
            return vec![run(open_one(&spec, &key, id, None), id)];
        }
        std::thread::scope(|scope| {
            let handles: Vec<_> = match self.carrier {
                Carrier::Thread | Carrier::Machine(_) => {
                    let hosted: Vec<NodeId> = (0..self.nodes).collect();
                    let opening = Opening {
                        spec: &spec,
                        hosted: &hosted,
                        key: &key,
                        listener: None,
                        clock: spec_clock(&spec),
                    };
                    let ends = open(opening).unwrap().into_iter().zip(hosted);
                    ends.map(|(end, id)| scope.spawn(move || run(end, id))).collect()
                }
                _ => {
                    let listeners = std::mem::take(&mut ground.listeners)
                        .into_iter()
                        .chain(std::iter::repeat_with(|| None));
                    let ids = (0..self.nodes).zip(listeners);
                    let (spec, key) = (&spec, &key);
                    ids.map(|(id, listener)| {
                        scope.spawn(move || run(open_one(spec, key, id, listener), id))
                    })
                    .collect()
                }
            };
            handles.into_iter().map(|handle| handle.join().unwrap()).collect()
        })
    }
}

/// What nodes of this fabric take stamps with.
pub fn spec_clock(spec: &Spec) -> Clock {
    spec.transport.kind.clock.map_or_else(Clock::best, |clock| clock())
}

/// One node's transport, in a process or thread that hosts nothing else.
pub fn open_one(
    spec: &Spec,
    key: &RunKey,
    id: NodeId,
    listener: Option<TcpListener>,
) -> Box<dyn fabric::Transport> {
    let opening = Opening { spec, hosted: &[id], key, listener, clock: spec_clock(spec) };
    let ends = open(opening).unwrap_or_else(|error| panic!("opening node {id}: {error}"));
    ends.into_iter().next().unwrap()
}

pub fn options(spec: &Spec, id: NodeId, recording: Recording) -> NodeOptions {
    NodeOptions {
        id,
        nodes: spec.nodes,
        clock: spec_clock(spec),
        recording,
        wait: spec.wait,
        peer_timeout: Duration::from_millis(spec.peer_timeout_ms),
    }
}

pub fn new_segment_path() -> PathBuf {
    memory::shared_folder().join(memory::leased_name(memory::new_owner(), "conformance"))
}

/// Words that the test sees while its nodes run, wherever they do.
pub enum Words {
    Here([AtomicU64; 2]),
    Shared(memory::Region),
}

impl Words {
    pub fn new(fabric: &Fabric) -> Words {
        match fabric.carrier {
            Carrier::Mpi => Words::Shared(ranks::shared_words(2)),
            _ => Words::Here(Default::default()),
        }
    }

    pub fn at(&self, index: usize) -> &AtomicU64 {
        match self {
            Words::Here(words) => &words[index],
            Words::Shared(region) => &region.words()[index],
        }
    }
}

/// A message that has been taken.
pub struct Got {
    pub from: NodeId,
    pub payload: Vec<u8>,
}

/// The next message, which must come. A wait with a deadline also ends early, when a peer says
/// good-bye.
pub fn take_in_time(node: &mut Node) -> Got {
    let deadline = node.after(PATIENCE);
    loop {
        if let Some(message) = node.receive(Wait::Until(deadline)).unwrap() {
            return Got { from: message.from, payload: message.payload().to_vec() };
        }
        assert!(node.clock().now() < deadline, "node {} waits in vain", node.id());
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, seeded, the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// The payload that message `number` from one node to another must have: a block of its own,
/// repeated.
pub fn payload(from: NodeId, to: NodeId, number: u64, bytes: usize) -> Vec<u8> {
    // No power of two, so that a piece in the wrong place does not look right.
    const BLOCK_BYTES: usize = 4104;
    let mut random = Random(u64::from(from) << 48 | u64::from(to) << 32 | number);
    let mut payload = Vec::with_capacity(bytes + 8);
    while payload.len() < bytes.min(BLOCK_BYTES) {
        payload.extend_from_slice(&random.next().to_le_bytes());
    }
    while payload.len() < bytes {
        let more = payload.len().min(bytes - payload.len()).min(BLOCK_BYTES);
        payload.extend_from_within(..more);
    }
    payload.truncate(bytes);
    payload
}
