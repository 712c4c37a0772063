use super::*;
use proptest::prelude::*;

const RULES: [&str; 9] = [
    "resp",
    "http",
    "lines",
    "length:1",
    "length:2le",
    "length:4be",
    "length:4be-4",
    "length:8le+3",
    "length:2be@3-1",
];

/// Follows both directions of a connection, whose bytes come in pieces.
struct Talk {
    request: Follower,
    answer: Follower,
    shared: Shared,
}

impl Talk {
    fn new(rule: &str) -> Talk {
        let rule: PortRule = format!("1={rule}").parse().unwrap();
        Talk {
            request: Follower::new(&rule, Side::Request),
            answer: Follower::new(&rule, Side::Answer),
            shared: Shared::default(),
        }
    }

    fn guessing() -> Talk {
        Talk {
            request: Follower::guessing(Side::Request),
            answer: Follower::guessing(Side::Answer),
            shared: Shared::default(),
        }
    }

    fn say(&mut self, side: Side, bytes: &[u8]) -> Vec<Found> {
        let mut found = Vec::new();
        let follower = match side {
            Side::Request => &mut self.request,
            Side::Answer => &mut self.answer,
        };
        follower.follow(bytes, &self.shared, |one| found.push(one));
        found
    }

    fn ask(&mut self, bytes: &str) -> Vec<Found> {
        self.say(Side::Request, bytes.as_bytes())
    }

    fn reply(&mut self, bytes: &str) -> Vec<Found> {
        self.say(Side::Answer, bytes.as_bytes())
    }
}

fn end(offset: usize) -> Found {
    Found::End(offset as u64, Class::Paired)
}

fn reasons(found: &[Found]) -> Vec<Reason> {
    let of = |found: &Found| match found {
        Found::Stop(_, reason) => Some(*reason),
        Found::End(..) | Found::Guess(_) => None,
    };
    found.iter().filter_map(of).collect()
}

#[test]
fn commands_and_replies_of_redis_are_found() {
    let mut talk = Talk::new("resp");
    let get = "*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n";
    assert_eq!(talk.ask(&get.repeat(3)), [1, 2, 3].map(|at| end(at * get.len())));
    let after = 3 * get.len();
    assert_eq!(talk.ask("PING\r\n"), [end(after + 6)]);
    let replies =
        ["+OK\r\n", "$-1\r\n", "$3\r\na\r\n\r\n", "*2\r\n*1\r\n:1\r\n$0\r\n\r\n", "*0\r\n"];
    let mut at = 0;
    for reply in replies {
        at += reply.len();
        assert_eq!(talk.reply(reply), [end(at)], "{reply}");
    }
    let map = "%2\r\n+a\r\n:1\r\n+b\r\n~2\r\n#t\r\n_\r\n";
    assert_eq!(talk.reply(map), [end(at + map.len())]);
    let with_attribute = "|1\r\n+ttl\r\n:3\r\n$2\r\nhi\r\n";
    at += map.len() + with_attribute.len();
    assert_eq!(talk.reply(with_attribute), [end(at)]);
    let push = ">2\r\n+message\r\n$1\r\nx\r\n";
    assert_eq!(talk.reply(push), [Found::End((at + push.len()) as u64, Class::Aside)]);
}

#[test]
fn a_count_has_digits_and_ends_with_its_line() {
    let ends = |side: Side, bytes: &str| Talk::new("resp").say(side, bytes.as_bytes());
    for (what, bytes) in
        [("long", "*0000000001\r\n$4\r\nPING\r\n"), ("zeros", "*01\r\n$04\r\nPING\r\n")]
    {
        assert_eq!(ends(Side::Request, bytes), [end(bytes.len())], "{what}");
    }
    for bytes in ["*\r\n", "*1\n", "*1\rx\r\n", "*1x\r\n", "*1\r\n$\r\n", "*1\r\n$4\r\nPINGxx"] {
        assert_eq!(reasons(&ends(Side::Request, bytes)), [Reason::NotThis], "{bytes:?}");
    }
}

#[test]
fn commands_after_which_order_tells_nothing_say_so() {
    let class = |command: &str| match Talk::new("resp").ask(command)[..] {
        [Found::End(_, class)] => class,
        ref other => panic!("{command}: {other:?}"),
    };
    assert_eq!(class("*2\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n"), Class::Last);
    assert_eq!(class("monitor\r\n"), Class::Last);
    assert_eq!(class("*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$3\r\nOFF\r\n"), Class::Last);
    assert_eq!(class("CLIENT REPLY OFF\r\n"), Class::Last);
    assert_eq!(class("*2\r\n$6\r\nCLIENT\r\n$4\r\nINFO\r\n"), Class::Paired);
    assert_eq!(class("*3\r\n$3\r\nSET\r\n$9\r\nsubscribe\r\n$5\r\nREPLY\r\n"), Class::Paired);
    assert_eq!(class("*0\r\n"), Class::Aside);
}

#[test]
fn what_is_not_resp_ends_the_framing() {
    let first = |side: Side, bytes: &[u8]| reasons(&Talk::new("resp").say(side, bytes));
    assert_eq!(first(Side::Request, b"\x16\x03\x01"), [Reason::NotThis]);
    assert_eq!(first(Side::Answer, b"HTTP/1.1 200 OK\r\n"), [Reason::NotThis]);
    assert_eq!(first(Side::Answer, b"$3\r\nabcd\r\n"), [Reason::NotThis]);
    assert_eq!(first(Side::Answer, b"$3x\r\n"), [Reason::NotThis]);
    assert_eq!(first(Side::Answer, b"+no end of the line\n"), [Reason::NotThis]);
    assert_eq!(first(Side::Answer, b"$99999999999\r\n"), [Reason::TooLong]);
    assert_eq!(first(Side::Answer, &[b'+'; 70_000]), [Reason::TooLong]);
    assert_eq!(first(Side::Request, b"*1\r\n:3\r\n"), [Reason::NotThis]);
}

#[test]
fn bodies_of_http_end_where_their_heads_say() {
    let mut talk = Talk::new("http");
    let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
    let post = "POST /a HTTP/1.1\r\ncontent-LENGTH:  5 \r\n\r\nGET /";
    let chunked = "PUT /a HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n\
        4;x=y\r\nabc\n\r\n1\r\nz\r\n0\r\nTrailer: 1\r\n\r\n";
    let mut at = 0;
    for request in [get, post, chunked, get] {
        at += request.len();
        assert_eq!(talk.ask(request), [end(at)], "{request}");
    }
    let sized = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
    let interim = "HTTP/1.1 100 Continue\r\n\r\n";
    assert_eq!(talk.reply(sized), [end(sized.len())]);
    at = sized.len() + interim.len();
    assert_eq!(talk.reply(interim), [Found::End(at as u64, Class::Aside)]);
    for answer in ["HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 N\r\nContent-Length: 9\r\n\r\n"]
    {
        at += answer.len();
        assert_eq!(talk.reply(answer), [end(at)], "{answer}");
    }
    let rest = "HTTP/1.0 200 OK\r\nServer: x\r\n\r\n";
    at += rest.len();
    assert_eq!(talk.reply(&format!("{rest}abc")), [Found::Stop(at as u64, Reason::ToTheEnd)]);
}

#[test]
fn an_answer_to_head_has_no_body() {
    let mut talk = Talk::new("http");
    assert_eq!(talk.ask("HEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n").len(), 2);
    let (head, get) = ("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", "1234567");
    let found = talk.reply(&format!("{head}{head}{get}"));
    assert_eq!(found, [end(head.len()), end(2 * head.len() + get.len())]);
}

#[test]
fn another_protocol_ends_both_directions() {
    let mut talk = Talk::new("http");
    talk.ask("GET /chat HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
    let answer = "HTTP/1.1 101 Switching Protocols\r\n\r\n";
    let found = talk.reply(&format!("{answer}\x01\x02"));
    assert_eq!(found, [end(answer.len()), Found::Stop(answer.len() as u64, Reason::Upgrade)]);
    assert_eq!(reasons(&talk.ask("\x01\x02")), [Reason::Upgrade]);

    let mut talk = Talk::new("http");
    assert_eq!(talk.ask("CONNECT x:443 HTTP/1.1\r\n\r\n").len(), 1);
    assert_eq!(reasons(&talk.reply("HTTP/1.1 200 Yes\r\n\r\n\x16\x03")), [Reason::Upgrade]);
    assert_eq!(reasons(&talk.ask("\x16\x03")), [Reason::Upgrade]);

    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    assert_eq!(reasons(&Talk::new("http").ask(preface)), [Reason::Http2]);
}

#[test]
fn what_is_not_http_ends_the_framing() {
    let first = |side: Side, bytes: &[u8]| reasons(&Talk::new("http").say(side, bytes));
    assert_eq!(first(Side::Request, b"\x16"), [Reason::NotThis]);
    assert_eq!(first(Side::Request, b"*1\r\n$4\r\nPING\r\n"), [Reason::NotThis]);
    assert_eq!(first(Side::Request, b"USER me\r\n"), [Reason::NotThis]);
    let head = b"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n";
    assert_eq!(first(Side::Request, head), [Reason::NotThis]);
    let folded = b"GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n";
    assert_eq!(first(Side::Request, folded), [Reason::NotThis]);
    assert_eq!(first(Side::Answer, b"HTTP/1.1 200 OK\r\n\r\n"), [Reason::Unasked]);
    let open = "GET / HTTP/1.1\r\n\r\n".repeat(63);
    assert_eq!(first(Side::Request, open.as_bytes()), [Reason::ManyOpen]);
}

#[test]
fn counts_and_lines_are_followed() {
    let mut talk = Talk::new("length:4be-4");
    assert_eq!(talk.ask("\0\0\0\x06ab\0\0\0\x04"), [end(6), end(10)]);
    assert_eq!(reasons(&talk.ask("\0\0\0\x03")), [Reason::NotThis], "shorter than its own count");
    assert_eq!(reasons(&Talk::new("length:4le").ask("\0\0\0\x7f")), [Reason::TooLong]);
    assert_eq!(Talk::new("length:2le+1").ask("\x01\0ab"), [end(4)]);
    assert_eq!(Talk::new("lines").ask("a\n\nb"), [end(2), end(3)]);
    assert_eq!(reasons(&Talk::new("lines").ask("a\0\n")), [Reason::NotThis]);
    let long = "x".repeat((1 << 20) + 1);
    assert_eq!(reasons(&Talk::new("lines").ask(&long)), [Reason::TooLong]);
}

#[test]
fn a_count_may_stand_behind_the_beginning_of_its_header() {
    // A letter, and a count that counts itself.
    let mut talk = Talk::new("length:4be@1-4");
    assert_eq!(talk.ask("Q\0\0\0\x06a\0X\0\0\0\x04"), [end(7), end(12)]);
    // A header of 32 bytes, whose second word counts all of the message.
    let mut talk = Talk::new("length:8le@8-16");
    let message = |bytes: u8| [&[9; 8][..], &[bytes, 0, 0, 0, 0, 0, 0, 0], &[7; 24]].concat();
    let found = talk.say(Side::Request, &[message(40), message(40)].concat());
    assert_eq!(found, [end(40), end(80)]);
    assert_eq!(reasons(&talk.say(Side::Answer, &message(15))), [Reason::NotThis]);
}

#[test]
fn a_rule_is_guessed_by_the_first_byte_of_who_connected_and_followed_by_both() {
    let mut talk = Talk::guessing();
    let get = "GET / HTTP/1.1\r\n\r\n";
    assert_eq!(talk.ask("G"), [Found::Guess(Guess::Http)]);
    assert_eq!(talk.ask(&get[1..]), [end(get.len())]);
    let answer = "HTTP/1.1 204 No Content\r\n\r\n";
    assert_eq!(talk.reply(answer), [end(answer.len())]);

    let mut talk = Talk::guessing();
    let ping = "*1\r\n$4\r\nPING\r\n";
    assert_eq!(talk.ask(ping), [Found::Guess(Guess::Resp), end(ping.len())]);
    assert_eq!(talk.reply("+PONG\r\n"), [end(7)]);
    assert!(Reason::ALL.iter().filter(|reason| Guess::is_refuted_by(**reason)).count() == 4);
    let refuted = reasons(&talk.reply("no reply"));
    assert!(refuted.into_iter().all(Guess::is_refuted_by));
}

#[test]
fn where_nothing_can_be_guessed_nothing_is_found() {
    for first in ["\x16\x03\x01", "hello\r\n", "", "\0\0\0\x08"] {
        let mut talk = Talk::guessing();
        assert_eq!(
            (talk.ask(first), talk.ask("GET / HTTP/1.1\r\n\r\n").len()),
            (vec![], usize::from(first.is_empty()) * 2)
        );
    }
    // Who answers speaks first: no protocol that is known.
    let mut talk = Talk::guessing();
    assert_eq!((talk.reply("220 ready\r\n"), talk.ask("EHLO x\r\n")), (vec![], vec![]));
    // A letter is a guess, and its line is not one of HTTP: no message is found.
    let mut talk = Talk::guessing();
    let found = talk.ask("EHLO x\r\n");
    assert_eq!(found, [Found::Guess(Guess::Http), Found::Stop(0, Reason::NotThis)]);
    let mut talk = Talk::guessing();
    talk.request.unseen(5, |_| panic!("nothing was promised"));
    assert!(talk.request.is_over());
}

#[test]
fn what_is_not_seen_may_be_passed_where_its_length_is_known() {
    let mut talk = Talk::new("http");
    talk.ask("GET / HTTP/1.1\r\n\r\n");
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
    assert_eq!(talk.reply(head), []);
    let mut found = Vec::new();
    talk.answer.unseen(60, |one| found.push(one));
    assert_eq!(found, []);
    talk.answer.unseen(41, |one| found.push(one));
    let at = head.len() + 100;
    assert_eq!(found, [end(at), Found::Stop(at as u64, Reason::Unseen)]);
}

/// Messages of each rule's kind, and bytes of any.
fn stream(rule: usize) -> BoxedStrategy<(Side, Vec<u8>)> {
    let any = prop::collection::vec(any::<u8>(), 0..200);
    let pieces: &[&str] = match RULES[rule] {
        "resp" => &[
            "+OK\r\n",
            "*2\r\n",
            "$3\r\n",
            "abc",
            "\r\n",
            "$-1\r\n",
            "%1\r\n",
            ">1\r\n",
            "|1\r\n",
            "PING\r\n",
            "*1\r\n$7\r\nMONITOR\r\n",
            "*2\r\n$3\r\nabc\r\n$3\r\n",
            "*1\r\n$6\r\nCLIENT\r\n",
            "*3\r\n$6\r\nclient\r\n$5\r\nREPLY\r\n$2\r\nON\r\n",
            "$3\r\nabc\r\n",
            "*1\r\n",
            "*0\r\n",
            "*",
            ":1\r\n",
        ],
        "http" => &[
            "GET / HTTP/1.1\r\n",
            "HEAD / HTTP/1.1\r\n",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 100 C\r\n",
            "Content-Length: 3\r\n",
            "Transfer-Encoding: chunked\r\n",
            "\r\n",
            "3\r\nabc\r\n",
            "0\r\n",
            "abc",
        ],
        _ => &["a line\n", "\n", "\u{1}", "\0\0\0\u{5}", "abc", "\u{3}\0"],
    };
    let made = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..25);
    let made = made.prop_map(|pieces| pieces.concat().into_bytes());
    let side = prop::sample::select(vec![Side::Request, Side::Answer]);
    (side, prop_oneof![3 => made, 1 => any]).boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// However the bytes are cut into calls, the same messages end at the same places.
    #[test]
    fn cuts_change_nothing(
        (rule, (side, bytes)) in (0..RULES.len()).prop_flat_map(|rule| (Just(rule), stream(rule))),
        cuts in prop::collection::vec(1..20usize, 1..60),
    ) {
        let open = |talk: &mut Talk| {
            if side == Side::Answer && RULES[rule] == "http" {
                talk.ask(&"HEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n".repeat(4));
            }
        };
        let (mut whole, mut cut) = (Talk::new(RULES[rule]), Talk::new(RULES[rule]));
        open(&mut whole);
        open(&mut cut);
        let (mut found, mut rest) = (Vec::new(), &bytes[..]);
        for size in cuts.iter().cycle() {
            let (piece, after) = rest.split_at(rest.len().min(*size));
            found.extend(cut.say(side, piece));
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        // Where a line that breaks the rule is noticed depends on how much of it is there.
        let plain = |found: Vec<Found>| found.into_iter().map(|one| match one {
            Found::End(at, class) => (at, Ok(class)),
            Found::Stop(_, reason) => (0, Err(reason)),
            Found::Guess(_) => unreachable!("a rule was given"),
        }).collect::<Vec<_>>();
        prop_assert_eq!(plain(found), plain(whole.say(side, &bytes)));
    }
}
