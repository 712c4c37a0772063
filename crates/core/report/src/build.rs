//! What a product's part is built from, so that it looks and reads like the core's own: names and
//! colours of stages, tables of quantiles and of groups, parameters and ratios as people read them.

pub use crate::facts::parameter;
pub use crate::palette::{MARK, key as stage_key};
pub use crate::series::quantile_points;
pub use crate::tables::{groups as groups_table, quantile_table};
pub use document::ratio;
