//! The parts of one way that do not grow with the message.

/// Parts, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Parts {
    pub send: f64,
    pub receive: f64,
    /// What is left for the network.
    pub latency: f64,
    /// By how much sending and receiving were more than there was.
    pub short: f64,
}

impl Parts {
    /// The same so that they add up to `whole`: latency is what is left, and where nothing is, the
    /// larger of the others is cut to the smaller, then both.
    pub fn within(self, whole: f64) -> Parts {
        let whole = whole.max(0.0);
        let short = (self.send + self.receive - whole).max(0.0);
        let (mut send, mut receive) = (self.send, self.receive);
        let off = short.min((send - receive).abs());
        if send > receive {
            send -= off
        } else {
            receive -= off
        }
        let rest = (short - off) / 2.0;
        let [send, receive] = [send, receive].map(|part| (part - rest).max(0.0));
        Parts { send, receive, latency: (whole - send - receive).max(0.0), short }
    }

    pub fn sum(&self) -> f64 {
        self.send + self.receive + self.latency
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_add_up_whatever_there_is() {
        for (send, receive, whole, expected) in [
            (3.0, 5.0, 20.0, [3.0, 5.0, 12.0]),
            (30.0, 5.0, 20.0, [15.0, 5.0, 0.0]),
            (30.0, 25.0, 20.0, [10.0, 10.0, 0.0]),
            (0.0, 25.0, 20.0, [0.0, 20.0, 0.0]),
        ] {
            let parts = Parts { send, receive, ..Parts::default() }.within(whole);
            assert_eq!([parts.send, parts.receive, parts.latency], expected);
            assert_eq!(parts.short, f64::max(send + receive - whole, 0.0));
        }
    }
}
