//! What a service manager wants to know of a service: sd_notify(3), a datagram to the socket that
//! the environment names. Where it names none, nobody is told.

use rustix::time::{ClockId, clock_gettime};
use std::ffi::{OsStr, OsString};
use std::io::Result;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

const VARIABLE: &str = "NOTIFY_SOCKET";

/// Whoever started this service, if it wants to be told.
pub struct Manager(Option<OsString>);

impl Manager {
    /// The one that the environment names.
    pub fn here() -> Manager {
        Manager(std::env::var_os(VARIABLE).filter(|name| !name.is_empty()))
    }

    /// The service serves. `status` is a line for people.
    pub fn ready(&self, status: &str) {
        self.tell(&format!("READY=1\nSTATUS={status}"));
    }

    /// The service reads its files again; [`ready`](Manager::ready) says that it has.
    pub fn reloading(&self) {
        let now = clock_gettime(ClockId::Monotonic);
        let us = now.tv_sec as u64 * 1_000_000 + now.tv_nsec as u64 / 1000;
        self.tell(&format!("RELOADING=1\nMONOTONIC_USEC={us}"));
    }

    /// A manager that is gone needs to know nothing.
    fn tell(&self, message: &str) {
        if let Some(name) = &self.0 {
            let _ = send(name, message);
        }
    }
}

fn send(name: &OsStr, message: &str) -> Result<()> {
    let address = match name.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(name)?,
    };
    UnixDatagram::unbound()?.send_to_addr(message.as_bytes(), &address).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_is_told_at_a_path_and_at_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let name = format!("fourstamp-test-{}", std::process::id());
        let abstracted = SocketAddr::from_abstract_name(&name).unwrap();
        for (socket, given) in [
            (UnixDatagram::bind(&path).unwrap(), path.clone().into_os_string()),
            (UnixDatagram::bind_addr(&abstracted).unwrap(), format!("@{name}").into()),
        ] {
            let (manager, mut buffer) = (Manager(Some(given)), [0; 100]);
            manager.ready("serves");
            let bytes = socket.recv(&mut buffer).unwrap();
            assert_eq!(&buffer[..bytes], b"READY=1\nSTATUS=serves");
            manager.reloading();
            let bytes = socket.recv(&mut buffer).unwrap();
            let said = str::from_utf8(&buffer[..bytes]).unwrap();
            let us = said.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").unwrap();
            assert!(us.parse::<u64>().unwrap() > 0);
        }
        Manager(None).ready("nobody");
        Manager(Some(path.with_extension("gone").into())).ready("nobody");
    }
}
