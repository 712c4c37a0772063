//! A story's facts as sentences.

use record::Kind;
use stats::analysis::Stage;
use stats::story::{Cancelled, Chapter, Fact, Picked, Row, Story, UsualTimes, Work};

use super::Told;
use super::held::{asleep_words, begin, chief_words, paged_words, ran_words, words as held};
use super::names::ObjectNames;
use super::phrases::{
    arrival, backwards, beside_arrival, capital, queue, sent_meanwhile, together, way,
};
use crate::palette::name as stage_name;
use document::{count, counted, part, six_figures, size, time};

/// Within a chapter.
const THERE: &str = "there";

/// Puts facts into words.
pub(super) struct Words<'a> {
    /// The story.
    pub story: &'a Story,
    /// Objects by name.
    pub names: &'a ObjectNames,
    /// What a node is called.
    pub noun: &'static str,
}

/// What the product says of the message.
pub(super) fn first(told: &Told) -> Option<String> {
    let said = &told.product.sentences;
    (!said.is_empty()).then(|| said.join(" "))
}

/// What `--message` takes.
pub(super) fn id(launch: u32, row: &Row) -> String {
    id_of(launch, row.src, row.seq)
}

pub(super) fn id_of(launch: u32, src: u32, seq: u64) -> String {
    format!("{launch}:{src}:{seq}")
}

impl<'a> Words<'a> {
    pub fn of(told: &'a Told) -> Words<'a> {
        Words { story: &told.story, names: &told.names, noun: told.noun }
    }
}

impl Words<'_> {
    /// A sentence of ours in the words of the run's product. Only one whose nodes have another name
    /// needs it, and such a one has no objects, whose names could hold the word.
    pub fn named(&self, said: String) -> String {
        match self.noun {
            "node" => said,
            noun => said.replace("node", noun).replace("Node", &capital(noun)),
        }
    }

    /// Who it was.
    pub fn opening(&self, launch: u32) -> String {
        let message = &self.story.message;
        let ready = message.ready_ns.map_or_else(String::new, |ready| {
            format!(", ready {} after the run began", time(ready as f64))
        });
        let tag = message.tag.map_or_else(String::new, |tag| format!(", tag\u{a0}{tag}"));
        self.named(format!(
            "Message {}: {}, {}{tag}, from node\u{a0}{} to node\u{a0}{}{}{ready}.",
            id(launch, message),
            message.kind.name(),
            size(message.bytes),
            message.src,
            message.dst,
            self.errand(message)
        ))
    }

    /// What a Time Warp message is for.
    fn errand(&self, message: &Row) -> String {
        match (message.dst_object, message.virtual_receive) {
            (Some(object), Some(at)) => {
                format!(", for {} at virtual time {}", self.names.of(object), six_figures(at))
            }
            _ => String::new(),
        }
    }

    /// Why it is this message.
    pub fn picked(&self) -> String {
        match self.story.picked {
            Picked::Named => "It was chosen by its name.".to_owned(),
            Picked::Slowest { by, place, of, is_of_model } => {
                let which = match place {
                    1 => "It is the slowest".to_owned(),
                    place => format!("It is number {} of the slowest", count(place as u64)),
                };
                let stage = stage_name(by);
                let stage = if by == Stage::EndToEnd {
                    format!("from {stage}")
                } else {
                    format!("by {stage}")
                };
                let of_model = match is_of_model {
                    None => "",
                    Some(true) => " It is M, the message of the memo of 1988.",
                    Some(false) => {
                        " It is not M, the message of the memo of 1988: story without --slowest \
                        tells of that one."
                    }
                };
                format!("{which} of {}, {stage}.{of_model}", counted(of, "message"))
            }
            Picked::OfModel { is_slowest } => format!(
                "It is M, the message of the memo of 1988, by its sender, receiver and virtual \
                time. {}",
                match is_slowest {
                    true => "It is also the slowest.",
                    false => "It is not the slowest: --slowest 1 tells of that one.",
                }
            ),
        }
    }

    /// Of its section on the page.
    pub fn title(&self) -> &'static str {
        match self.story.picked {
            Picked::Slowest { place: 1, .. } => "The story of the slowest message",
            Picked::OfModel { .. } => "The story of message M",
            Picked::Slowest { .. } | Picked::Named => "The story of a message",
        }
    }

    /// How long it took and where most of that went.
    pub fn headline(&self) -> String {
        self.named(self.headline_of_nodes())
    }

    fn headline_of_nodes(&self) -> String {
        let message = &self.story.message;
        let Some((ready, taken)) = message.stage(Stage::EndToEnd) else {
            return "Its record is not whole: it lacks the stamp of one side.".to_owned();
        };
        let life = time((taken - ready) as f64);
        let chapter =
            self.story.chapters.iter().max_by_key(|chapter| chapter.to_ns - chapter.from_ns);
        match chapter {
            Some(longest) if self.is_open(longest) => {
                let after = self.story.chapters.iter().filter(|chapter| is_after_sending(chapter));
                let (ns, share) = after.fold((0, 0.0), |(ns, share), chapter| {
                    (ns + chapter.to_ns - chapter.from_ns, share + chapter.share)
                });
                format!(
                    "For {} of its {life} ({}) it was on its way or waited in the receive queue; \
                    its arrival was not observed.",
                    time(ns as f64),
                    part(share.min(1.0))
                )
            }
            Some(longest) if longest.stage != Stage::EndToEnd => {
                let ns = time((longest.to_ns - longest.from_ns) as f64);
                let went = match longest.stage {
                    Stage::SendWait => "waited to be sent",
                    Stage::Transit => "was on its way",
                    _ => "waited in the receive queue",
                };
                let why =
                    chief_words(&longest.account).map_or_else(String::new, |why| format!(" {why}"));
                match self.backwards() {
                    Some(chapter) => format!(
                        "It took {life} from end to end, though it {went} for {ns}: its {} came \
                        out negative.{why}",
                        stage_name(chapter.stage)
                    ),
                    None => {
                        let share = part(longest.share);
                        format!("For {ns} of its {life} ({share}) it {went}.{why}")
                    }
                }
            }
            _ => format!("It took {life} from end to end."),
        }
    }

    /// Whether the stage may have been much shorter, because the arrival was not observed.
    fn is_open(&self, chapter: &Chapter) -> bool {
        if self.backwards().is_some() {
            return false;
        }
        let mut facts = self.story.chapters.iter().flat_map(|chapter| &chapter.facts);
        let error = facts.find_map(|fact| match fact {
            Fact::ArrivalKnown { error_ns, .. } => *error_ns,
            _ => None,
        });
        let length = chapter.to_ns - chapter.from_ns;
        is_after_sending(chapter) && length > 0 && error.is_some_and(|error| error > length / 10)
    }

    /// The first stage that came out negative: then shares of its life mean nothing.
    fn backwards(&self) -> Option<&Chapter> {
        self.story.chapters.iter().find(|chapter| chapter.to_ns < chapter.from_ns)
    }

    /// Beside messages like it.
    pub fn usual(&self) -> Option<String> {
        let usual = self.story.usual.as_ref()?;
        Some(self.named(self.usual_sentence(usual, "from end to end")))
    }

    /// `Receive wait, 383 ms (99 %)`.
    pub fn heading(&self, chapter: &Chapter) -> String {
        let mut name = stage_name(chapter.stage).to_owned();
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let ns = time((chapter.to_ns - chapter.from_ns) as f64);
        match self.backwards() {
            Some(_) => format!("{name}, {ns}"),
            None if self.is_open(chapter) => format!("{name}, about {ns}"),
            None => format!("{name}, {ns} ({})", part(chapter.share)),
        }
    }

    /// The sentences of a chapter.
    pub fn sentences(&self, chapter: &Chapter) -> Vec<String> {
        chapter.facts.iter().map(|fact| self.named(self.sentence(fact, chapter))).collect()
    }

    fn sentence(&self, fact: &Fact, chapter: &Chapter) -> String {
        let node = |node: &u32| format!("node\u{a0}{node}");
        let ns = |ns: &i64| time(*ns as f64);
        match fact {
            Fact::Backwards { ns: by } => backwards(chapter.stage, *by),
            Fact::SentMeanwhile { node: of, same, others } => sent_meanwhile(*of, *same, *others),
            Fact::TakenMeanwhile { node: of, messages: 0 } => {
                format!("And {} took nothing.", node(of))
            }
            Fact::TakenMeanwhile { node: of, messages } => {
                format!("And {} took {}.", node(of), counted(*messages, "message"))
            }
            Fact::Frame { messages } => {
                format!(
                    "It left in one frame with {}.",
                    counted(messages.saturating_sub(1), "other")
                )
            }
            Fact::InFlight { messages } => {
                format!(
                    "When it was sent, {} were on their way to its node.",
                    counted(*messages, "message")
                )
            }
            Fact::Way { hops, packets } => way(*hops, *packets),
            Fact::Usual(usual) => self.usual_sentence(usual, THERE),
            Fact::Together { on_way, arrived_with } => together(*on_way, *arrived_with),
            Fact::ArrivalKnown { how, error_ns } => arrival(*how, *error_ns),
            Fact::Queue { before, mates, machinery } => queue(*before, *mates, *machinery),
            Fact::TakenBefore { messages, median_ns } => format!(
                "The node took {}, one after the other; half of the times from one to the next are \
                at most {}.",
                if *messages == 1 { "it" } else { "them" },
                ns(median_ns)
            ),
            Fact::Overtaken { messages } => {
                format!(
                    "{} that arrived later {} taken before it.",
                    counted(*messages, "message"),
                    if *messages == 1 { "was" } else { "were" }
                )
            }
            Fact::Gap { node: of, is_whole: true, .. } => {
                format!("All that time {} took nothing.", node(of))
            }
            Fact::Gap { node: of, from_ns, to_ns, .. } if *from_ns == chapter.from_ns => {
                format!("For the first {} of it {} took nothing.", ns(&(to_ns - from_ns)), node(of))
            }
            Fact::Gap { node: of, from_ns, to_ns, .. } => format!(
                "For {} of it, from {} after it arrived, {} took nothing.",
                ns(&(to_ns - from_ns)),
                ns(&(from_ns - chapter.from_ns)),
                node(of)
            ),
            Fact::Busy { node: of, ns: busy, of_ns } => {
                let share = part(*busy as f64 / *of_ns as f64);
                format!(
                    "{} was at work for {} of these {} ({share}).",
                    capital(&node(of)),
                    ns(busy),
                    ns(of_ns)
                )
            }
            Fact::Work(work) => self.work(work),
            Fact::Cancelled(cancelled) => self.cancelled(cancelled),
            Fact::ForThatObject { object, receive, cancelled, later } => {
                self.for_that_object(*object, *receive, *cancelled, *later)
            }
            Fact::Silent { node: of, ns: silent, watched } => format!(
                "{} recorded no work in these {}{}",
                capital(&node(of)),
                ns(silent),
                if *watched { "." } else { ": it was not looking, or not running." }
            ),
            Fact::Unrecorded { node: of, ns: rest } => {
                format!("Of the other {} nothing is recorded on {}.", ns(rest), node(of))
            }
            Fact::Because(link) => self.link(link, chapter),
            Fact::Posted { after_arrival_ns } => {
                format!("Its receive was posted {}.", beside_arrival(*after_arrival_ns))
            }
            Fact::PostedLate { after_sent_ns } => {
                format!("Its receive was posted {} after it was sent.", ns(after_sent_ns))
            }
            Fact::Awaited {
                after_arrival_ns,
                woken_before_taken_ns: Some(woken),
                before_taken_ns,
            } => format!(
                "The wait that found it (poll, select or epoll) began {}, {} before the receiver \
                had it, and was over {} before that.",
                beside_arrival(*after_arrival_ns),
                ns(before_taken_ns),
                ns(woken)
            ),
            Fact::Awaited { after_arrival_ns, before_taken_ns, .. } => format!(
                "The call that collected it was entered {}, {} before it had it.",
                beside_arrival(*after_arrival_ns),
                ns(before_taken_ns)
            ),
            Fact::Held { part, of_ns } => {
                format!("Consistent with {}: {} of these {}.", held(part), ns(&part.ns), ns(of_ns))
            }
            Fact::Paged(paged) => format!(
                "{}; whether the message waited for that is not known.",
                begin(&paged_words(std::slice::from_ref(paged)))
            ),
            Fact::Ran { node: of, ns, .. } => ran_words(*of, *ns),
            Fact::Asleep { node: of, ns } => asleep_words(*of, *ns),
        }
    }

    fn usual_sentence(&self, usual: &UsualTimes, place: &str) -> String {
        let slower = match usual.slower {
            0 => "none took longer than this one".to_owned(),
            1 => "one took longer than this one".to_owned(),
            many => format!("{} took longer than this one", count(many)),
        };
        let like_it = match place {
            THERE => "the messages like it".to_owned(),
            _ => format!(
                "the {} like it (same kind and nodes, about the same size)",
                counted(usual.messages, "message"),
            ),
        };
        format!(
            "Half of {like_it} took at most {} {place}, 99\u{a0}% at most {}; {slower}.",
            time(usual.median_ns as f64),
            time(usual.p99_ns as f64)
        )
    }

    fn work(&self, work: &Work) -> String {
        let ns = time(work.ns as f64);
        let longest =
            time((work.longest.taken_ns.unwrap_or(0) - work.longest.ready_ns.unwrap_or(0)) as f64);
        let object = self.names.of_some(work.longest.dst_object);
        let at = |time: Option<f64>| time.map_or_else(|| "an unknown time".to_owned(), six_figures);
        let (send, receive) = (at(work.longest.virtual_send), at(work.longest.virtual_receive));
        let one = work.pieces == 1;
        match work.kind {
            Kind::Execution if one => {
                format!("It executed {object} at virtual time {receive}: {ns}.")
            }
            Kind::Execution => format!(
                "{} of {} took {ns}; the longest, {longest}, was {object} at virtual time \
                {receive}.",
                counted(work.pieces, "execution"),
                counted(work.objects, "object")
            ),
            Kind::Rollback if one => format!(
                "It rolled {object} back from virtual time {send} to {receive}, undoing {}: {ns}.",
                counted(work.events, "event")
            ),
            Kind::Rollback => format!(
                "{} of {}, which undid {}, took {ns}; the longest, {longest}, was that of {object} \
                from virtual time {send} to {receive}.",
                counted(work.pieces, "rollback"),
                counted(work.objects, "object"),
                counted(work.events, "event")
            ),
            Kind::Collection => format!(
                "{} of fossil collection, which committed {}, took {ns}.",
                counted(work.pieces, "step"),
                counted(work.events, "event")
            ),
            Kind::GvtRound => {
                format!("{} of computing GVT took {ns} of it.", counted(work.pieces, "round"))
            }
            _ => format!("{} went on for {ns} of it.", counted(work.pieces, work.kind.name())),
        }
    }

    fn cancelled(&self, cancelled: &Cancelled) -> String {
        let object = self.names.of(cancelled.object);
        let all = cancelled.to_self + cancelled.to_others;
        let whose = match (cancelled.to_self, cancelled.to_others) {
            (own, 0) => format!("{} from {object} to itself", counted(own, "message")),
            (0, _) => format!("{} of {object}", counted(all, "message")),
            (own, others) => format!(
                "{} of {object}, {} to itself and {} to other objects",
                counted(all, "message"),
                count(own),
                count(others)
            ),
        };
        let besides = match cancelled.of_others {
            0 => String::new(),
            others => format!(", and {} of other objects", counted(others, "message")),
        };
        let ns = time((cancelled.span.1 - cancelled.span.0) as f64);
        format!("Meanwhile node\u{a0}{} cancelled {whose}{besides}, within {ns}.", cancelled.node)
    }

    fn for_that_object(&self, object: i64, receive: f64, cancelled: u64, later: u64) -> String {
        let which = match cancelled - later {
            0 => format!("of all {}", count(cancelled)),
            _ if later == 0 => format!("of none of the {}", count(cancelled)),
            but => format!("of all but {} of the {}", count(but), count(cancelled)),
        };
        format!(
            "And the message is for {} itself: its receive time, {}, is earlier than the send time \
            {which} cancelled messages to itself.",
            self.names.of(object),
            six_figures(receive)
        )
    }
}

/// Transit and receive wait, which the arrival divides.
fn is_after_sending(chapter: &Chapter) -> bool {
    matches!(chapter.stage, Stage::Transit | Stage::ReceiveWait)
}
