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
    /// Begins both, with one request.
    StartSendReceive,
    /// Says that a part of a send is ready to go.
    Ready,
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
    /// Asks of requests and leaves them as they are.
    Inspect,
    /// Gives up or gives back a request.
    Request,
    /// Everybody of a communicator takes part.
    Collective,
    /// Begins a collective.
    StartCollective,
    /// Prepares a collective that can be started again and again.
    PrepareCollective,
    /// Everybody of a window takes part: it is made, fenced or freed.
    Window,
    /// Begins or ends an epoch of a window in which data may move, or waits within one.
    Epoch,
    /// Moves data to or from a window.
    OneSided,
    /// Makes or frees a communicator.
    Communicator,
    /// Frees a datatype, whose handle may come back as another one.
    Datatype,
    /// Begins or ends MPI.
    Life,
    /// Moves data or waits, in ways that are not looked into: its time is known, and that it was
    /// called.
    Other,
    /// Neither moves data nor waits: it passes through and is counted.
    Local,
}
