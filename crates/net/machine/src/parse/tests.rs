use super::*;

const LEAST: &str = "\
name = \"two\"
nodes = 2
topology = \"switch\"
[processor]
send = \"1us\"
receive = \"2us\"
[network]
latency = \"5us\"
bandwidth = \"1Gbit/s\"
";

#[test]
fn a_file_says_what_it_must_and_the_rest_is_usual() {
    let machine = parse("two.toml", LEAST).unwrap();
    assert_eq!(machine.time("processor.send"), 1_000_000);
    assert_eq!(machine.value("network.bandwidth"), 125e6);
    assert_eq!(machine.value("network.buffers"), 1024.0);
    assert_eq!(machine.cost("warp", "event"), None);
}

#[test]
fn a_constant_says_how_it_is_known() {
    let text = format!(
        "{LEAST}hop = {{ value = \"2us\", range = [\"1us\", \"3us\"], basis = \"estimated\", \
        source = \"none gives it\" }}\n[costs.warp]\nevent = \"30ms\"\n"
    );
    let machine = parse("two.toml", &text).unwrap();
    let hop = &machine.constants["network.hop"];
    assert_eq!((hop.value, hop.range, hop.basis), (2e3, Some([1e3, 3e3]), Basis::Estimated));
    assert_eq!(machine.cost("warp", "event"), Some(30_000_000_000));
}

#[test]
fn a_figure_may_differ_by_size() {
    let list = "send = [\n{ from = \"0B\", value = \"1us\" },\n{ from = \"64KiB\", \
        value = \"9us\", \
        range = [\"8us\", \"10us\"], basis = \"measured\", source = \"a sweep\" }]";
    let machine = parse("two.toml", &LEAST.replace("send = \"1us\"", list)).unwrap();
    let at = |bytes| machine.value_at("processor.send", bytes);
    assert_eq!([at(0), at(65_535), at(65_536), at(1 << 30)], [1e3, 1e3, 9e3, 9e3]);
    let node = crate::Processor::of(&machine, 0);
    assert_eq!((node.sending(8), node.sending(65_536)), (1_000_000, 9_000_065));
    let kept: Machine = serde_json::from_str(&serde_json::to_string(&machine).unwrap()).unwrap();
    assert_eq!(kept, machine);
    let tenfold = machine.clone().scaled("processor.send", 10.0);
    let larger = &tenfold.constants["processor.send"].larger[0].figure;
    assert_eq!((larger.value, larger.range), (9e4, Some([8e4, 1e5])));
    assert_eq!(machine.with("processor.send", 7.0).value_at("processor.send", 1 << 20), 7.0);
}

#[test]
fn draws_at_the_same_place_belong_together() {
    let drawn = LEAST
        .replace("\"1us\"", "{ value = \"1us\", draws = [\"1us\", \"3us\"] }")
        .replace("\"5us\"", "{ value = \"5us\", range = [\"0us\", \"9us\"] }")
        .replace("\"2us\"", "{ value = \"2us\", draws = [\"3us\", \"1us\"] }");
    let machine = parse("two.toml", &drawn).unwrap();
    for draw in 0..4 {
        let one = machine.clone().drawn(draw, |_| 1.0);
        let ends = one.value("processor.send") + one.value("processor.receive");
        assert_eq!((ends, one.value("network.latency")), (4e3, 9e3), "draw {draw}");
    }
    let tenfold = machine.clone().scaled("processor.send", 10.0);
    assert_eq!(tenfold.drawn(1, |_| 0.0).value("processor.send"), 3e4);
    let longer = machine.clone().plus("processor.send", 5e3);
    assert_eq!(longer.drawn(1, |_| 0.0).value("processor.send"), 8e3);
    assert!(parse("written", &crate::write(&machine, &[])).unwrap() == machine);
    assert_eq!(machine.without_ranges().drawn(1, |_| 0.0).value("processor.send"), 1e3);
    let uneven = drawn.replace("[\"3us\", \"1us\"]", "[\"3us\"]");
    let error = parse("two.toml", &uneven).unwrap_err().to_string();
    assert!(error.contains("has 2 draws and 'processor.receive' 1"), "{error}");
}

#[test]
fn what_older_runs_say_of_their_machine_is_still_read() {
    let constant: Constant =
        serde_json::from_str(r#"{"value":3.0,"range":[1.0,4.0],"basis":"stated"}"#).unwrap();
    assert_eq!((constant.value, constant.basis), (3.0, Basis::Stated));
    assert!(constant.larger.is_empty());
}

/// Each with the line that the error names, or 0 where a whole section is missing.
#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (old, new, line, said) in [
        ("send = \"1us\"", "send = \"-1us\"", 5, "must be 0 ns to"),
        ("send = \"1us\"", "send = 3", 5, "a time with its unit"),
        ("send = \"1us\"", "sent = \"1us\"", 5, "it may have speed, send"),
        ("send = \"1us\"\n", "", 4, "says no 'send'"),
        ("[processor]\nsend = \"1us\"\nreceive = \"2us\"\n", "", 0, "[processor] says no 'send'"),
        ("send = \"1us\"", "send = { value = \"1us\", basis = \"estimated\" }", 5, "its range"),
        ("send = \"1us\"", "send = { value = \"1us\", range = [\"2us\", \"3us\"] }", 5, "outside"),
        ("send = \"1us\"", "send = { value = \"1us\", draws = [] }", 5, "a list of figures"),
        ("send = \"1us\"", "send = { value = \"1us\", draws = [\"-1us\"] }", 5, "must be 0 ns"),
        (
            "bandwidth = \"1Gbit/s\"",
            "bandwidth = { value = \"1Gbit/s\", draws = [\"40Mbit/s\", \"41Mbit/s\"] }",
            9,
            "far from its value",
        ),
        ("nodes = 2", "nodes = 0", 2, "1 to 32768"),
        ("nodes = 2\n", "", 1, "number of nodes"),
        ("\"switch\"", "\"ring\"", 3, "switch, bus, hypercube, mesh"),
        ("nodes = 2\ntopology = \"switch\"", "nodes = 6\ntopology = \"hypercube\"", 2, "not 6"),
        ("send = \"1us\"", "send = []", 5, "an empty list"),
        ("send = \"1us\"", "send = [\"1us\"]", 5, "from which size on"),
        ("send = \"1us\"", "send = [{ from = \"1B\", value = \"1us\" }]", 5, "from = \"0B\""),
        ("send = \"1us\"", "send = { from = \"0B\", value = \"1us\" }", 5, "one of a list"),
        (
            "send = \"1us\"",
            "send = [\n{ from = \"0B\", value = \"1us\" },\n{ from = \"0B\", value = \"1us\" }]",
            7,
            "must ascend",
        ),
        ("send = \"1us\"", "send = [{ from = \"0.5B\", value = \"1us\" }]", 5, "whole number"),
        ("latency", "hop = [{ from = \"0B\", value = \"1us\" }]\nlatency", 8, "for all sizes"),
        ("[network]", "[net]", 7, "nothing called 'net'"),
        ("bandwidth", "loss = 0.1\nbandwidth", 9, "no 'resend'"),
        ("name = \"two\"", "name = two", 1, ""),
    ] {
        let text = LEAST.replace(old, new);
        let error = parse("two.toml", &text).unwrap_err();
        let at = match &error {
            MachineError::Line { line, .. } => *line,
            MachineError::Missing { .. } => 0,
        };
        assert_eq!(at, line, "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_odd(text in "\\PC{0,200}") {
        let _ = parse("odd.toml", &text);
    }
}

#[test]
fn a_burst_needs_links_of_pairs() {
    let text = format!("{LEAST}burst = \"9KiB\"\n");
    let error = parse("two.toml", &text).unwrap_err().to_string();
    assert!(error.contains("topology = \"mesh\""), "{error}");
    let mesh = parse("two.toml", &text.replace("switch", "mesh")).unwrap();
    assert_eq!(mesh.value("network.burst"), 9216.0);
}
