// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import Axiom

/// Reports whether the machine is connected to a network, as `.service(.network, …)`.
///
/// The network is up when an interface other than the loopback has a carrier and an address with which it can reach
/// other machines. An address of the scope of the link, such as `fe80::1` or `169.254.0.1`, is not enough. Whether a
/// certain server answers is another question: a circuit breaker knows.
///
/// The source listens to rtnetlink(7), in the network namespace of the thread that first calls `next()`.
public struct NetworkLinkSource: ChangeSource {
    let ignored: Set<String>

    /// Creates a source.
    ///
    /// - Parameter ignored: Names of interfaces that do not count, such as `docker0`. The loopback never counts.
    public init(ignoring ignored: Set<String> = []) {
        self.ignored = ignored
    }

    /// Begins to listen. The sequence throws if the process may not open a netlink socket.
    public func events() -> SystemEvents {
        SystemEvents { [ignored] in NetworkLinkListener(NetworkMachine(ignoring: ignored)) }
    }
}
#endif
