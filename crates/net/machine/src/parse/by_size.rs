//! A figure that differs by the size of a message: a list of figures, each from a size on.

use super::{Allowed, FROM, Key, Reader, Value};
use crate::table::{FIELDS, Field};
use crate::{Constant, Larger, MachineError, Unit};

/// Sizes of messages.
const SIZES: Allowed = Allowed { unit: Unit::Bytes, within: [0.0, 1e15], in_list: false };

impl Reader<'_> {
    /// `[{ from = "0B", value = "1us" }, { from = "64KiB", value = "9us" }]`.
    pub(super) fn by_size(
        &self,
        key: &Key<'_>,
        value: &Value<'_>,
        field: &Field,
    ) -> Result<Constant, MachineError> {
        let name = key.get_ref().as_ref();
        let wrong = |at: &Value<'_>, what: String| self.at(at.span().start, what);
        if !field.by_size() {
            let may: Vec<&str> =
                FIELDS.iter().filter(|field| field.by_size()).map(|field| field.name).collect();
            let what =
                format!("'{name}' is one figure for all sizes; a list may be {}", may.join(", "));
            return Err(wrong(value, what));
        }
        let mut pieces: Vec<Larger> = Vec::new();
        for piece in value.get_ref().as_array().into_iter().flat_map(|pieces| pieces.iter()) {
            let from = self.from(name, piece)?;
            match pieces.last() {
                None if from != 0 => {
                    let what = format!("the first figure of '{name}' must be from = \"0B\"");
                    return Err(wrong(piece, what));
                }
                Some(last) if from <= last.from => {
                    let last = last.from;
                    let what = format!(
                        "the figures of '{name}' must ascend by size, but {from} bytes come after \
                        {last}"
                    );
                    return Err(wrong(piece, what));
                }
                _ => {}
            }
            let figure =
                self.constant(key, piece, Allowed { in_list: true, ..Allowed::by(field) })?;
            pieces.push(Larger { from, figure });
        }
        let mut pieces = pieces.into_iter();
        let Some(Larger { figure: first, .. }) = pieces.next() else {
            return Err(wrong(value, format!("'{name}' is an empty list: give a figure")));
        };
        Ok(Constant { larger: pieces.collect(), ..first })
    }

    fn from(&self, name: &str, piece: &Value<'_>) -> Result<u64, MachineError> {
        let from = piece.get_ref().as_table().and_then(|table| table.get(FROM));
        let Some(from) = from else {
            let what = format!(
                "each figure in the list of '{name}' says from which size on: {{ from = \"0B\", \
                value = ... }}"
            );
            return Err(self.at(piece.span().start, what));
        };
        let bytes = self.figure(FROM, from, SIZES)?;
        if bytes.fract() != 0.0 {
            let what = format!("'{FROM}' is a whole number of bytes, not {bytes}");
            return Err(self.at(from.span().start, what));
        }
        Ok(bytes as u64)
    }
}
