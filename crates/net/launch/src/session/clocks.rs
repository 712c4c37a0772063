//! Comparing the clocks of other domains with ours, by messages over the control connections.

use super::pings::Answer;
use super::*;
use std::collections::HashSet;

/// An answer that takes longer says nothing about clocks.
const PATIENCE: Duration = Duration::from_secs(1);

impl Session<'_> {
    /// Compare every other clock domain with ours, by one process of each. Nodes that share our
    /// clock are left in peace.
    pub(super) fn compare_clocks(&mut self) -> Result<(), Halt> {
        let mut compared: HashSet<String> = HashSet::from([self.clocks.reference.clone()]);
        for index in 0..self.members.len() {
            let member = &self.members[index];
            let Some(ready) = member.ready.clone().filter(|_| member.answers()) else { continue };
            let Some(calibration) = ready.calibration else { continue };
            let news = ready.domains.iter().filter(|domain| !compared.contains(*domain)).count();
            if news == 0 {
                continue;
            }
            let exchanges = self.exchanges(index)?;
            match self.clocks.compare(&ready.domains, ready.source, calibration, &exchanges) {
                Ok(news) => {
                    // A full disk is told by the recorders.
                    news.iter().for_each(|news| drop(self.folder.log_clock(news)));
                    compared.extend(ready.domains);
                }
                Err(error) => {
                    let node = self.members[index].hosted.first().copied().unwrap_or_default();
                    self.note(Note::Remark(format!(
                        "the clock of node {node} was not compared: {error}"
                    )));
                }
            }
        }
        Ok(())
    }

    fn exchanges(&mut self, index: usize) -> Result<Vec<Exchange>, Halt> {
        let mut exchanges = Vec::new();
        for _ in 0..self.options.synchronising.exchanges {
            match self.exchange(index)? {
                Some(exchange) => exchanges.push(exchange),
                None => break,
            }
        }
        Ok(exchanges)
    }

    /// One ping and its answer. Other events are handled meanwhile.
    fn exchange(&mut self, index: usize) -> Result<Option<Exchange>, Halt> {
        let ping = Frame::Ping { sequence: self.pings.begin() };
        let deadline = Instant::now() + PATIENCE;
        let local_sent = self.coordinator.home.clock.now();
        let sent = self.members[index].connection.send(&ping);
        self.sent(index, sent);
        while self.members[index].answers() && Instant::now() < deadline {
            self.step(deadline)?;
            if let Some(answer) = self.pings.take_answer() {
                let Answer { remote_received, remote_sent, local_received, .. } = answer;
                let exchange =
                    Exchange { local_sent, remote_received, remote_sent, local_received };
                return Ok(Some(exchange));
            }
        }
        Ok(None)
    }
}
