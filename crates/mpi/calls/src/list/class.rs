//! What the functions of the list do.

/// What a function does, as far as the tracer cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A blocking send.
    Send,
    /// Begins a send.
    StartSend,
    /// Prepares a send that can be started again and again.
    PrepareSend,
    /// A blocking receive.
    Receive,
    /// Begins a receive.
    StartReceive,
    /// Prepares a receive that can be started again and again.
    PrepareReceive,
    /// A send and a receive in one.
    SendReceive,
    /// Looks for a message, and leaves it there.
    Probe,
    /// Looks for a message and takes it out of the queue.
    MatchedProbe,
    /// Receives what a matched probe took.
    MatchedReceive,
    /// Starts prepared requests.
    Start,
    /// Waits for requests.
    Wait,
    /// Asks for requests.
    Test,
    /// Asks of a request and leaves it as it is; takes the request itself, not its place.
    Inspect,
    /// Gives up or gives back a request.
    Request,
    /// Everybody of a communicator takes part.
    Collective,
    /// Begins a collective.
    StartCollective,
    /// Makes or frees a communicator.
    Communicator,
    /// Frees a datatype, whose handle may come back as another one.
    Datatype,
    /// Begins or ends MPI.
    Life,
    /// Passes through and is counted.
    Other,
}
