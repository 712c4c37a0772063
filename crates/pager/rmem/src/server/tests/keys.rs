//! Keys that change while clients are connected.

use super::*;
use fabric::HandshakeError;

fn refused(running: &Running, key: &RunKey) -> bool {
    let connected = Link::connect(&running.address(), key, true, DEADLINE);
    matches!(connected.err(), Some(LinkError::Handshake(HandshakeError::WrongKey { .. })))
}

#[test]
fn a_key_is_changed_for_another_and_no_page_is_lost() {
    let [old, new] = [(); 2].map(|()| RunKey::generate().unwrap());
    let ring = KeyRing::from(&old);
    let mut running = Running::start(8, |options| options.keys = ring.clone());
    running.key = old.clone();
    let mut first = running.client(true);
    assert_eq!(first.reserve(1), (1, Shortage::None));
    first.store(0, 1, &[7; PAGE_BYTES]);
    assert!(refused(&running, &new));

    ring.replace(vec![new.clone(), old.clone()]).unwrap();
    running.key = new.clone();
    let second = running.client(true);
    let keys = [new.clone(), old.clone()];
    assert_eq!(running.server.connections_by_key(&keys), (vec![1, 1], 0));

    ring.replace(vec![new.clone()]).unwrap();
    assert!(refused(&running, &old));
    assert_eq!(running.server.connections_by_key(&[new]), (vec![1], 1));
    assert_eq!(first.fetch(0), (Some(1), [7; PAGE_BYTES]));
    drop((first, second));
    running.until("end", |summary| summary.clients == 2 && summary.clients_now == 0);
    assert_eq!(running.server.summary().strangers.total(), 2);
}
