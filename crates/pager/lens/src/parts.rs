//! The completion time of a paged program as the sum of its parts, for people.

use document::{Colour, time};
use pager_facts::{PagedPart, PagedSeconds};

/// Less of the whole is not spoken of.
pub(crate) const LEAST: f64 = 0.005;

/// The time of a part for people, where the processor's time was counted in ticks of `tick_s`.
pub(crate) fn part_text(part: &PagedPart, tick_s: f64) -> String {
    let measured = part.measured_s(tick_s).map(|s| time(s * 1e9));
    measured.unwrap_or_else(|| format!("below\u{a0}{}", time(tick_s * 1e9)))
}

/// The colour of a part.
pub(crate) fn colour(part: &PagedPart) -> Colour {
    Colour(match part.key {
        "user" => "work",
        "system" => "collect",
        "init" => "d",
        "handling" => "b",
        "network" => "undo",
        "server" => "c",
        "disk" => "cycle",
        "queue" => "a",
        _ => "idle",
    })
}

/// The parts that there are.
pub(crate) fn shown(seconds: &PagedSeconds) -> Vec<PagedPart> {
    seconds.parts().into_iter().filter(|part| part.seconds >= 1e-9).collect()
}

/// What *other* is, as far as that is known; `None` where there is none to speak of.
pub(crate) fn about_other(seconds: &PagedSeconds) -> Option<&'static str> {
    let known = "Other is time in which no thread of the program ran, waited for a processor or \
                 was seen to wait for a page: it slept, was stopped, or waited for a file, a lock, \
                 input or another process; or the kernel was handing a fault to the engine, or \
                 waking a thread whose page had come.";
    let unknown = "Other is time in which no thread of the program ran or was seen to wait for a \
                   page. This kernel does not say how long threads waited for a processor, so it \
                   may be that the machine was busy.";
    let said = if seconds.queue.is_some() { known } else { unknown };
    (seconds.other > LEAST * seconds.elapsed).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_is_explained_as_far_as_it_is_known() {
        let seconds =
            PagedSeconds { elapsed: 10.0, other: 4.0, queue: Some(1.0), ..Default::default() };
        let unknown = PagedSeconds { queue: None, ..seconds };
        assert!(about_other(&seconds).is_some_and(|text| text.contains("slept")));
        assert!(about_other(&seconds).is_some_and(|text| text.contains("handing a fault")));
        assert!(about_other(&unknown).is_some_and(|text| text.contains("may be that")));
        assert_eq!(about_other(&PagedSeconds { other: 0.0, ..seconds }), None);
    }

    #[test]
    fn every_part_has_a_colour_of_its_own() {
        let mut colours = PagedSeconds::default().parts().map(|part| colour(&part).0).to_vec();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), PagedSeconds::default().parts().len());
    }

    #[test]
    fn what_ticks_are_too_coarse_for_is_below_one() {
        let [user, _, _, _, network, ..] =
            PagedSeconds { user: 0.004, network: 0.004, ..Default::default() }.parts();
        assert_eq!(part_text(&user, 0.01), "below\u{a0}10.0\u{a0}ms");
        assert_eq!(part_text(&network, 0.01), "4.00\u{a0}ms");
    }
}
