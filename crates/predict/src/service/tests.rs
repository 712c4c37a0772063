//! Services of which what they take is known.

use super::*;
use machine::PS_PER_NS;

const MS: u64 = 1_000_000;

/// A wire of so many ms and bytes a second, which charges nothing else.
fn wire(latency_ms: u64, bytes_per_s: f64) -> Machine {
    let text = format!(
        "name = \"wire\"\nnodes = 4\ntopology = \"switch\"\n[processor]\nsend = \"0s\"\nreceive = \
         \"0s\"\n[network]\nlatency = \"{latency_ms}ms\"\nbandwidth = \"{bytes_per_s}B/s\"\n"
    );
    machine::parse("wire.toml", &text).unwrap()
}

fn letter(from: u16, to: u16, stream: u32) -> Letter {
    Letter { from, to, bytes: 1, stream, within_ns: 7 * MS, stalled_ns: 0 }
}

fn turn(cause: Cause, deeds: &[Deed]) -> (Turn, Vec<Deed>) {
    let deeds = deeds.to_vec();
    let turn = Turn { cause, wake_ns: None, in_order: false, before: None, deeds: 0 };
    (Turn { deeds: deeds.len() as u32, ..turn }, deeds)
}

fn in_order((turn, deeds): (Turn, Vec<Deed>)) -> (Turn, Vec<Deed>) {
    (Turn { in_order: true, ..turn }, deeds)
}

fn thread(node: u16, turns: Vec<(Turn, Vec<Deed>)>) -> Thread {
    Thread {
        node,
        turns: turns.iter().map(|(turn, _)| *turn).collect(),
        deeds: turns.into_iter().flat_map(|(_, deeds)| deeds).collect(),
        ..Thread::default()
    }
}

fn after(ms: u64, what: What) -> Deed {
    Deed { work_ns: ms * MS, what }
}

fn begin() -> Cause {
    Cause::Begin { at_ns: 0 }
}

fn service(host_of: &[u16], messages: &[Letter], threads: Vec<Thread>) -> Service {
    let (host_of, messages) = (host_of.to_vec(), messages.to_vec().into());
    Service { threads, host_of, messages, room_bytes: 1 << 20 }
}

/// When each message was ready and taken, ms; and the end.
fn times(service: &Service, machine: &Machine) -> (Vec<(u32, u64, u64)>, u64) {
    let ms = |ps: u64| ps / PS_PER_NS / MS;
    let mut found = Vec::new();
    let played = serve(service, machine, 1, |message, at| {
        found.push((message, ms(at.ready), ms(at.taken)));
    });
    (found, ms(played.unwrap().end()))
}

/// Two clients ask, one 5 ms after the other; the server takes 3 ms for each.
fn two_clients(host_of: &[u16]) -> Service {
    let messages = [letter(1, 0, 0), letter(0, 1, 1), letter(2, 0, 2), letter(0, 2, 3)];
    let client = |node: u16, at: u64, request: u32| {
        let ask = after(at, What::Send(request));
        let hear = turn(Cause::Came(request + 1), &[after(0, What::Take(request + 1))]);
        thread(node, vec![turn(begin(), &[ask]), hear])
    };
    let serves = |request: u32| {
        let deeds = [after(0, What::Take(request)), after(3, What::Send(request + 1))];
        turn(Cause::Came(request), &deeds)
    };
    let server = thread(0, vec![serves(2), serves(0)]);
    service(host_of, &messages, vec![server, client(1, 0, 0), client(2, 5, 2)])
}

#[test]
fn a_server_serves_who_comes_first_whatever_the_order_was() {
    let (found, end) = times(&two_clients(&[0, 1, 2]), &wire(10, 1e12));
    assert_eq!(found, [(0, 0, 10), (2, 5, 15), (1, 13, 23), (3, 18, 28)]);
    assert_eq!(end, 28);
}

#[test]
fn one_thread_does_one_thing_at_a_time() {
    let mut both = two_clients(&[0, 1, 2]);
    both.threads[2].deeds[0].work_ns = MS;
    let (found, _) = times(&both, &wire(10, 1e12));
    assert_eq!(found[2..], [(1, 13, 23), (3, 16, 26)], "the second waits for 2 ms");
}

#[test]
fn who_waits_for_one_alone_serves_nobody_else_meanwhile() {
    let mut strict = two_clients(&[0, 1, 2]);
    let turns: Vec<Turn> =
        strict.threads[0].turns.iter().map(|turn| Turn { in_order: true, ..*turn }).collect();
    strict.threads[0].turns = turns.into();
    let (found, end) = times(&strict, &wire(10, 1e12));
    assert_eq!(found, [(2, 5, 15), (0, 0, 18), (3, 18, 28), (1, 21, 31)]);
    assert_eq!(end, 31);
}

#[test]
fn within_a_host_messages_take_what_they_took() {
    let (_, end) = times(&two_clients(&[0, 0, 0]), &wire(1000, 1e3));
    assert_eq!(end, 5 + 7 + 3 + 7);
}

#[test]
fn a_round_takes_all_before_it_sends() {
    let mut rounds = two_clients(&[0, 1, 2]);
    // Both come while it is at a third thing.
    rounds.threads[2].deeds[0].work_ns = MS;
    let busy = turn(begin(), &[after(20, What::Compute)]);
    let (turns, deeds) = (rounds.threads[0].turns.to_vec(), rounds.threads[0].deeds.clone());
    rounds.threads[0].turns = std::iter::once(busy.0).chain(turns).collect();
    rounds.threads[0].deeds = busy.1.into_iter().chain(deeds).collect();
    let taken = |service: &Service| times(service, &wire(10, 1e12)).0;
    assert_eq!(taken(&rounds), [(0, 0, 20), (2, 1, 23), (1, 23, 33), (3, 26, 36)]);
    rounds.threads[0].in_rounds = true;
    assert_eq!(taken(&rounds), [(0, 0, 20), (2, 1, 20), (1, 23, 33), (3, 26, 36)]);
}

#[test]
fn a_connection_takes_two_ways_to_who_asks_and_three_to_who_accepts() {
    // The server speaks first.
    let messages = [letter(0, 1, 0), letter(1, 0, 1)];
    let asks = turn(begin(), &[after(2, What::Connect { connection: 9, to: 0 })]);
    let is_up = turn(Cause::Connected(9), &[after(1, What::Send(1))]);
    let hears = turn(Cause::Came(0), &[after(0, What::Take(0))]);
    let accepts = turn(Cause::Accepted(9), &[after(0, What::Send(0))]);
    let takes = turn(Cause::Came(1), &[after(0, What::Take(1))]);
    let threads = vec![thread(0, vec![accepts, takes]), thread(1, vec![asks, is_up, hears])];
    let (found, _) = times(&service(&[0, 1], &messages, threads), &wire(10, 1e12));
    assert_eq!(found, [(1, 23, 33), (0, 32, 42)]);
}

#[test]
fn another_thread_answers_what_one_took_and_who_follows_a_process_begins_when_it_has_ended() {
    let messages = [letter(1, 0, 0), letter(0, 1, 1), letter(2, 0, 2)];
    let io = thread(
        0,
        vec![
            turn(Cause::Came(0), &[after(0, What::Take(0))]),
            turn(Cause::Came(2), &[after(0, What::Take(2))]),
        ],
    );
    let worker = thread(0, vec![turn(Cause::Taken(0), &[after(4, What::Send(1))])]);
    let hears = turn(Cause::Came(1), &[after(0, What::Take(1))]);
    let client = thread(1, vec![turn(begin(), &[after(0, What::Send(0))]), in_order(hears)]);
    let ended = Cause::Ended { node: 1, later_ns: 100 * MS };
    let next = thread(2, vec![turn(ended, &[after(0, What::Send(2))])]);
    let all = service(&[0, 1, 2], &messages, vec![io, worker, client, next]);
    let (found, end) = times(&all, &wire(10, 1e12));
    assert_eq!(found, [(0, 0, 10), (1, 14, 24), (2, 124, 134)]);
    assert_eq!(end, 134);
}

#[test]
fn a_stream_has_so_much_room_and_its_sender_waits_for_more() {
    let big = |stream| Letter { bytes: 600_000, ..letter(0, 1, stream) };
    let messages = [big(0), big(0), big(0)];
    let sends: Vec<Deed> = (0..3).map(|message| after(0, What::Send(message))).collect();
    let take =
        |message: u32| in_order(turn(Cause::Came(message), &[after(50, What::Take(message))]));
    let threads =
        vec![thread(0, vec![turn(begin(), &sends)]), thread(1, vec![take(0), take(1), take(2)])];
    let all = service(&[0, 1], &messages, threads);
    let played = serve(&all, &wire(0, 1e12), 1, |_, _| ()).unwrap();
    let ms = |ps: u64| ps / PS_PER_NS / MS;
    // The second goes when the first was taken, the third with the second.
    assert_eq!((ms(played.nodes[0].blocked), ms(played.end())), (100, 150));
}

#[test]
fn all_threads_that_wait_for_room_go_on() {
    let big = Letter { bytes: 600_000, ..letter(0, 1, 0) };
    let sends = |message: u32| vec![turn(begin(), &[after(0, What::Send(message))])];
    let take = |message: u32| turn(Cause::Came(message), &[after(50, What::Take(message))]);
    let mut threads: Vec<Thread> = (0..3).map(|message| thread(0, sends(message))).collect();
    threads.push(thread(1, vec![take(0), take(1), take(2)]));
    let all = service(&[0, 1], &[big; 3], threads);
    let played = serve(&all, &wire(0, 1e12), 1, |_, _| ()).unwrap();
    assert_eq!(played.end() / PS_PER_NS / MS, 150);
}

#[test]
fn what_never_comes_and_a_machine_that_is_too_small_are_said() {
    let mut lacks = two_clients(&[0, 1, 2]);
    lacks.threads.pop();
    let stuck = serve(&lacks, &wire(1, 1e9), 1, |_, _| ()).unwrap_err();
    assert_eq!(stuck, Stuck::Waits { node: 0, step: 0, message: 2 });
    let connects = turn(Cause::Connected(7), &[]);
    let alone = service(&[0], &[], vec![thread(0, vec![connects])]);
    let stuck = serve(&alone, &wire(1, 1e9), 1, |_, _| ()).unwrap_err();
    assert_eq!(stuck, Stuck::Stands { node: 0, step: 0 });
    let wide = two_clients(&[0, 3, 4]);
    let stuck = serve(&wide, &wire(1, 1e9), 1, |_, _| ()).unwrap_err();
    assert_eq!(stuck, Stuck::Nodes { machine: 4, program: 5 });
}

#[test]
fn a_message_that_stood_still_does_so_on_any_network() {
    let mut stalled = two_clients(&[0, 1, 2]);
    let messages = stalled.messages.iter().map(|one| Letter { stalled_ns: 40 * MS, ..*one });
    stalled.messages = messages.collect();
    assert_eq!(times(&stalled, &wire(10, 1e12)).1, 28 + 80);
}
