//! `sites.csv`: the places in the program that called MPI.
//!
//! Ranks number their sites by themselves; here they get one numbering, and the name of the
//! function, its file and line where the program has them.

use crate::entry::Site;
use crate::symbols::Symbols;
use record::csv_field;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Site numbers of a rank beyond this are of a damaged log.
const SITES_MAX: usize = 1 << 20;

/// Sites of all ranks.
#[derive(Default)]
pub(crate) struct Sites {
    numbers: HashMap<(String, u64), u32>,
    list: Vec<(String, u64)>,
}

/// A rank's own numbers to those of the run.
#[derive(Default)]
pub(crate) struct SiteNumbers(Vec<u32>);

impl SiteNumbers {
    /// The run's number of a site; 0 if it is not known.
    #[inline]
    pub fn get(&self, id: u32) -> u32 {
        self.0.get(id as usize).copied().unwrap_or(0)
    }
}

impl Sites {
    /// Take in the sites of a rank.
    pub fn add(&mut self, sites: &[Site]) -> SiteNumbers {
        let mut numbers = Vec::new();
        for site in sites.iter().filter(|site| (site.id as usize) < SITES_MAX) {
            let id = site.id as usize;
            if numbers.len() <= id {
                numbers.resize(id + 1, 0);
            }
            numbers[id] = self.number(site);
        }
        SiteNumbers(numbers)
    }

    fn number(&mut self, site: &Site) -> u32 {
        let next = self.list.len() as u32 + 1;
        let key = (site.object.clone(), site.offset);
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.list.push(key);
        }
        number
    }

    /// The file's text.
    pub fn csv(&self) -> String {
        let mut symbols = Symbols::default();
        let mut text = "site,symbol,file,line,object,offset\n".to_string();
        for (at, (object, offset)) in self.list.iter().enumerate() {
            // The offset is that of the instruction after the call.
            let place = symbols.find(object, offset.saturating_sub(1));
            let line = place.line.map_or(String::new(), |line| line.to_string());
            let (symbol, file, object) =
                (csv_field(&place.symbol), csv_field(&place.file), csv_field(object));
            let _ = writeln!(text, "{},{symbol},{file},{line},{object},{offset}", at + 1);
        }
        text
    }
}
