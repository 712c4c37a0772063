//! Figures, for people: `cargo test --release -p fourstamp-rmem speed -- --ignored --nocapture`.

use super::*;

#[test]
#[ignore = "measures; asserts nothing about time"]
fn speed() {
    for (encrypt, spin_us) in [(false, 50), (false, 0), (true, 50)] {
        let running = Running::start(8192, |options| options.spin = Duration::from_micros(spin_us));
        let mut client = running.client(encrypt);
        client.reserve(8192);
        println!("encrypted: {encrypt}, the server looks for {spin_us} µs before it sleeps");
        let (p50, p99) = round_trips(&mut client);
        println!("  one page: p50 {p50:.1} µs, p99 {p99:.1} µs");
        println!("  write, batches of 64: {:.0} MB/s", rate(8192, || write_all(&mut client)));
        for window in [1, 8, 64] {
            let rate = rate(8192, || read_all(&mut client, window));
            println!("  read, {window} at a time: {rate:.0} MB/s");
        }
        println!(
            "  read, 64 at a time, two asked for: {:.0} MB/s",
            rate(8192, || read_ahead(&mut client))
        );
    }
    bare();
}

fn rate(pages: usize, mut go: impl FnMut()) -> f64 {
    go();
    let begun = Instant::now();
    go();
    (pages * PAGE_BYTES) as f64 / 1e6 / begun.elapsed().as_secs_f64()
}

fn write_all(client: &mut Client) {
    let page = [7; PAGE_BYTES];
    let tag = Tag { version: 1, checksum: checksum(&page) };
    let (mut slot, mut stored) = (0, 0);
    while stored < 8192 {
        while slot < 8192 && client.link.room() {
            client.link.write(slot.into(), slot, tag, &page, 0);
            slot += 1;
        }
        client.link.flush(1).unwrap();
        let take = &mut |reply: Reply<'_>| match reply {
            Reply::Stored { operations, .. } => stored += operations.len(),
            other => panic!("{other:?}"),
        };
        client.link.receive(|| 2, take).unwrap();
    }
}

fn ask(client: &mut Client, from: u32, count: u32) {
    let reads: Vec<(u64, u32)> = (from..from + count).map(|slot| (slot.into(), slot)).collect();
    client.link.read(&reads);
}

fn read_all(client: &mut Client, window: u32) {
    for from in (0..8192).step_by(window as usize) {
        ask(client, from, window);
        client.wait(|reply| matches!(reply, Reply::Pages { .. }));
    }
}

fn read_ahead(client: &mut Client) {
    ask(client, 0, 64);
    for from in (64..8192).step_by(64) {
        ask(client, from, 64);
        client.wait(|reply| matches!(reply, Reply::Pages { .. }));
    }
    client.wait(|reply| matches!(reply, Reply::Pages { .. }));
}

fn round_trips(client: &mut Client) -> (f64, f64) {
    let mut times: Vec<f64> = (0..20_000u32)
        .map(|i| {
            ask(client, i * 7919 % 8192, 1);
            let begun = Instant::now();
            client.wait(|reply| matches!(reply, Reply::Pages { .. }));
            begun.elapsed().as_nanos() as f64 / 1e3
        })
        .collect();
    percentiles(&mut times)
}

fn percentiles(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

/// A bare round trip: 24 bytes there, a page back, blocking sockets, nothing else.
fn bare() {
    use std::io::{Read, Write};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        let mut request = [0; 24];
        while stream.read_exact(&mut request).is_ok() {
            stream.write_all(&[1; PAGE_BYTES]).unwrap();
        }
    });
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut page = [0; PAGE_BYTES];
    let mut times: Vec<f64> = (0..20_000)
        .map(|_| {
            let begun = Instant::now();
            stream.write_all(&[0; 24]).unwrap();
            stream.read_exact(&mut page).unwrap();
            begun.elapsed().as_nanos() as f64 / 1e3
        })
        .collect();
    drop(stream);
    server.join().unwrap();
    let (p50, p99) = percentiles(&mut times);
    println!(
        "a bare round trip of 24 bytes there and a page back: p50 {p50:.1} µs, p99 {p99:.1} µs"
    );
}
