//! Models that are difficult on purpose.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use timewarp::{Bundle, Context, History, Model, ObjectId, Random, Tell, VirtualTime};

/// Objects that send few and many messages, near and far, to themselves and to others, at times
/// that often coincide; that print; whose state grows; and that fail on input that never comes
/// true.
pub struct Churn {
    pub objects: u32,
    pub seed: u64,
    pub history: History,
}

#[derive(Clone, Debug)]
pub struct Account {
    random: Random,
    sum: u64,
    latest: VirtualTime,
    log: Vec<u32>,
}

pub struct Undo {
    random: Random,
    sum: u64,
    latest: VirtualTime,
    log: usize,
}

impl Churn {
    fn talk(&self, account: &mut Account, context: &mut Context<'_, Vec<u8>>) {
        let random = &mut account.random;
        let messages = [0, 1, 1, 1, 2, 2, 3][random.below(7) as usize];
        for _ in 0..messages {
            let to = match random.below(3) {
                0 => context.object(),
                _ => ObjectId(random.below(u64::from(self.objects)) as u32),
            };
            // Whole numbers, so that bundles have several messages.
            let delay = 1.0 + random.below(6) as f64;
            let bytes = vec![random.below(3) as u8; random.below(12) as usize];
            context.send(to, context.now().after(delay), random.below(2) as i32, bytes);
        }
    }
}

impl Model for Churn {
    type State = Account;
    type Payload = Vec<u8>;
    type Undo = Undo;

    fn objects(&self) -> u32 {
        self.objects
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "account"
    }

    fn tells(&self) -> Vec<Tell<Vec<u8>>> {
        let tell = |object| Tell {
            receiver: ObjectId(object),
            receive: VirtualTime::at(5.0),
            selector: -1,
            payload: b"begin".to_vec(),
        };
        (0..self.objects).step_by(2).map(tell).collect()
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, Vec<u8>>) -> Account {
        let random = Random::new(self.seed, u64::from(object.0));
        context.send(object, VirtualTime::at(1.0 + f64::from(object.0 % 3)), 7, Vec::new());
        context.send(object, VirtualTime::POSINF, 1, vec![1]);
        Account { random, sum: 0, latest: VirtualTime::NEGINF, log: Vec::new() }
    }

    fn event(
        &self,
        account: &mut Account,
        bundle: Bundle<'_, Vec<u8>>,
        context: &mut Context<'_, Vec<u8>>,
    ) -> Undo {
        let undo = Undo {
            random: account.random,
            sum: account.sum,
            latest: account.latest,
            log: account.log.len(),
        };
        assert!(context.now() > account.latest, "events of an object came out of order");
        account.latest = context.now();
        for message in bundle.iter() {
            assert!(message.receive == context.now() && message.send < message.receive);
            let text: u64 = message.payload.iter().map(|byte| u64::from(*byte)).sum();
            account.sum = account
                .sum
                .wrapping_mul(31)
                .wrapping_add(text)
                .wrapping_add(message.selector as u64);
            account.log.push(message.sender.0);
        }
        if account.log.len().is_multiple_of(16) {
            context.print(format_args!("{} at {}", account.sum, context.now()));
        }
        self.talk(account, context);
        if account.log.len().is_multiple_of(5) {
            self.talk(account, context);
        }
        undo
    }

    fn term(
        &self,
        account: &mut Account,
        bundle: Bundle<'_, Vec<u8>>,
        context: &mut Context<'_, Vec<u8>>,
    ) {
        context.print(format_args!("end: {} with {} messages", account.sum, bundle.len()));
    }

    fn undo(&self, account: &mut Account, undo: Undo) {
        account.random = undo.random;
        account.sum = undo.sum;
        account.latest = undo.latest;
        account.log.truncate(undo.log);
    }

    fn history(&self, _: ObjectId) -> History {
        self.history
    }

    fn state_bytes(&self, account: &Account) -> Option<Vec<u8>> {
        let [simtime, seq] = account.latest.words();
        let [key, counter] = account.random.words();
        let words =
            [key, counter, account.sum, simtime, seq].into_iter().flat_map(u64::to_be_bytes);
        Some(words.chain(account.log.iter().flat_map(|sender| sender.to_be_bytes())).collect())
    }

    fn state_from_bytes(&self, _: ObjectId, bytes: &[u8]) -> Option<Account> {
        let (head, log) = bytes.split_at_checked(40)?;
        let word =
            |at: usize| Some(u64::from_be_bytes(head.get(at * 8..)?.get(..8)?.try_into().ok()?));
        let log = log.chunks(4).map(|sender| Some(u32::from_be_bytes(sender.try_into().ok()?)));
        Some(Account {
            random: Random::from_words([word(0)?, word(1)?]),
            sum: word(2)?,
            latest: VirtualTime::from_words([word(3)?, word(4)?]),
            log: log.collect::<Option<_>>()?,
        })
    }

    fn state_heap_bytes(&self, account: &Account) -> usize {
        account.log.len() * size_of::<u32>()
    }
}

/// Two objects that return one message to each other.
pub struct Chatter;

impl Model for Chatter {
    type State = u32;
    type Payload = u64;
    type Undo = ();

    fn objects(&self) -> u32 {
        2
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "talker"
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, u64>) -> u32 {
        if object == ObjectId(0) {
            context.send(object, VirtualTime::at(0.0), 0, 0);
        }
        0
    }

    fn event(&self, count: &mut u32, bundle: Bundle<'_, u64>, context: &mut Context<'_, u64>) {
        *count += 1;
        let other = ObjectId(1 - context.object().0);
        context.send(other, context.now().after(1.0), 0, bundle.first().payload + 1);
    }
}

/// A reader of a book whose pages are sent by two writers, out of step with each other: read in the
/// wrong order, pages are missing, and the reader panics half-way through changing its state.
pub struct Clumsy {
    pub history: History,
    /// Whether a page is missing for good.
    pub truly: bool,
}

impl Model for Clumsy {
    type State = Vec<u64>;
    type Payload = u64;
    type Undo = usize;

    fn objects(&self) -> u32 {
        3
    }

    fn name(&self, object: ObjectId) -> String {
        ["reader", "even", "odd"][object.0 as usize].into()
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "clumsy"
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, u64>) -> Vec<u64> {
        if object.0 > 0 {
            context.send(object, VirtualTime::at(f64::from(object.0)), 0, u64::from(object.0 - 1));
        }
        Vec::new()
    }

    fn event(
        &self,
        pages: &mut Vec<u64>,
        bundle: Bundle<'_, u64>,
        context: &mut Context<'_, u64>,
    ) -> usize {
        let before = pages.len();
        let page = bundle.first().payload;
        if context.object() != ObjectId(0) {
            let skipped = self.truly && page == 150;
            context.send(
                ObjectId(0),
                VirtualTime::at(page as f64 + 50.0),
                0,
                page + u64::from(skipped) * 50,
            );
            if page < 300 {
                context.send(context.object(), context.now().after(2.0), 0, page + 2);
            }
            return before;
        }
        pages.push(page);
        if page == before as u64 {
            return before;
        }
        pages.push(u64::MAX);
        // Each way of going wrong in turn.
        match page % 3 {
            _ if self.truly => panic!("the book lacks page {page}"),
            0 => panic!("the book lacks page {before}"),
            1 => context.fail("a page is missing"),
            _ => context.send(ObjectId(0), context.now(), 0, 0),
        }
        before
    }

    fn undo(&self, pages: &mut Vec<u64>, before: usize) {
        pages.truncate(before);
    }

    fn history(&self, _: ObjectId) -> History {
        self.history
    }
}

/// Its handler reads what is not in its state.
pub struct Forgetful;

impl Model for Forgetful {
    type State = u64;
    type Payload = ();
    type Undo = ();

    fn objects(&self) -> u32 {
        1
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "forgetful"
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, ()>) -> u64 {
        context.send(object, VirtualTime::at(1.0), 0, ());
        0
    }

    fn event(&self, count: &mut u64, _: Bundle<'_, ()>, _: &mut Context<'_, ()>) {
        static CALLS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        *count = CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Breaks one rule.
pub struct Offender {
    pub rule: u32,
}

impl Model for Offender {
    type State = ();
    type Payload = Vec<u8>;
    type Undo = ();

    fn objects(&self) -> u32 {
        1
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "offender"
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, Vec<u8>>) {
        context.send(object, VirtualTime::at(1.0), 0, Vec::new());
    }

    fn event(&self, (): &mut (), _: Bundle<'_, Vec<u8>>, context: &mut Context<'_, Vec<u8>>) {
        let (me, now) = (context.object(), context.now());
        match self.rule {
            0 => context.send(me, VirtualTime::at(0.5), 0, Vec::new()),
            1 => context.send(me, now, 0, Vec::new()),
            2 => context.send(ObjectId(7), now.after(1.0), 0, Vec::new()),
            3 => context.send(me, VirtualTime::at(f64::NAN), 0, Vec::new()),
            4 => context.send(me, now.after(1.0), 0, vec![0; 2 << 20]),
            5 => loop {
                context.send(me, now.after(1.0), 0, Vec::new());
            },
            6 => loop {
                context.step();
            },
            _ => context.fail("it did not like the message"),
        }
    }
}

/// Object 0 writes a page a day, told by a message to itself; object 1 calls on the second day to
/// say that it need not.
pub struct Diary {
    pub days: u32,
}

impl Model for Diary {
    type State = bool;
    type Payload = u64;
    type Undo = ();

    fn objects(&self) -> u32 {
        2
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "diary"
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, u64>) -> bool {
        context.send(object, VirtualTime::at(if object.0 == 0 { 1.0 } else { 0.5 }), 0, 0);
        false
    }

    fn event(&self, told: &mut bool, bundle: Bundle<'_, u64>, context: &mut Context<'_, u64>) {
        let (me, now) = (context.object(), context.now());
        match me.0 {
            1 => context.send(ObjectId(0), VirtualTime::at(1.0), 1, 0),
            _ if bundle.iter().any(|message| message.selector == 1) => *told = true,
            _ if !*told && now < VirtualTime::at(f64::from(self.days) + 1.0) => {
                context.send(me, now.after(1.0), 0, 0);
            }
            _ => {}
        }
    }
}

/// Every init section sends to every object, those included that are not made yet.
pub struct Greeters {
    pub objects: u32,
}

impl Model for Greeters {
    type State = u64;
    type Payload = u64;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.objects
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "greeter"
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, u64>) -> u64 {
        for other in 0..self.objects {
            context.send(ObjectId(other), VirtualTime::at(1.0), 0, u64::from(object.0));
        }
        0
    }

    fn event(&self, greeted: &mut u64, bundle: Bundle<'_, u64>, _: &mut Context<'_, u64>) {
        *greeted += bundle.iter().map(|message| message.payload).sum::<u64>();
    }
}

/// A gate that a guard closes before each whole second, just in time. Found open it lets something
/// into a ring of objects that pass it on without delay, and without end: truly, nothing ever goes
/// round.
pub struct Whirl {
    pub ring: u32,
    pub rounds: u64,
}

impl Whirl {
    const GATE: ObjectId = ObjectId(0);

    fn guard(&self) -> ObjectId {
        ObjectId(self.ring + 1)
    }
}

impl Model for Whirl {
    /// Of the gate: until when it is closed. Of the others: messages had.
    type State = u64;
    type Payload = u64;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.ring + 2
    }

    fn name(&self, object: ObjectId) -> String {
        match object {
            Whirl::GATE => "gate".into(),
            guard if guard == self.guard() => "guard".into(),
            ring => format!("ring-{}", ring.0),
        }
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "whirl"
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, u64>) -> u64 {
        if object == Whirl::GATE {
            context.send(object, VirtualTime::at(1.0), 0, 0);
        } else if object == self.guard() {
            context.send(object, VirtualTime::at(0.1), 0, 0);
        }
        0
    }

    fn event(&self, state: &mut u64, bundle: Bundle<'_, u64>, context: &mut Context<'_, u64>) {
        let (now, me) = (context.now(), context.object());
        if me == self.guard() {
            *state += 1;
            let second = now.simtime().floor() as u64 + 1;
            if state.is_multiple_of(10) {
                context.send(Whirl::GATE, VirtualTime::at(second as f64 - 0.01), 0, second);
            }
            if *state < self.rounds * 10 {
                context.send(me, VirtualTime::at((*state + 1) as f64 / 10.0 - 0.05), 0, 0);
            }
        } else if me == Whirl::GATE {
            let closes = bundle.first().payload;
            if closes > 0 {
                *state = closes;
                return;
            }
            let second = now.simtime() as u64;
            if *state < second {
                context.send(ObjectId(1), now.after_seq2(1), 0, 0);
            }
            if second < self.rounds {
                context.send(me, now.after(1.0), 0, 0);
            }
        } else {
            *state += 1;
            context.send(ObjectId(1 + me.0 % self.ring), now.after_seq2(1), 0, 0);
        }
    }

    fn state_bytes(&self, state: &u64) -> Option<Vec<u8>> {
        Some(state.to_be_bytes().to_vec())
    }

    fn state_from_bytes(&self, _: ObjectId, bytes: &[u8]) -> Option<u64> {
        Some(u64::from_be_bytes(bytes.try_into().ok()?))
    }
}

/// Objects that send each other messages at random, with states that take `copy_ns` to copy and
/// events that take `event_ns`, by a clock of their own.
pub struct Weighty {
    pub copy_ns: u64,
    pub event_ns: u64,
    pub passed_ns: Arc<AtomicU64>,
}

pub struct Weight {
    copy_ns: u64,
    passed_ns: Arc<AtomicU64>,
    random: Random,
    sum: u64,
}

impl Clone for Weight {
    fn clone(&self) -> Weight {
        self.passed_ns.fetch_add(self.copy_ns, Relaxed);
        Weight { passed_ns: Arc::clone(&self.passed_ns), ..*self }
    }
}

impl fmt::Debug for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.random, self.sum)
    }
}

impl Model for Weighty {
    type State = Weight;
    type Payload = u64;
    type Undo = ();

    fn objects(&self) -> u32 {
        6
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        if object.0.is_multiple_of(2) { "even" } else { "odd" }
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, u64>) -> Weight {
        context.send(object, VirtualTime::at(1.0 + f64::from(object.0) / 10.0), 0, 0);
        let passed_ns = Arc::clone(&self.passed_ns);
        let random = Random::new(1, u64::from(object.0));
        Weight { copy_ns: self.copy_ns, passed_ns, random, sum: 0 }
    }

    fn event(&self, weight: &mut Weight, bundle: Bundle<'_, u64>, context: &mut Context<'_, u64>) {
        self.passed_ns.fetch_add(self.event_ns, Relaxed);
        for message in bundle.iter() {
            weight.sum = weight.sum.wrapping_mul(31) + message.payload;
            let to = ObjectId(weight.random.below(u64::from(self.objects())) as u32);
            let time = context.now().after(0.1 + weight.random.exponential(1.0));
            context.send(to, time, 0, weight.sum % 1000);
        }
    }
}
