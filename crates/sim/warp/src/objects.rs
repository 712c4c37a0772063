//! What is known of a model's objects without its types, so that what only names them is compiled
//! once and not for each model.

use timewarp::{Digest, Model, ObjectId, Payload};

/// The objects of a model.
pub trait Objects {
    /// How many there are.
    fn count(&self) -> u32;

    /// The unique name of one.
    fn name_of(&self, object: ObjectId) -> String;

    /// Its type.
    fn kind_of(&self, object: ObjectId) -> &'static str;

    /// The messages that the configuration sends, in its order.
    fn told(&self) -> Vec<Told>;

    /// Add all of that to a digest.
    fn digest(&self, digest: &mut Digest) {
        for object in (0..self.count()).map(ObjectId) {
            digest.bytes(self.name_of(object).as_bytes());
            digest.bytes(self.kind_of(object).as_bytes());
        }
        for told in self.told() {
            digest.two(u64::from(told.receiver.0), told.simtime.to_bits());
            digest.word(told.selector as u64);
            digest.bytes(&told.bytes);
        }
    }
}

/// A message that the configuration sends.
#[derive(Clone, Debug)]
pub struct Told {
    /// Whom it is for.
    pub receiver: ObjectId,
    /// When it is to be handled.
    pub simtime: f64,
    /// What the model means by it.
    pub selector: i32,
    /// The canonical bytes of what it carries.
    pub bytes: Vec<u8>,
}

impl<M: Model> Objects for M {
    fn count(&self) -> u32 {
        self.objects()
    }

    fn name_of(&self, object: ObjectId) -> String {
        self.name(object)
    }

    fn kind_of(&self, object: ObjectId) -> &'static str {
        self.kind(object)
    }

    fn told(&self) -> Vec<Told> {
        let told = |tell: timewarp::Tell<M::Payload>| {
            let mut bytes = Vec::new();
            tell.payload.encode(&mut bytes);
            let simtime = tell.receive.simtime();
            Told { receiver: tell.receiver, simtime, selector: tell.selector, bytes }
        };
        self.tells().into_iter().map(told).collect()
    }
}
