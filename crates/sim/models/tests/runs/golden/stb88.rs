//! STB88 against the benchmark's golden files.

use crate::fnv::{BASIS, fnv};
use crate::watched::{Run, run, shared};
use models::stb88::{
    CTLS_CUTOFF, CtlsOptions, DivisionSheet, Name, Scenario, Stb88, Stb88Options, Stb88Payload,
    Stb88State, TheatreOptions,
};
use std::collections::BTreeMap;
use std::sync::Mutex;
use timewarp::{Bundle, Context, Model, ObjectId, Payload, Tell, VirtualTime};

/// STB88 that checks itself, prints every bundle, and how its divisions are at the end.
pub struct Told {
    pub model: Stb88,
    bundles: bool,
    /// Of all events so far: only the sequential engine runs each once and in order.
    history: Mutex<u64>,
}

impl Model for Told {
    type State = Stb88State;
    type Payload = Stb88Payload;
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

    fn tells(&self) -> Vec<Tell<Stb88Payload>> {
        self.model.tells()
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, Stb88Payload>) -> Stb88State {
        self.model.init(object, context)
    }

    fn event(
        &self,
        state: &mut Stb88State,
        bundle: Bundle<'_, Stb88Payload>,
        context: &mut Context<'_, Stb88Payload>,
    ) {
        if self.bundles {
            context.print(self.line(&bundle));
        }
        self.add_to_history(&bundle, context.object(), context.now());
        self.model.event(state, bundle, context);
    }

    fn term(
        &self,
        state: &mut Stb88State,
        _: Bundle<'_, Stb88Payload>,
        context: &mut Context<'_, Stb88Payload>,
    ) {
        if let Some(sheet) = self.model.sheet(context.object(), state) {
            context.print(row(&sheet));
        }
    }
}

impl Told {
    pub fn new(model: Stb88) -> Told {
        Told { model, bundles: false, history: Mutex::new(BASIS) }
    }

    fn add_to_history(
        &self,
        bundle: &Bundle<'_, Stb88Payload>,
        object: ObjectId,
        time: VirtualTime,
    ) {
        let mut bytes = (time.simtime() as i32).to_be_bytes().to_vec();
        bytes.extend(object.0.to_be_bytes());
        bundle.iter().for_each(|message| message.payload.encode(&mut bytes));
        let mut history = self.history.lock().unwrap();
        *history = fnv(*history, &bytes);
    }

    /// Sender, send time and what it is, of each message.
    fn line(&self, bundle: &Bundle<'_, Stb88Payload>) -> String {
        let message = |message: &timewarp::Message<Stb88Payload>| {
            let (sender, time) = match message.sender {
                ObjectId::CONFIGURATION => ("-".to_string(), 0.0),
                sender => (self.name(sender), message.send.simtime()),
            };
            format!("{sender} {time} {}", what(message.selector, &message.payload))
        };
        bundle.iter().map(message).collect::<Vec<_>>().join(";")
    }
}

/// Selector, code, and hash of the canonical bytes.
fn what(selector: i32, payload: &Stb88Payload) -> String {
    let mut bytes = Vec::new();
    payload.encode(&mut bytes);
    assert_eq!(bytes.len(), payload.bytes());
    let code = if selector == 99 { 0 } else { payload.code() };
    format!("{selector}/{code}/{:016x}", fnv(BASIS, &bytes))
}

fn row(sheet: &DivisionSheet) -> String {
    let DivisionSheet {
        posture,
        place,
        front_offset,
        strength,
        full,
        enemies,
        known,
        fighting,
        supporting,
        objective,
    } = sheet;
    let names = enemies.iter().map(Name::to_string).collect::<Vec<_>>().join(" ");
    format!(
        "{},{},{},{},{front_offset},{strength},{:016x},{full},{},{known},{fighting},{supporting},\
         {objective},{names}",
        *posture as u8,
        place.at[0],
        place.at[1],
        place.speed[0],
        strength.to_bits(),
        enemies.len(),
    )
}

/// The benchmark, checked while it runs.
pub fn benchmark() -> Option<Stb88> {
    let mut texts = Vec::new();
    for file in models::stb88::FILES {
        texts.push(shared(&format!("data/{file}"))?);
    }
    let tables: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scenario = Scenario::read(tables.try_into().unwrap()).unwrap();
    Some(Stb88::new(scenario, &Stb88Options { watch: true }))
}

/// Lines of a table as fields, the heading left out.
fn fields(text: &str) -> Vec<Vec<String>> {
    csv::Reader::from_reader(text.as_bytes())
        .records()
        .map(|record| record.unwrap().iter().map(String::from).collect())
        .collect()
}

#[test]
fn the_run_cut_at_25000() {
    let (Some(model), Some(golden)) = (benchmark(), shared("golden/stb88_cutoff25000.csv")) else {
        return;
    };
    let run = run(&model, Some(25_000.0));
    let total = run.outcome.total();
    assert_eq!((total.events, total.messages, total.committed_sends), (19_167, 29_593, 30_011));
    assert_eq!((run.outcome.final_time, run.largest_bundle()), (24_920.0, 17));
    let mut rows = fields(&golden).into_iter();
    for (object, counters) in &run.outcome.objects {
        let object = ObjectId(*object);
        let counts = [counters.events, counters.messages, counters.committed_sends]
            .map(|count| count.to_string());
        let ours = [model.name(object), model.kind(object).to_string()].into_iter().chain(counts);
        assert_eq!(rows.next().unwrap(), ours.collect::<Vec<_>>());
    }
    assert_eq!(rows.next().unwrap()[0], "TOTAL");
}

#[test]
fn the_full_run() {
    let Some(model) = benchmark() else { return };
    let run = run(&model, None);
    let total = run.outcome.total();
    assert_eq!((total.events, total.messages), (389_382, 603_472));
    assert_eq!(total.messages, total.committed_sends + 36);
    assert_eq!((run.outcome.objects.len(), run.largest_bundle()), (380, 17));
}

#[test]
fn divisions_after_25000() {
    let (Some(model), Some(golden)) =
        (benchmark(), shared("golden/stb88_divisions_cutoff25000.csv"))
    else {
        return;
    };
    let told = Told::new(model);
    let run = run(&told, Some(25_000.0));
    let ours: BTreeMap<String, &str> = run
        .kept
        .lines
        .iter()
        .map(|(_, object, line)| (told.name(*object), line.as_str()))
        .collect();
    let (mut sum, mut hash, mut ran) = (0.0, BASIS, 0);
    let rows = fields(&golden);
    let (checksum, divisions) = rows.split_last().unwrap();
    for golden in divisions.iter().filter(|golden| golden[1] == "1") {
        let found: Vec<&str> = ours[&golden[0]].split(',').collect();
        for (ours, golden) in found.iter().zip(&golden[2..]) {
            let same =
                *ours == golden || ours.parse::<f64>().is_ok_and(|ours| golden.parse() == Ok(ours));
            assert!(same, "{found:?} {golden:?}");
        }
        let strength: f64 = found[5].parse().unwrap();
        (sum, hash, ran) = (sum + strength, fnv(hash, &strength.to_bits().to_be_bytes()), ran + 1);
    }
    assert_eq!(ran.to_string(), checksum[1]);
    assert_eq!(sum, checksum[7].parse::<f64>().unwrap());
    assert_eq!(format!("{hash:016x}"), checksum[8]);
}

/// What each event sent, by its object and time, found among what was received.
type Sent = BTreeMap<(i64, String), Vec<String>>;

fn sent(told: &Told, run: &Run) -> Sent {
    let mut sent = Sent::new();
    for (time, object, line) in
        run.kept.lines.iter().filter(|(time, ..)| *time < VirtualTime::POSINF)
    {
        for message in line.split(';') {
            let [sender, send, what] = message.split(' ').collect::<Vec<_>>().try_into().unwrap();
            let key = (send.parse::<f64>().unwrap() as i64, sender.to_string());
            sent.entry(key).or_default().push(format!(
                "{}@{}/{what}",
                told.name(*object),
                time.simtime()
            ));
        }
    }
    sent
}

#[test]
fn the_head_of_the_trace() {
    let (Some(model), Some(golden)) = (benchmark(), shared("golden/stb88_trace_head.csv")) else {
        return;
    };
    let told = Told { bundles: true, ..Told::new(model) };
    let run = run(&told, Some(25_000.0));
    let mut sent = sent(&told, &run);
    let mut lines = run.kept.lines.iter();
    for golden in fields(&golden) {
        let (time, object, line) = lines.next().unwrap();
        let name = told.name(*object);
        let bundle: Vec<String> = line
            .split(';')
            .map(|message| message.split(' ').collect::<Vec<_>>())
            .map(|message| format!("{}/{}", message[0], message[2]))
            .collect();
        assert_eq!([time.simtime().to_string(), name.clone()], golden[1..3], "event {}", golden[0]);
        assert_eq!(bundle.join(";"), golden[3], "event {}", golden[0]);
        let mut ours = sent.remove(&(time.simtime() as i64, name)).unwrap_or_default();
        let mut theirs: Vec<String> =
            golden[4].split(';').filter(|sent| !sent.is_empty()).map(String::from).collect();
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "event {}", golden[0]);
    }
}

/// All committed events in order, bytes and all, in one number.
#[test]
fn the_digest_of_the_history() {
    let Some(model) = benchmark() else { return };
    let told = Told { history: Mutex::new(BASIS), ..Told::new(model) };
    run(&told, Some(25_000.0));
    assert_eq!(format!("{:016x}", *told.history.lock().unwrap()), "5a6947dd1b6f9a05");
}

#[test]
fn battles_are_mutual_at_the_end_of_any_run() {
    for seed in 0..12 {
        let (corps, divisions) = (1 + seed as u32 % 4, 2 + seed as u32 % 9);
        let theatre = TheatreOptions {
            corps,
            blue_divisions: divisions,
            red_divisions: 12 - divisions,
            seed,
        };
        let scenario = Scenario::generate(&theatre).unwrap();
        let told = Told::new(Stb88::new(scenario, &Stb88Options { watch: true }));
        let run = run(&told, None);
        let total = run.outcome.total();
        assert_eq!(total.messages, total.committed_sends + 2 * u64::from(corps), "seed {seed}");
        assert!(run.outcome.final_time > 500_000.0, "seed {seed}: {}", run.outcome.final_time);
        check_enemies(&told, &run);
    }
}

/// Whoever fights somebody is fought by that one, and not by more than four.
fn check_enemies(told: &Told, run: &Run) {
    let mut fights = BTreeMap::new();
    for (_, object, line) in &run.kept.lines {
        let enemies: Vec<String> =
            line.split(',').nth(13).unwrap().split_whitespace().map(String::from).collect();
        fights.insert(told.name(*object), enemies);
    }
    for (name, enemies) in &fights {
        assert!(enemies.len() <= 4, "{name}: {enemies:?}");
        assert!(enemies.iter().all(|enemy| fights[enemy].contains(name)), "{name}: {enemies:?}");
    }
}

/// A model that counts messages, and those between nodes that got the objects in turn.
struct Counted {
    model: Stb88,
    all: Mutex<BTreeMap<i64, [u64; 2]>>,
}

/// Nodes of CTLS.
const NODES: u32 = 32;

impl Model for Counted {
    type State = Stb88State;
    type Payload = Stb88Payload;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.model.objects()
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        self.model.kind(object)
    }

    fn tells(&self) -> Vec<Tell<Stb88Payload>> {
        self.model.tells()
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, Stb88Payload>) -> Stb88State {
        self.model.init(object, context)
    }

    fn event(
        &self,
        state: &mut Stb88State,
        bundle: Bundle<'_, Stb88Payload>,
        context: &mut Context<'_, Stb88Payload>,
    ) {
        let own = context.object().0 % NODES;
        let from_others = bundle.iter().filter(|message| {
            message.sender != ObjectId::CONFIGURATION && message.sender.0 % NODES != own
        });
        let counts = [bundle.len() as u64, from_others.count() as u64];
        let mut all = self.all.lock().unwrap();
        let sums = all.entry(context.now().simtime() as i64).or_default();
        *sums = [sums[0] + counts[0], sums[1] + counts[1]];
        drop(all);
        self.model.event(state, bundle, context);
    }
}

/// Our own golden counts: CTLS is a reconstruction.
#[test]
fn ctls_has_as_many_messages_as_in_1988() {
    let model =
        Stb88::new(Scenario::ctls(&CtlsOptions::default()).unwrap(), &Stb88Options { watch: true });
    let counted = Counted { model, all: Mutex::default() };
    assert_eq!(counted.objects(), 1154);
    let total = run(&counted, Some(CTLS_CUTOFF)).outcome.total();
    let all = counted.all.lock().unwrap();
    let sums = all.values().fold([0, 0], |sums, counts| [sums[0] + counts[0], sums[1] + counts[1]]);
    assert_eq!((total.messages, sums), (65_130, [65_130, 51_094]));
    // And not before.
    let last = all.last_key_value().unwrap();
    assert_eq!(*last.0, CTLS_CUTOFF as i64);
    assert!(sums[0] - last.1[0] < 65_000);
}
