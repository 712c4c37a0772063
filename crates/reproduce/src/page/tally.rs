//! How many statements hold, place by place.

use crate::answers::Answered;
use crate::recipe::Where;
use crate::verdict::Verdict;

/// The verdicts in the order in which they are counted.
const COUNTED: [Verdict; 6] = [
    Verdict::Drawn,
    Verdict::Holds,
    Verdict::DoesNotHold,
    Verdict::Undecided,
    Verdict::NotPossible,
    Verdict::Contradiction,
];

/// The verdicts of a place.
pub struct Tally<'a> {
    /// Here, or the machines of the cards, each once.
    places: Vec<&'a Where>,
    verdicts: Vec<Verdict>,
}

/// The verdicts of cards, place by place; places without any are left out.
pub fn by_place<'a>(
    answered: impl Iterator<Item = &'a Answered<'a>> + Clone,
) -> impl Iterator<Item = Tally<'a>> {
    let places = answered.clone().next().map_or(0, |one| one.places.len());
    let tallies = (0..places).map(move |at| {
        let mut tally = Tally { places: Vec::new(), verdicts: Vec::new() };
        for one in answered.clone() {
            let Some(verdict) = one.verdict(at) else { continue };
            tally.verdicts.push(verdict);
            let place = &one.places[at].place;
            if !tally.places.contains(&place) {
                tally.places.push(place);
            }
        }
        tally
    });
    tallies.filter(|tally| !tally.verdicts.is_empty())
}

/// How many statements hold in each place, in a sentence for each.
pub fn finding(answered: &[Answered<'_>]) -> String {
    let said = by_place(answered.iter()).map(|tally| format!("{}: {}.", tally.place(), tally));
    let said = said.collect::<Vec<_>>().join(" ");
    if said.is_empty() { "There is nothing to judge.".into() } else { said }
}

/// The same of a document, while it is closed.
pub fn brief<'a>(answered: impl Iterator<Item = &'a Answered<'a>> + Clone) -> String {
    let place = |tally: &Tally| if tally.is_simulated() { "its machine" } else { "here" };
    let said = by_place(answered).map(|tally| format!("{}: {tally}", place(&tally)));
    said.collect::<Vec<_>>().join("; ")
}

impl Tally<'_> {
    /// Whether the place is simulated.
    pub fn is_simulated(&self) -> bool {
        self.places.iter().any(|place| place.is_simulated())
    }

    /// How often each verdict comes, in the order of the columns.
    pub fn counts(&self) -> [usize; COUNTED.len()] {
        COUNTED.map(|wanted| self.verdicts.iter().filter(|it| **it == wanted).count())
    }

    fn place(&self) -> String {
        match &self.places[..] {
            [Where::On(machine)] => format!("On {machine}, simulated"),
            _ if self.is_simulated() => "On the documents' machines, simulated".into(),
            _ => "On this machine".into(),
        }
    }
}

impl std::fmt::Display for Tally<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counted = COUNTED.into_iter().zip(self.counts()).filter(|(_, count)| *count > 0);
        let words = counted.map(|(verdict, count)| format!("{count} {}", plural(verdict, count)));
        f.write_str(&words.collect::<Vec<_>>().join(", "))
    }
}

fn plural(verdict: Verdict, count: usize) -> &'static str {
    match (verdict, count) {
        (Verdict::Holds, 1) => "holds",
        (Verdict::Holds, _) => "hold",
        (Verdict::DoesNotHold, 1) => "does not hold",
        (Verdict::DoesNotHold, _) => "do not hold",
        (Verdict::Contradiction, 1) => "contradicts its document",
        (Verdict::Contradiction, _) => "contradict their document",
        (other, _) => other.words(),
    }
}
