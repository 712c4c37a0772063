//! `sites.csv`: the places in the program that called MPI.
//!
//! Ranks number their sites by themselves; here they get one numbering, and those in machine code
//! the name of the function, its file and line where the program has them. Lines of source come
//! with all that.

use crate::entry::{Location, Site};
use record::csv_field;
use std::collections::HashMap;
use std::fmt::Write as _;
use symbols::Symbols;

/// Site numbers of a rank beyond this are of a damaged log.
const SITES_MAX: usize = 1 << 20;

/// Sites of all ranks.
#[derive(Default)]
pub(crate) struct Sites {
    numbers: HashMap<Location, u32>,
    list: Vec<Location>,
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
        let number = *self.numbers.entry(site.location.clone()).or_insert(next);
        if number == next {
            self.list.push(site.location.clone());
        }
        number
    }

    /// The file's text.
    pub fn csv(&self) -> String {
        let mut symbols = Symbols::default();
        let mut text = "site,symbol,file,line,object,offset\n".to_string();
        for (at, location) in self.list.iter().enumerate() {
            let _ = writeln!(text, "{},{}", at + 1, row(location, &mut symbols));
        }
        text
    }
}

/// All but the number.
fn row(location: &Location, symbols: &mut Symbols) -> String {
    match location {
        Location::Line { file, line, function } => {
            format!("{},{},{line},,", csv_field(function), csv_field(file))
        }
        Location::Code { object, offset } => {
            // The offset is that of the instruction after the call.
            let place = symbols.find(object, offset.saturating_sub(1));
            let line = place.line.map_or(String::new(), |line| line.to_string());
            let (symbol, file) = (csv_field(&place.symbol), csv_field(&place.file));
            format!("{symbol},{file},{line},{},{offset}", csv_field(object))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_source_has_one_number_and_no_object() {
        let site = |id, line| Site {
            id,
            location: Location::Line { file: "/a,b/heat.py".into(), line, function: "f".into() },
        };
        let mut sites = Sites::default();
        let numbers = sites.add(&[site(1, 41), site(2, 43), site(5, 41)]);
        assert_eq!([1, 2, 3, 5].map(|id| numbers.get(id)), [1, 2, 0, 1]);
        let rows = "1,f,\"/a,b/heat.py\",41,,\n2,f,\"/a,b/heat.py\",43,,\n";
        assert_eq!(sites.csv(), format!("site,symbol,file,line,object,offset\n{rows}"));
    }
}
