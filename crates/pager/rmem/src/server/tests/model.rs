//! Any sequence of requests, queued in any portions, against a map that does the same.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

const SLOTS: u32 = 12;

#[derive(Clone, Debug)]
enum Step {
    Write(u32, u8),
    Read(Vec<u32>),
    Discard(Vec<u32>),
    Flush,
    Receive,
}

fn step() -> impl Strategy<Value = Step> {
    let slot = || 0..SLOTS;
    prop_oneof![
        4 => (slot(), any::<u8>()).prop_map(|(slot, filling)| Step::Write(slot, filling)),
        3 => prop::collection::vec(slot(), 1..100).prop_map(Step::Read),
        1 => prop::collection::vec(slot(), 1..4).prop_map(Step::Discard),
        1 => Just(Step::Flush),
        1 => Just(Step::Receive),
    ]
}

/// A page that differs everywhere from those of other fillings.
fn page(filling: u8) -> PageBytes {
    std::array::from_fn(|i| filling ^ (i as u8).wrapping_mul(31))
}

/// What is known of an answer before it comes.
#[derive(Debug, PartialEq)]
enum Answer {
    Stored(u64),
    Page(u64, Option<Tag>, Box<PageBytes>),
}

/// What the server should do.
#[derive(Default)]
struct Model {
    held: HashMap<u32, (Tag, PageBytes)>,
    expected: Vec<Answer>,
    operations: u64,
}

impl Model {
    fn bytes(&self, slot: u32) -> PageBytes {
        self.held.get(&slot).map_or([0; PAGE_BYTES], |(_, bytes)| *bytes)
    }

    fn tag(&self, slot: u32) -> Option<Tag> {
        self.held.get(&slot).map(|(tag, _)| *tag)
    }

    /// Do the step on both.
    fn step(&mut self, step: &Step, link: &mut Link) {
        self.operations += 1;
        let operation = self.operations;
        let tagged = |bytes: &PageBytes| Tag { version: operation, checksum: checksum(bytes) };
        match step {
            Step::Write(slot, filling) => {
                let bytes = page(*filling);
                link.write(operation, *slot, tagged(&bytes), &bytes, 0);
                self.held.insert(*slot, (tagged(&bytes), bytes));
                self.expected.push(Answer::Stored(operation));
            }
            Step::Read(slots) => {
                let reads: Vec<(u64, u32)> =
                    slots.iter().map(|slot| (u64::from(*slot), *slot)).collect();
                link.read(&reads);
                let answer = |slot: &u32| {
                    Answer::Page((*slot).into(), self.tag(*slot), self.bytes(*slot).into())
                };
                let answers: Vec<Answer> = slots.iter().map(answer).collect();
                self.expected.extend(answers);
            }
            Step::Discard(slots) => {
                link.discard(slots);
                self.held.retain(|slot, _| !slots.contains(slot));
            }
            Step::Flush => drop(link.flush(1).unwrap()),
            Step::Receive => {}
        }
    }
}

/// Note what came.
fn note(reply: Reply<'_>, came: &mut Vec<Answer>) {
    match reply {
        Reply::Stored { operations, .. } => {
            came.extend(operations.iter().map(|o| Answer::Stored(*o)))
        }
        Reply::Pages { operations, entries, bytes, .. } => {
            assert_eq!(
                (operations.len(), operations.len() * PAGE_BYTES),
                (entries.len(), bytes.len())
            );
            for ((operation, entry), bytes) in
                operations.iter().zip(entries).zip(bytes.chunks(PAGE_BYTES))
            {
                let bytes: PageBytes = bytes.try_into().unwrap();
                came.push(Answer::Page(*operation, entry.tag, bytes.into()));
            }
        }
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_server_does_what_the_model_does(
        steps in prop::collection::vec(step(), 1..60), encrypt: bool,
    ) {
        let running = Running::start(SLOTS.into(), |options| options.spin = Duration::ZERO);
        let mut client = running.client(encrypt);
        client.reserve(SLOTS);
        let (mut model, mut came) = (Model::default(), Vec::new());
        for step in &steps {
            model.step(step, &mut client.link);
            if let Step::Receive = step {
                client.link.receive(|| 2, &mut |reply| note(reply, &mut came)).unwrap();
            }
        }
        if came.len() < model.expected.len() {
            client.wait(|reply| {
                note(reply, &mut came);
                came.len() >= model.expected.len()
            });
        }
        prop_assert!(came == model.expected, "{} answers, {} \
        expected", came.len(), model.expected.len());
        prop_assert_eq!(client.link.oldest(), None);
    }
}
