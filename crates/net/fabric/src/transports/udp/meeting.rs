//! Setting up: every linked pair meets over TCP, proves that it knows the run key, and agrees on
//! ports and keys for its datagrams, under the keys that the proof has made.
//!
//! The connection stays open as the pair's lifeline: no message goes over it, but its end tells at
//! once that the peer's process is gone, and its keep-alives that the peer's machine is.

use super::datagram::TagKey;
use super::pair::PairKeys;
use crate::error::FabricError;
use crate::handshake::Session;
use crate::spec::NodeId;
use crate::transports::sockets::mesh::Met;
use crate::transports::sockets::stamp;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

/// Bytes asked of the kernel for what has come and not been looked at.
const KERNEL_BYTES: usize = 4 << 20;
/// Port 2, key 16.
const WORD_BYTES: usize = 18;

/// A pair that has agreed.
pub(super) struct Agreed {
    pub node: NodeId,
    pub lifeline: TcpStream,
    pub socket: UdpSocket,
    pub keys: PairKeys,
    pub same_clock: bool,
}

/// Agree with a peer that has proved who it is.
pub(super) fn agree(met: Met, limit: Duration) -> Result<Agreed, FabricError> {
    let Met { node, mut stream, same_clock, mut session } = met;
    let told = || FabricError::io(format!("agreeing with node {node} on ports for datagrams"));
    // With which the peer's datagrams are to be tagged.
    let mut theirs = [0; 16];
    getrandom::fill(&mut theirs).map_err(|error| FabricError::BadSpec {
        reason: format!("no random bytes for a key: {error}"),
    })?;
    let socket = bind(&stream).map_err(told())?;
    let port = socket.local_addr().map_err(told())?.port();
    let word = Word { port, key: theirs };
    let heard = exchange(&mut stream, &mut session, word, limit).map_err(told())?;
    let ip = stream.peer_addr().map_err(told())?.ip();
    socket.connect(SocketAddr::new(ip, heard.port)).map_err(told())?;
    stream.set_nonblocking(true).map_err(told())?;
    let keys = PairKeys { ours: TagKey(heard.key), theirs: TagKey(theirs) };
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

/// What one end tells the other, sealed: so nobody else knows the key, or can change the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    port: u16,
    key: [u8; 16],
}

impl Word {
    fn sealed(self, session: &mut Session) -> io::Result<[u8; WORD_BYTES + Session::SEAL_BYTES]> {
        let mut plain = [0; WORD_BYTES];
        plain[..2].copy_from_slice(&self.port.to_le_bytes());
        plain[2..].copy_from_slice(&self.key);
        let mut sealed = [0; WORD_BYTES + Session::SEAL_BYTES];
        session.seal(&plain, &mut sealed).map_err(io::Error::other)?;
        Ok(sealed)
    }

    fn opened(sealed: &[u8], session: &mut Session) -> io::Result<Word> {
        let mut plain = [0; WORD_BYTES + Session::SEAL_BYTES];
        let bytes = session.open(sealed, &mut plain).map_err(io::Error::other)?;
        debug_assert_eq!(bytes, WORD_BYTES);
        let key = std::array::from_fn(|i| plain[2 + i]);
        Ok(Word { port: u16::from_le_bytes([plain[0], plain[1]]), key })
    }
}

fn exchange(
    stream: &mut TcpStream,
    session: &mut Session,
    word: Word,
    limit: Duration,
) -> io::Result<Word> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(limit))?;
    let mut sealed = word.sealed(session)?;
    stream.write_all(&sealed)?;
    stream.read_exact(&mut sealed)?;
    stream.set_read_timeout(None)?;
    Word::opened(&sealed, session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handshake::{Introduction, Purpose, Role, authenticate};
    use crate::key::RunKey;
    use std::os::unix::net::UnixStream;

    fn sessions() -> [Session; 2] {
        let (key, limit) = (RunKey::generate().unwrap(), Duration::from_secs(10));
        let (mut a, mut b) = UnixStream::pair().unwrap();
        let ours = |role| Introduction { role, purpose: Purpose::Data, node: 0, session: 1 };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| authenticate(&mut b, "b", &key, ours(Role::Server), limit));
            let one = authenticate(&mut a, "a", &key, ours(Role::Client), limit).unwrap();
            [one.session, other.join().unwrap().unwrap().session]
        })
    }

    #[test]
    fn a_word_is_for_the_other_end_alone_and_once() {
        let ([mut one, mut other], [mut stranger, _]) = (sessions(), sessions());
        let word = Word { port: 7001, key: [3; 16] };
        let sealed = word.sealed(&mut one).unwrap();
        assert!(!sealed.windows(4).any(|bytes| bytes == [3; 4]), "the key travels in the clear");
        assert!(Word::opened(&sealed, &mut stranger).is_err());
        assert_eq!(Word::opened(&sealed, &mut other).unwrap(), word);
        assert!(Word::opened(&sealed, &mut other).is_err(), "repeated");
    }
}
