//! Setting up: every linked pair meets over TCP, proves that it knows the run key, and agrees on
//! ports and keys for its datagrams.
//!
//! The connection stays open as the pair's lifeline: no message goes over it, but its end tells at
//! once that the peer's process is gone, and its keep-alives that the peer's machine is.

use super::datagram::TagKey;
use super::pair::PairKeys;
use crate::error::FabricError;
use crate::key::RunKey;
use crate::spec::NodeId;
use crate::transports::sockets::mesh::Met;
use crate::transports::sockets::stamp;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

/// Bytes asked of the kernel for what has come and not been looked at.
const KERNEL_BYTES: usize = 4 << 20;
/// Port 2, nonce 32.
const WORD_BYTES: usize = 34;

/// A pair that has agreed.
pub(super) struct Agreed {
    pub node: NodeId,
    pub lifeline: TcpStream,
    pub socket: UdpSocket,
    pub keys: PairKeys,
    pub same_clock: bool,
}

/// Agree with a peer that has proved who it is.
pub(super) fn agree(
    met: Met,
    me: NodeId,
    key: &RunKey,
    limit: Duration,
) -> Result<Agreed, FabricError> {
    let Met { node, mut stream, same_clock } = met;
    let told = || FabricError::io(format!("agreeing with node {node} on ports for datagrams"));
    let mut nonce = [0; 32];
    getrandom::fill(&mut nonce).map_err(|error| FabricError::BadSpec {
        reason: format!("no random bytes for a key: {error}"),
    })?;
    let socket = bind(&stream).map_err(told())?;
    let port = socket.local_addr().map_err(told())?.port();
    let (their_port, theirs) = exchange(&mut stream, (port, nonce), limit).map_err(told())?;
    let ip = stream.peer_addr().map_err(told())?.ip();
    socket.connect(SocketAddr::new(ip, their_port)).map_err(told())?;
    stream.set_nonblocking(true).map_err(told())?;
    let keys = keys(key, (me, &nonce), (node, &theirs));
    Ok(Agreed { node, lifeline: stream, socket, keys, same_clock })
}

fn bind(stream: &TcpStream) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(SocketAddr::new(stream.local_addr()?.ip(), 0))?;
    socket.set_nonblocking(true)?;
    // As much as is allowed: who may not have more has more datagrams sent again.
    let forced = rustix::net::sockopt::set_socket_recv_buffer_size_force(&socket, KERNEL_BYTES);
    if forced.is_err() {
        let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&socket, KERNEL_BYTES);
    }
    // Where the kernel has no stamps, the reading thread's clock must do.
    let _ = stamp::enable(&socket);
    Ok(socket)
}

fn exchange(
    stream: &mut TcpStream,
    (port, nonce): (u16, [u8; 32]),
    limit: Duration,
) -> io::Result<(u16, [u8; 32])> {
    let mut word = [0; WORD_BYTES];
    word[..2].copy_from_slice(&port.to_le_bytes());
    word[2..].copy_from_slice(&nonce);
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(limit))?;
    stream.write_all(&word)?;
    stream.read_exact(&mut word)?;
    stream.set_read_timeout(None)?;
    let mut theirs = [0; 32];
    theirs.copy_from_slice(&word[2..]);
    Ok((u16::from_le_bytes([word[0], word[1]]), theirs))
}

/// The keys of both directions. Whoever reads the nonces off the wire still needs the run key.
fn keys(key: &RunKey, ours: (NodeId, &[u8; 32]), theirs: (NodeId, &[u8; 32])) -> PairKeys {
    let (low, high) = if ours.0 < theirs.0 { (ours, theirs) } else { (theirs, ours) };
    let direction = |from: NodeId, to: NodeId| {
        let hex =
            |nonce: &[u8; 32]| nonce.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let label = format!("fourstamp udp {from} {to} {} {}", hex(low.1), hex(high.1));
        let derived = key.derived(&label);
        TagKey(std::array::from_fn(|i| derived[i]))
    };
    PairKeys { ours: direction(ours.0, theirs.0), theirs: direction(theirs.0, ours.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_have_the_same_keys_and_each_direction_its_own() {
        let key = RunKey::generate().unwrap();
        let (one, other) =
            (keys(&key, (3, &[1; 32]), (5, &[2; 32])), keys(&key, (5, &[2; 32]), (3, &[1; 32])));
        assert_eq!((one.ours.0, one.theirs.0), (other.theirs.0, other.ours.0));
        assert_ne!(one.ours.0, one.theirs.0);
        assert_ne!(
            one.ours.0,
            keys(&key, (3, &[1; 32]), (5, &[3; 32])).ours.0,
            "a fresh nonce, a fresh key"
        );
        assert_ne!(
            one.ours.0,
            keys(&RunKey::generate().unwrap(), (3, &[1; 32]), (5, &[2; 32])).ours.0
        );
    }
}
