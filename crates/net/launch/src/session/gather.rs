//! Waiting for the processes to join, and whom to let in.

use super::*;

/// How often started processes are looked at that have not joined yet.
const LOOK: Duration = Duration::from_millis(200);

impl Session<'_> {
    pub(super) fn gather(&mut self) -> Result<(), Halt> {
        for (connection, join) in std::mem::take(&mut self.coordinator.early) {
            self.admit(connection, join);
        }
        let limit = self.options.deadlines.join;
        let (deadline, mut next_look) = (Instant::now() + limit, Instant::now());
        while self.members.len() < usize::from(self.options.processes()) {
            self.step(deadline)?;
            let now = Instant::now();
            if self.stop.load(Ordering::Relaxed) {
                return Err(Halt::Stopped);
            }
            if now >= next_look {
                self.check_the_missing()?;
                next_look = now + LOOK;
            }
            if now >= deadline {
                return Err(self.too_few(limit).into());
            }
        }
        self.gathering = false;
        self.members.sort_by_key(|member| member.slot);
        Ok(())
    }

    /// Let a process in, or tell it why not.
    pub(super) fn admit(&mut self, mut connection: Connection, join: Join) {
        if self.released && self.options.more {
            // It was started by hand, has just been let go, and waits for the next launch already.
            self.coordinator.early.push((connection, join));
            return;
        }
        match self.slot_for(&join, connection.peer.ip()) {
            Ok(slot) => {
                let member = Member::new(connection, join, slot);
                let (hosted, host) = (member.hosted.clone(), member.join.host.clone());
                self.members.push(member);
                self.note(Note::Joined { hosted, host });
            }
            Err(reason) => {
                let peer = connection.peer;
                // It may have gone already; the note is what counts.
                let _ =
                    connection.send(&Frame::Message(Message::Refused { reason: reason.clone() }));
                self.note(Note::Refused(format!("process {} at {peer}: {reason}", join.pid)));
            }
        }
    }

    fn slot_for(&self, join: &Join, from: IpAddr) -> Result<u16, String> {
        let (processes, hosts) = (self.options.processes(), self.options.hosts());
        let taken = |slot: u16| self.members.iter().any(|member| member.slot == slot);
        if join.protocol != PROTOCOL {
            return Err(format!(
                "it uses version {} of the control protocol, not {PROTOCOL}; install the same \
                Fourstamp on both machines",
                join.protocol
            ));
        }
        if !self.gathering || self.members.len() >= usize::from(processes) {
            return Err(format!("all {} nodes have already joined", self.options.fabric.nodes));
        }
        if join.hosts != hosts || join.data_addresses.len() != usize::from(hosts) {
            return Err(format!(
                "it hosts {} nodes, but each process must host {hosts}",
                join.hosts
            ));
        }
        let transport = &self.options.fabric.transport;
        let one_machine = transport.kind.nodes == fabric::NodePlace::OneMachine;
        if one_machine && join.boot_id != self.coordinator.home.boot_id {
            return Err(format!(
                "transport {} needs all nodes on this machine, but {} ({from}) is another; choose \
                tcp",
                transport.name(),
                join.host
            ));
        }
        match join.slot {
            Some(slot) if slot >= processes || taken(slot) => {
                Err(format!("there is no place {slot} for it"))
            }
            Some(slot) => Ok(slot),
            None => (0..processes)
                .find(|slot| !taken(*slot))
                .ok_or_else(|| "no place is free".to_string()),
        }
    }

    /// A process that ends before it has joined will not join.
    fn check_the_missing(&mut self) -> Result<(), Halt> {
        let Some(obituary) = self.fleet.ended() else { return Ok(()) };
        if self.members.iter().any(|member| member.slot == obituary.slot) {
            // It has joined, so the end of its connection says more, and is on its way.
            return Ok(());
        }
        let node = obituary.slot * self.options.hosts();
        let line =
            obituary.last_line.map(|line| format!("; its last line: {line}")).unwrap_or_default();
        let reason = format!("its process {} before it joined{line}", obituary.how);
        Err(LaunchError::Start { node, what: self.program(), reason }.into())
    }

    fn program(&self) -> String {
        match &self.options.starter {
            Starter::Local(command) | Starter::Tmux { command, .. } => {
                command.program.display().to_string()
            }
            Starter::Ssh { program, .. } => program.display().to_string(),
            Starter::External => "started by hand".into(),
        }
    }

    fn too_few(&self, limit: Duration) -> LaunchError {
        let processes = self.options.processes();
        let missing =
            (0..processes).find(|slot| !self.members.iter().any(|member| member.slot == *slot));
        let line = missing.and_then(|slot| Some((slot, self.fleet.last_line(slot)?)));
        let hint = match (&self.options.starter, line) {
            (Starter::External, _) => {
                format!(
                    "; start the others with: {} node --join {}",
                    process::own_name(),
                    self.coordinator.join_address()
                )
            }
            (_, Some((slot, line))) => format!("; the last line of process {slot}: {line}"),
            (_, None) => String::new(),
        };
        let (joined, waited_ms) = (self.members.len(), limit.as_millis() as u64);
        LaunchError::TooFewJoined { joined, processes, waited_ms, hint }
    }
}
