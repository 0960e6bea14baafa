// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The parts of a server that listens, from the start to the stop.
struct RunningServer: Sendable {
    let port: Int
    private let core: ServerCore
    private let daemon: MicrohttpdDaemon
    private let acceptor: ConnectionAcceptor

    /// Opens the socket and starts the threads. If a step fails, the steps before it are undone.
    ///
    /// - Throws: ``HTTPServerError``.
    static func start(
        _ configuration: HTTPServerConfiguration,
        _ router: HTTPRouter,
        clock: TimeSource,
        onSecurity: @escaping @Sendable (SecurityEvent) -> Void,
        onFailure: @escaping @Sendable (HTTPFailure) -> Void
    ) throws -> RunningServer {
        let (address, hosts) = try validate(configuration)
        let security = try ServerSecurity(configuration, onEvent: onSecurity)
        let poll = try EventPoll()
        let socket = try ListenSocket(host: configuration.host, address: address, port: configuration.port)
        var undo: [() -> Void] = [socket.closeIfOpen]
        do {
            let registry = ExchangeRegistry()
            let watcher = try DisconnectWatcher { registry.receiveEvent($0, hasEnded: $1) }
            undo.append(watcher.stop)
            let core = ServerCore(
                configuration: configuration,
                policy: RequestPolicy(
                    router: router,
                    hosts: hosts,
                    port: socket.port,
                    maximumBodyBytes: configuration.maximumBodyBytes
                ),
                registry: registry,
                connections: OpenConnections(limits: configuration.limits, clock: clock, onCapacity: { poll.wake() }),
                watcher: watcher,
                security: security,
                onFailure: onFailure
            )
            let daemon = try MicrohttpdDaemon(core)
            undo.append(daemon.stop)
            let parts = ConnectionAcceptor.Parts(
                configuration: configuration,
                connections: core.connections,
                reservedPaths: router.reservedPaths,
                isTLS: configuration.tls != nil,
                serve: { daemon.serve($0, $1, $2) }
            )
            let acceptor = try ConnectionAcceptor(parts, socket, poll)
            return RunningServer(port: socket.port, core: core, daemon: daemon, acceptor: acceptor)
        } catch {
            for step in undo.reversed() { step() }
            throw error
        }
    }

    private static func validate(_ configuration: HTTPServerConfiguration) throws -> (SocketAddress, HostPolicy) {
        let address = try SocketAddress(configuredHost: configuration.host)
        try configuration.validate(for: address)
        try configuration.validate(descriptorLimit: OpenFileLimit.raise(for: configuration.neededDescriptors))
        return (address, try HostPolicy(allowedHosts: configuration.allowedHosts))
    }

    var requestsInFlight: Int { core.registry.inFlight.count }

    /// Nil for plain HTTP.
    var certificates: (any ServerCertificates)? { core.security.certificates }

    /// Stops the server after the requests in flight, or at the timeout.
    func drain(_ clock: TimeSource, _ timeout: Duration) async {
        let registry = core.registry
        registry.drain()
        await Self.onThread { acceptor.stop() }
        let limit = Alarm(after: timeout, on: clock) { registry.inFlight.giveUpWaiting() }
        await registry.inFlight.waitUntilEmpty()
        limit.cancel()
        await end()
    }

    /// Stops the server at once.
    func close() async {
        core.registry.drain()
        await Self.onThread { acceptor.stop() }
        await end()
    }

    private func end() async {
        core.registry.abandonAll()
        let connections = core.connections
        connections.hangUp()
        // A connection ends within milliseconds, unless an immediate handler occupies its thread.
        let limit = Alarm(after: .seconds(1), on: .live) { connections.sockets.giveUpWaiting() }
        await connections.sockets.waitUntilEmpty()
        limit.cancel()
        await Self.onThread {
            daemon.stop()
            core.watcher.stop()
        }
    }

    /// Performs work that waits for threads, which a task should not do.
    private static func onThread(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            WorkerThread.run {
                work()
                continuation.resume()
            }
        }
    }
}

extension HTTPServerConfiguration {
    fileprivate var limits: ConnectionTable.Limits {
        ConnectionTable.Limits(
            connections: connectionLimit,
            connectionsPerAddress: connectionLimitPerAddress,
            streams: streamLimit,
            streamsPerAddress: streamLimitPerAddress,
            bodyBytes: maximumUnsentBytes,
            receivingGrace: .milliseconds(tls == nil ? 100 : 500)
        )
    }
}

/// Detects that the peer of a suspended connection has disconnected, or has sent more.
///
/// libmicrohttpd does not poll suspended connections, so a thread waits for `EPOLLRDHUP` on them, or for bytes. Connections
/// are identified by the ID of their request: a late event of a connection that has ended has no effect.
final class DisconnectWatcher: Sendable {
    private let poll: EventPoll
    private let thread: WorkerThread

    /// Starts the thread, which calls `onEvent` with the ID, and whether the peer has disconnected.
    ///
    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the process is out of descriptors or threads.
    init(onEvent: @escaping @Sendable (UInt64, Bool) -> Void) throws {
        let poll = try EventPoll()
        let started = WorkerThread {
            let ends = PollEvents.hangup | UInt32(POLLHUP) | UInt32(POLLERR)
            while !poll.isStopped { poll.wait { onEvent($0, $1 & ends != 0) } }
        }
        guard let started else { throw HTTPServerError.descriptors(EAGAIN) }
        (self.poll, thread) = (poll, started)
    }

    /// Reports `id` when the peer of `descriptor` closes or resets, once. The descriptor must stay open until
    /// ``unwatch(_:)``.
    func watch(_ descriptor: CInt, id: UInt64) {
        // One shot: the event of a closed peer would repeat.
        poll.add(descriptor, PollEvents.hangup | PollEvents.oneShot, id: id)
    }

    /// Reports `id` each time that bytes arrive at `descriptor`, and when its peer closes or resets. As ``watch(_:id:)``.
    func watchBytes(_ descriptor: CInt, id: UInt64) {
        poll.add(descriptor, PollEvents.readable | PollEvents.hangup | PollEvents.edgeTriggered, id: id)
    }

    /// Ends a watch. A pending event may still be reported.
    func unwatch(_ descriptor: CInt) {
        poll.remove(descriptor)
    }

    /// Ends the thread and waits for it. To be called once, after the last watch, and not from `onEvent`.
    func stop() {
        poll.stop()
        thread.join()
    }
}
