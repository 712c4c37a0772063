//! Calls one by one, with all that their table says of them.

use crate::tables::Group;
use crate::{CallTables, LensError, function_name};
use calls::table::{CALL_COLUMNS, CallColumn};
use record::NULL;
use std::io::{self, Write};

/// A row of a rank's table.
#[derive(Clone, Copy)]
pub struct CallRow<'a> {
    group: &'a Group<'a>,
    row: usize,
    number: i64,
}

impl CallRow<'_> {
    /// Whose call it is.
    pub fn rank(self) -> u32 {
        self.group.rank
    }

    /// Its row in the table of its rank.
    pub fn number(self) -> i64 {
        self.number
    }

    /// What it says.
    pub fn value(self, column: CallColumn) -> Option<i64> {
        Some(self.group.column(column).at(self.row)).filter(|&value| value != NULL)
    }
}

impl CallTables {
    /// Hand over every call, rank by rank.
    ///
    /// # Errors
    /// When a table is damaged, and what `each` gives back.
    pub fn each_call<E: From<LensError>>(
        &self,
        mut each: impl FnMut(CallRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut of = None;
        let mut before = 0;
        self.each_group(CALL_COLUMNS, |group| {
            if of != Some(group.rank) {
                (of, before) = (Some(group.rank), 0);
            }
            let call = |row: usize| CallRow { group, row, number: before + row as i64 };
            (0..group.rows()).try_for_each(|row| each(call(row)))?;
            before += group.rows() as i64;
            Ok(())
        })
    }
}

/// Write the calls of all ranks that `takes` takes, by their begin and end, as CSV: the rank first,
/// then what their tables say.
///
/// # Errors
/// When a table is damaged, or `out` refuses the text.
pub fn calls_csv<E: From<LensError> + From<io::Error>>(
    tables: &CallTables,
    takes: impl Fn(i64, i64) -> bool,
    out: &mut dyn Write,
) -> Result<(), E> {
    let names: Vec<&str> = CALL_COLUMNS.iter().map(|column| column.in_file().name).collect();
    writeln!(out, "rank,{}", names.join(","))?;
    tables.each_call(|call| {
        let enter = call.value(CallColumn::Enter).unwrap_or(NULL);
        if takes(enter, call.value(CallColumn::Exit).unwrap_or(i64::MAX)) {
            row_csv(call, out)?;
        }
        Ok(())
    })
}

fn row_csv(call: CallRow<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{}", call.rank())?;
    for &column in CALL_COLUMNS {
        match call.value(column) {
            None => write!(out, ",")?,
            Some(number) if column == CallColumn::Call => {
                write!(out, ",{}", function_name(number))?;
            }
            Some(value) => write!(out, ",{value}")?,
        }
    }
    out.write_all(b"\n")
}
