//! From whom this rank gets something in the collectives of neighbours: what the library says of a
//! communicator's topology, asked once, when the communicator is registered.
//!
//! All of it is answered by the library from what it has; no message is sent.

use crate::layout::DIST_GRAPH;
use crate::library::Library;

/// Their ranks in the communicator `comm`; `None` if it has no topology.
pub fn sources(comm: usize, library: &Library) -> Option<Vec<u32>> {
    let mut topology = 0i32;
    // SAFETY: a live communicator, and room for an int.
    if unsafe { library.topo_test(comm, &raw mut topology as usize) } != 0 {
        return None;
    }
    let ranks = match topology {
        cart if cart == library.layout.topologies.cart => of_cart(comm, library)?,
        graph if graph == library.layout.topologies.graph => of_graph(comm, library)?,
        DIST_GRAPH => of_dist_graph(comm, library)?,
        _ => return None,
    };
    Some(ranks.into_iter().filter_map(|rank| u32::try_from(rank).ok()).collect())
}

/// Both sides of each dimension; nobody where it ends.
fn of_cart(comm: usize, library: &Library) -> Option<Vec<i32>> {
    let mut dimensions = 0i32;
    // SAFETY: a communicator with a cartesian topology, and room for an int.
    let failed = unsafe { library.cartdim_get(comm, &raw mut dimensions as usize) };
    let mut ranks = Vec::new();
    for dimension in 0..usize::try_from(dimensions).ok().filter(|_| failed == 0)? {
        let (mut below, mut above) = (-1i32, -1i32);
        // SAFETY: one of its dimensions, and room for two ints.
        let failed = unsafe {
            let (below, above) = (&raw mut below as usize, &raw mut above as usize);
            library.cart_shift(comm, dimension, 1, below, above)
        };
        if failed != 0 {
            return None;
        }
        ranks.extend([below, above]);
    }
    Some(ranks)
}

fn of_graph(comm: usize, library: &Library) -> Option<Vec<i32>> {
    let own = usize::try_from(library.rank_in(comm)?).ok()?;
    let mut count = 0i32;
    // SAFETY: a communicator with a graph, its own rank, and room for an int.
    let failed = unsafe { library.graph_neighbors_count(comm, own, &raw mut count as usize) };
    let count = usize::try_from(count).ok().filter(|_| failed == 0)?;
    let mut ranks = vec![-1i32; count.max(1)];
    // SAFETY: the same, and room for as many ranks as it said.
    let failed = unsafe { library.graph_neighbors(comm, own, count, ranks.as_mut_ptr() as usize) };
    ranks.truncate(count);
    (failed == 0).then_some(ranks)
}

fn of_dist_graph(comm: usize, library: &Library) -> Option<Vec<i32>> {
    let mut counts = [0i32; 3];
    let [incoming, outgoing, weighted] = [0, 1, 2].map(|at| &raw mut counts[at] as usize);
    // SAFETY: a communicator with a distributed graph, and room for three ints.
    let failed = unsafe { library.dist_graph_neighbors_count(comm, incoming, outgoing, weighted) };
    let count = |at: usize| usize::try_from(counts[at]).ok().filter(|_| failed == 0);
    let (incoming, outgoing) = (count(0)?, count(1)?);
    let room = || vec![-1i32; incoming.max(outgoing).max(1)];
    let (mut sources, mut others) = (room(), [room(), room(), room()]);
    let [weights, destinations, more] = others.each_mut().map(|room| room.as_mut_ptr() as usize);
    // SAFETY: the same, and room for as many ranks and weights as it said.
    let failed = unsafe {
        let from = sources.as_mut_ptr() as usize;
        library.dist_graph_neighbors(comm, incoming, from, weights, outgoing, destinations, more)
    };
    sources.truncate(incoming);
    (failed == 0).then_some(sources)
}
