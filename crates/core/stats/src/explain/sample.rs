//! A bounded sample of messages, the same whatever the order in which they come.

use record::{Field, Kind};

use crate::analysis::Stage;
use crate::columns::Columns;

/// What is kept of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub launch: u32,
    pub src: u32,
    pub dst: u32,
    pub seq: u64,
    pub kind: Option<Kind>,
    pub bytes: i64,
    pub hops: i64,
    pub packets: i64,
    pub queue_len: i64,
    /// Begin and end of its time in the stage.
    pub from_ns: i64,
    pub to_ns: i64,
}

impl Member {
    /// A message and its time in a stage.
    pub fn of(
        columns: &Columns,
        row: usize,
        launch: u32,
        kind: Option<Kind>,
        stage: Stage,
    ) -> Member {
        let at = |field| columns.at(field, row);
        let (from, to) = match stage {
            Stage::EndToEnd => (Field::ReadyNs, Field::TakenNs),
            Stage::SendWait => (Field::ReadyNs, Field::SentNs),
            Stage::Transit => (Field::SentNs, Field::ArrivedNs),
            Stage::ReceiveWait => (Field::ArrivedNs, Field::TakenNs),
        };
        Member {
            launch,
            src: at(Field::Src) as u32,
            dst: at(Field::Dst) as u32,
            seq: at(Field::Seq) as u64,
            kind,
            bytes: at(Field::Bytes),
            hops: at(Field::Hops),
            packets: at(Field::Packets),
            queue_len: at(Field::QueueLength),
            from_ns: at(from),
            to_ns: at(to),
        }
    }
}

/// Messages of a group: all of them, or one in `stride`.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub count: u64,
    stride: u64,
    kept: Vec<Member>,
    most: usize,
}

impl Sample {
    /// None yet, `most` at most.
    pub fn new(most: usize) -> Sample {
        Sample { count: 0, stride: 1, kept: Vec::new(), most }
    }

    /// Take in a message.
    #[inline]
    pub fn add(&mut self, hash: u64, member: impl FnOnce() -> Member) {
        self.count += 1;
        if hash & (self.stride - 1) == 0 {
            self.kept.push(member());
            self.thin();
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Sample) {
        self.count += other.count;
        self.stride = self.stride.max(other.stride);
        self.kept.extend(other.kept);
        let stride = self.stride;
        self.kept.retain(|member| hash(member.launch, member.src, member.seq) & (stride - 1) == 0);
        self.thin();
    }

    /// The messages, by launch and begin.
    pub fn into_members(mut self) -> Vec<Member> {
        self.kept.sort_unstable_by_key(|m| (m.launch, m.from_ns, m.src, m.seq));
        self.kept
    }

    /// Whether none was left out.
    pub fn is_whole(&self) -> bool {
        self.stride == 1
    }

    fn thin(&mut self) {
        while self.kept.len() > self.most {
            self.stride *= 2;
            let stride = self.stride;
            self.kept
                .retain(|member| hash(member.launch, member.src, member.seq) & (stride - 1) == 0);
        }
    }
}

/// A message's identity, mixed (the finaliser of SplitMix64, Steele et al. 2014).
#[inline]
pub(super) fn hash(launch: u32, src: u32, seq: u64) -> u64 {
    let mut mixed = seq ^ (u64::from(launch) << 48) ^ (u64::from(src) << 32);
    mixed = mixed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
