//! Reading pages back.

use super::cells::State;
use super::operations::What;
use super::wanted::Get;
use super::{Fetched, Out, Vault};
use crate::{Action, Frame, Installed, Into, Outcome};

impl Vault {
    /// From the frame if the contents are still in one, from the slot, or made again from the
    /// group.
    pub(super) fn fetch(&mut self, get: Get, cell: u32, out: &mut Out) {
        let found = &self.cells[cell];
        if let Some(frame) = found.frame {
            return self.deliver(get, frame, out);
        }
        if found.state == State::Lost {
            return self.want(get, cell);
        }
        let (place, slot, version, checksum) =
            (found.place, found.slot, found.version, found.checksum);
        self.counts.page_ins += 1;
        let operation = self.operations.ask(place, What::Get { get, cell, version });
        out.push_back(Action::Read {
            operation,
            place,
            slot,
            version,
            checksum: Some(checksum),
            into: get.into,
            urgency: get.urgency,
        });
    }

    /// A read was answered.
    pub(super) fn got(
        &mut self,
        get: Get,
        cell: u32,
        version: u64,
        outcome: Outcome,
        out: &mut Out,
    ) {
        let newest = self.cells.newest(get.page);
        let asked = &self.cells[cell];
        let same_cell = asked.version == version;
        match (outcome, newest) {
            (Ok(installed), Some(newest)) if self.is_what_was_read(newest, cell, same_cell) => {
                self.tell(get, Fetched::There(installed.unwrap_or(Installed::Done)));
            }
            // The caller has put the page while reading it into its own memory: it knows better
            // than the vault what is there.
            (Ok(installed), Some(_)) if matches!(get.into, Into::Page(_)) => {
                self.tell(get, Fetched::There(installed.unwrap_or(Installed::Done)));
            }
            (Ok(_), Some(newest)) => self.fetch_again(get, newest, out),
            (Err(_), Some(newest)) => {
                if same_cell && asked.state == State::Stored {
                    self.lose_slot(cell, out);
                }
                self.fetch_again(get, newest, out);
            }
            (_, None) => {
                if same_cell && outcome.is_err() && self.cells[cell].state == State::Stored {
                    self.lose_slot(cell, out);
                }
                self.tell(get, Fetched::Gone);
            }
        }
    }

    /// Gets that waited for this cell ask again: it has been made again, or replaced, or forgotten.
    pub(super) fn wake(&mut self, cell: u32, out: &mut Out) {
        while let Some(get) = self.wanted.take(cell) {
            match self.cells.newest(get.page) {
                Some(newest) if newest != cell => self.fetch(get, newest, out),
                _ => self.tell(get, Fetched::Gone),
            }
        }
    }

    /// Gets that waited for this cell wait in vain.
    pub(super) fn disappoint(&mut self, cell: u32) {
        while let Some(get) = self.wanted.take(cell) {
            self.tell(get, Fetched::Lost);
        }
    }

    /// A page that is moved meanwhile has another cell with the same contents.
    fn is_what_was_read(&self, newest: u32, cell: u32, same_cell: bool) -> bool {
        same_cell && self.cells[newest].checksum == self.cells[cell].checksum
    }

    fn fetch_again(&mut self, get: Get, cell: u32, out: &mut Out) {
        if let Into::Frame(frame) = get.into {
            out.push_back(Action::Empty { frame });
        }
        self.fetch(get, cell, out);
    }

    fn deliver(&mut self, get: Get, frame: Frame, out: &mut Out) {
        match get.into {
            Into::Frame(into) => {
                out.push_back(Action::Clear { frame: into });
                out.push_back(Action::Xor { from: frame, into });
                self.tell(get, Fetched::There(Installed::Done));
            }
            Into::Page(_) => {
                self.held.add(frame);
                self.tell(get, Fetched::InFrame(frame));
            }
        }
    }

    fn want(&mut self, get: Get, cell: u32) {
        self.counts.degraded_reads += 1;
        self.wanted.add(cell, get);
        let group = self.cells[cell].group;
        self.hurry(group);
    }
}
