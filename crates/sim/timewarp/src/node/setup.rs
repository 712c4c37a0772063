//! What a node is told once: its model, its place among the nodes, and how it is to work.

use crate::running::Frame;
use crate::{Limits, Model, Options, Placement};

pub(super) struct Setup<'a, M> {
    pub model: &'a M,
    /// This node, of so many.
    pub id: u16,
    pub nodes: u16,
    /// Objects of the model, on all nodes.
    objects: u32,
    limits: Limits,
    pub options: Options,
    /// Whether options make it necessary to look at what is first before it runs.
    pub is_careful: bool,
    /// Whether objects may move between nodes.
    pub may_move: bool,
    /// Whether what throttling goes by is kept up.
    pub is_paced: bool,
}

impl<'a, M: Model> Setup<'a, M> {
    pub fn new(model: &'a M, placement: &Placement, id: u16, options: &Options) -> Setup<'a, M> {
        Setup {
            model,
            id,
            nodes: placement.nodes(),
            objects: model.objects(),
            limits: Limits { cutoff: options.cutoff, ..Limits::default() },
            is_careful: options.are_careful(),
            may_move: options.may_move(),
            is_paced: options.throttle.looks_at_objects(),
            options: options.clone(),
        }
    }

    /// What running a handler needs.
    #[inline]
    pub fn frame(&self) -> Frame<'_, M> {
        Frame { model: self.model, objects: self.objects, limits: &self.limits }
    }

    /// The other nodes.
    pub fn others(&self) -> impl Iterator<Item = u16> + use<M> {
        let me = self.id;
        (0..self.nodes).filter(move |node| *node != me)
    }
}
