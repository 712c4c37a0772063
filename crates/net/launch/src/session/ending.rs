//! The end of a launch, good or bad: nobody is left behind, and everything known is in the run's
//! information.

use super::*;

/// How long a process may take to end once it has been let go.
const LEAVE: Duration = Duration::from_secs(5);

impl Session<'_> {
    pub(super) fn end(mut self, result: Result<(), Halt>) -> Result<LaunchOutcome, LaunchError> {
        if result.is_err() {
            self.wind_down();
        }
        self.release();
        self.count_strangers();
        let outcome = match result {
            Ok(()) => Ok(self.outcome()),
            Err(Halt::Stopped) => Err(LaunchError::Stopped),
            Err(Halt::Error(error)) => Err(error),
            Err(Halt::Failed) => Err(self.failed()),
        };
        self.store();
        outcome
    }

    /// Let the nodes that still work finish with what they have, and hear how they end.
    fn wind_down(&mut self) {
        (self.gathering, self.winding_down) = (false, true);
        self.tell_all(&Message::Stop);
        let limit = self.options.deadlines.stop;
        let deadline = Instant::now() + limit;
        let waits = |member: &Member| member.answers() && !member.is_over();
        while self.members.iter().any(waits) {
            // What fails now is a consequence; it is kept, and does not end the waiting for others.
            let _ = self.step(deadline);
            let now = Instant::now();
            if now >= deadline {
                let cause = Cause::Stuck { doing: "stopping", waited_ms: limit.as_millis() as u64 };
                self.fail_all(|member| waits(member) && member.ships_nothing(now, limit), &cause);
            }
        }
    }

    /// Let all go, and see that they do.
    fn release(&mut self) {
        self.released = true;
        self.tell_all(&Message::Release { more: self.options.more });
        for member in &mut self.members {
            if member.phase == Phase::Joined {
                let reason = "the launch ended before it had started".to_string();
                let _ = member.tell(Message::Refused { reason });
                member.phase = Phase::Ended;
            }
        }
        let deadline = Instant::now() + LEAVE;
        while self.members.iter().any(|member| member.phase != Phase::Gone)
            && Instant::now() < deadline
        {
            let _ = self.step(deadline);
        }
        self.fleet_leaves();
    }

    fn fleet_leaves(&mut self) {
        // After a failure somebody hangs or is stopped: there is no point in waiting for that one.
        let patience = if self.failures.is_empty() { LEAVE } else { Duration::from_millis(500) };
        let late = self.fleet.wait(patience);
        if self.failures.is_empty() && !late.is_empty() {
            self.note(Note::Remark(format!(
                "processes {late:?} did not end by themselves and were killed"
            )));
        }
        self.fleet = Fleet::Unseen;
        let logs = self.folder.path().join("logs");
        // Only if it is empty: logs of nodes that printed something stay.
        let _ = std::fs::remove_dir(logs);
    }

    /// The first of each kind was noted as it came; this says how many there were.
    fn count_strangers(&mut self) {
        let so_far = self.coordinator.reception.strangers();
        let strangers = so_far.since(&self.coordinator.noted);
        if strangers.total() > 0 {
            self.coordinator.noted = so_far;
            self.note(Note::Remark(format!("at the coordinator's port, {strangers}")));
        }
    }

    fn outcome(&mut self) -> LaunchOutcome {
        let taken = |member: &mut Member| {
            let outcome = member.outcome.take()?;
            Some(NodeOutcome { hosted: member.hosted.clone(), outcome })
        };
        let nodes = self.members.iter_mut().filter_map(taken).collect();
        LaunchOutcome { nodes, stopped: self.stop.load(Ordering::Relaxed) }
    }

    /// The failure that explains the others goes first.
    fn failed(&mut self) -> LaunchError {
        let mut failures = std::mem::take(&mut self.failures);
        failures.sort_by_key(|failure| failure.cause.rank());
        for failure in &failures {
            let text = format!("launch {}: {failure}", self.options.launch);
            self.folder.info_mut().failures.push(text);
            if failure.cause.is_loss() {
                self.note_what_is_lost(failure.node);
            }
        }
        let first = failures.remove(0);
        LaunchError::Nodes { first, others: failures }
    }

    /// A node that died before it had begun to record leaves nothing that a reader would miss.
    fn note_what_is_lost(&mut self, node: u16) {
        let launch = self.options.launch;
        let sheet = self.folder.live().join(format!("launch-{launch}-node-{node}.json"));
        if !sheet.exists() {
            let info = self.folder.info_mut();
            info.lost.cut = true;
            info.failures.push(format!(
                "launch {launch}: node {node} ended before it had begun to record: nothing of it \
                is kept"
            ));
        }
    }

    fn store(self) {
        self.clocks.store(self.folder.info_mut());
    }
}
