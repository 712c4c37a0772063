use super::*;
use crate::payload_laws::*;
use crate::stb88::Fire;
use proptest::prelude::*;

fn names() -> impl Strategy<Value = Name> {
    let texts =
        ["G0,3", "red_div1/2", "red_div10/2", "blue_div1/2", "red_corps1", "distrib1", "red_div22"];
    prop_oneof![
        Just(Name::NONE),
        proptest::sample::select(texts.to_vec()).prop_map(|text| Name::parse(text).unwrap())
    ]
}

fn numbers() -> impl Strategy<Value = i32> {
    prop_oneof![-2i32..3, any::<i32>()]
}

/// Doubles whose bits can be compared: a NaN is unlike itself.
fn doubles() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(53.0),
        -1.0f64..1.0,
        any::<f64>().prop_filter("no NaN", |x| !x.is_nan())
    ]
}

fn places() -> impl Strategy<Value = [f64; 2]> {
    [doubles(), doubles()]
}

fn particles() -> impl Strategy<Value = Particle> {
    (places(), places()).prop_map(|(at, speed)| Particle { at, speed })
}

fn postures() -> impl Strategy<Value = Posture> {
    (0..4).prop_map(|number| Posture::of(number).unwrap())
}

fn sighted() -> impl Strategy<Value = Sighted> {
    (names(), particles(), numbers()).prop_map(|(unit, place, radius)| Sighted {
        unit,
        place,
        radius,
    })
}

fn moves() -> impl Strategy<Value = Move> {
    (numbers(), particles(), numbers()).prop_map(|(key, target, mode)| Move { key, target, mode })
}

fn large() -> impl Strategy<Value = Stb88Payload> {
    let common = || (names(), doubles(), doubles(), particles(), postures());
    let fire = (0u8..16, doubles(), doubles(), doubles()).prop_map(
        |(system, operational, authorised, strength)| Fire {
            system,
            operational,
            authorised,
            strength,
        },
    );
    prop_oneof![
        (common(), doubles(), any::<bool>(), proptest::array::uniform15(names())).prop_map(
            |((division, front, strength, place, posture), full, in_battle, enemies)| {
                let report =
                    Report { division, front, strength, full, place, posture, in_battle, enemies };
                Stb88Payload::Report(Arc::new(report))
            }
        ),
        (common(), doubles(), [numbers(), numbers(), numbers()]).prop_map(
            |((sender, front, rear, place, posture), strength, [sector, enemy, index])| {
                let parameters = Parameters {
                    sender,
                    front,
                    rear,
                    place,
                    strength,
                    posture,
                    sector,
                    enemy,
                    index,
                };
                Stb88Payload::Parameters(Arc::new(parameters))
            }
        ),
        (common(), names(), places(), numbers(), any::<bool>()).prop_map(
            |((division, _, _, place, posture), corps, objective, radius, up)| {
                let place = place.at;
                let deployment =
                    Deployment { division, posture, objective, place, corps, radius, up };
                Stb88Payload::Deployment(Arc::new(deployment))
            }
        ),
        (common(), proptest::array::uniform5(fire), doubles()).prop_map(
            |((sender, front, rear, place, posture), fire, ratio)| {
                Stb88Payload::Losses(Arc::new(Losses {
                    sender,
                    fire,
                    front,
                    rear,
                    place,
                    posture,
                    ratio,
                }))
            }
        ),
    ]
}

fn small() -> impl Strategy<Value = Stb88Payload> {
    prop_oneof![
        Just(Stb88Payload::Start),
        Just(Stb88Payload::Plan),
        Just(Stb88Payload::Intelligence),
        Just(Stb88Payload::Situation),
        Just(Stb88Payload::Evaluate),
        moves().prop_map(Stb88Payload::StartMove),
        moves().prop_map(Stb88Payload::ContinueMove),
        names().prop_map(Stb88Payload::Cell),
        (names(), numbers()).prop_map(|(enemy, sighting)| Stb88Payload::Engage { enemy, sighting }),
        (names(), any::<bool>(), numbers())
            .prop_map(|(enemy, suffered, key)| Stb88Payload::Assess { enemy, suffered, key }),
        (names(), particles(), numbers()).prop_map(|(unit, place, time)| Stb88Payload::Perceive {
            unit,
            place,
            time
        }),
        (postures(), doubles()).prop_map(|(posture, line)| Stb88Payload::Order { posture, line }),
        (names(), numbers(), numbers(), numbers()).prop_map(|(requester, sector, enemy, index)| {
            Stb88Payload::Ask { requester, sector, enemy, index }
        }),
        sighted().prop_map(Stb88Payload::Enter),
        sighted().prop_map(Stb88Payload::Velocity),
    ]
}

/// On the heap: what all of them draw takes more than a test's stack without optimisation.
fn payloads() -> impl Strategy<Value = Stb88Payload> {
    prop_oneof![3 => small().boxed(), 2 => large().boxed()]
}

proptest! {
    #[test]
    fn the_order_is_that_of_the_bytes(a in payloads(), b in payloads()) {
        is_ordered_as_its_bytes(&a, &b)?;
    }

    #[test]
    fn bytes_are_read_as_they_were_written(payload in payloads()) {
        // Not as itself: a place near which y ± 16 rounds may come back as another that gives the
        // same bytes.
        is_read_as_it_was_written(&payload)?;
    }

    #[test]
    fn any_change_of_a_byte_is_read_or_refused(
        payload in payloads(), at: prop::sample::Index, value: u8, cut: bool,
    ) {
        let mut bytes = encoded(&payload);
        let at = at.index(bytes.len());
        bytes[at] = value;
        if cut {
            bytes.truncate(at);
        }
        is_refused_or_itself::<Stb88Payload>(&bytes)?;
    }
}

#[test]
fn fields_that_are_not_kept_must_be_what_they_follow_to_be() {
    let name = Name::parse("red_div1/2").unwrap();
    let assess = encoded(&Stb88Payload::Assess { enemy: name, suffered: true, key: 3 });
    let share = 24;
    assert_eq!(assess[share..share + 8], 1.0f64.to_be_bytes());
    let mut other = assess.clone();
    other[share] = 0x40;
    assert!(Stb88Payload::decode(&assess).is_some() && Stb88Payload::decode(&other).is_none());
    assert_eq!(Stb88Payload::decode(b"go!"), None);
    assert_eq!(Stb88Payload::decode(b""), None);
    assert_eq!(Stb88Payload::decode(&99u32.to_be_bytes()), None);
}
