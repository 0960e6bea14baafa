// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import Axiom
internal import AxiomBase
internal import CAxiomSupport
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Reads notifications and answers of the kernel from a netlink socket.
final class NetworkLinkListener: EventListener {
    /// The datagrams that are read before other tasks get their turn.
    private static let batch = 64

    /// The limit of an answer of the kernel, which usually comes before the request returns.
    private static let limit = Duration.seconds(10)

    /// The limit is one of the kernel, so it is in real time.
    private let clock = TimeSource.live
    private let flags = ReadyFlags()
    private var machine: NetworkMachine
    private var socket: DescriptorWatch?
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(_ machine: NetworkMachine) {
        self.machine = machine
    }

    func next() async throws -> CapabilityEvent {
        if socket == nil { await EventLoop.shared.settle() }
        let socket = try self.socket ?? begin()
        while true {
            while try readBatch(socket.descriptor) { await Task.yield() }
            // Only here is everything read, so changes that cancel each other out are no events.
            if let event = machine.event() { return event }
            socket.arm()
            let isComplete = machine.isComplete
            try await flags.wait(until: isComplete ? nil : clock.now.advanced(by: Self.limit), on: clock)
            guard flags.take() != 0 || isComplete else { throw Self.failure(ETIMEDOUT) }
        }
    }

    private func begin() throws -> DescriptorWatch {
        let descriptor = axiom_netlink_open()
        guard descriptor >= 0 else { throw CapabilityError.failedCall("netlink socket", -descriptor) }
        let socket = try DescriptorWatch(descriptor, events: POLLIN, flag: 1, in: flags)
        self.socket = socket
        try send(machine.restart(), to: descriptor)
        return socket
    }

    /// Reads datagrams.
    ///
    /// - Returns: Whether more can wait.
    private func readBatch(_ descriptor: Int32) throws -> Bool {
        try Task.checkCancellation()
        for _ in 0..<Self.batch {
            let count = axiom_netlink_receive(descriptor, &buffer, buffer.count)
            switch Int32(count) {
            case -EAGAIN: return false
            case -EINTR: continue
            // Messages were lost, or one is larger than the buffer.
            case -ENOBUFS, -EMSGSIZE: try send(machine.restart(), to: descriptor)
            case ..<0: throw Self.failure(Int32(-count))
            default:
                try send(machine.take(buffer[..<Int(count)]), to: descriptor)
            }
        }
        return true
    }

    private func send(_ request: NetworkMachine.Request?, to descriptor: Int32) throws {
        guard let request else { return }
        let code = axiom_netlink_dump(descriptor, request.type, request.sequence)
        guard code == 0 else { throw Self.failure(-code) }
    }

    private static func failure(_ code: Int32) -> CapabilityError {
        .sourceStopped(because: "\(SystemCallError(subject: "netlink", code: code))")
    }
}

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
