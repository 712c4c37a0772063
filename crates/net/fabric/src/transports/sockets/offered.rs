//! Whether this machine's kernel stamps what it receives.

use super::stamp;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// The kernel begins to take stamps in the background when the first socket asks for them.
const PATIENCE: Duration = Duration::from_secs(2);

/// Try it over loopback: `Err` says why there are no stamps.
pub fn kernel_stamps() -> Result<(), String> {
    match try_over_loopback() {
        Ok(true) => Ok(()),
        Ok(false) => Err("asked for, but none came".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn try_over_loopback() -> std::io::Result<bool> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut sender = TcpStream::connect(listener.local_addr()?)?;
    let (receiver, _) = listener.accept()?;
    receiver.set_read_timeout(Some(PATIENCE))?;
    stamp::enable(&receiver)?;
    let begun = Instant::now();
    let mut room = [0; 8];
    while begun.elapsed() < PATIENCE {
        sender.write_all(b"x")?;
        if stamp::receive(&receiver, &mut room, true)?.stamp_ns.is_some() {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(false)
}
