// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// One request and its response.
///
/// The thread of libmicrohttpd that serves the connection calls ``advance(_:upload:)`` for every step,
/// ``readChunk(into:)`` for a stream, and ``finish()`` at the end. While a handler waits, the connection is suspended, and
/// other threads call ``answer(_:)``, ``receiveEvent(hasEnded:)`` and ``abandon()``.
final class Exchange: Sendable {
    enum Stage {
        /// Only the request line has arrived.
        case head
        case body(RequestHead, RequestPolicy.Decision)
        /// A handler waits, and the connection is suspended.
        case waiting
        /// The connection was resumed, and the next step sends this.
        case answered(HTTPResponse)
        /// The connection was resumed, and the next step closes it.
        case aborted
        case sending
        /// The connection must no longer be used.
        case finished
    }

    struct State {
        var stage = Stage.head
        var buffered: BufferedHead?
        /// The connection is suspended until the head has arrived.
        var awaitsHead = false
        var method = HTTPMethod.get
        var body: [UInt8] = []
        /// How many bytes of the body have arrived, stored or not.
        var bodyBytes = 0
        /// The server closes: libmicrohttpd would end the process if a connection were suspended.
        var mayNotSuspend = false
        var peerIsGone = false
        /// The password of the request, if it is to be checked before the handler runs.
        var password: PendingPassword?
        var task: Task<Void, Never>?
        var chunks = ChunkQueue()
        /// The connection is suspended until the stream has a chunk.
        var awaitsChunk = false
        /// The stream's task, which waits until its chunk has been sent.
        var producer: CheckedContinuation<Void, any Error>?
    }

    let id: UInt64
    let core: ServerCore
    let target: RequestTarget?
    /// Used under the lock only, and not after `finish`.
    let connection: MicrohttpdConnection
    /// Guards every field. libmicrohttpd's lock may be taken under it; libmicrohttpd makes its calls without its lock.
    let state = Lock(State())

    /// The target in libmicrohttpd's memory. Set and read on the connection's thread.
    nonisolated(unsafe) private(set) var rawTarget = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Whether the target has a space or a control character, which libmicrohttpd accepts and other readers take for its
    /// end. The target is later decoded in place. As `rawTarget`.
    nonisolated(unsafe) private(set) var targetHasSpace = false
    /// The thread that serves the connection.
    let thread = pthread_self()

    init(id: UInt64, core: ServerCore, connection: MicrohttpdConnection, target: RequestTarget?) {
        self.id = id
        self.core = core
        self.connection = connection
        self.target = target
    }

    /// Stores the target of the request line. On the connection's thread, before the first step.
    func receive(_ target: UnsafeRawBufferPointer) {
        rawTarget = target
        targetHasSpace = target.contains { $0 <= 0x20 || $0 == 0x7F }
    }

    /// Suspends the connection until the whole head has arrived, if it must be looked at before libmicrohttpd parses it. On
    /// the connection's thread, in the callback of the request line.
    func waitForHead(behind target: UnsafeRawBufferPointer) {
        guard let memory = core.memory else { return }
        let isTLS = core.security.certificates != nil
        var head = BufferedHead(memory.rest(behind: target, of: connection.descriptor, isTLS: isTLS))
        if !isTLS { look(at: &head, hasEnded: false) }
        state.withLock { state in
            let mayWait = !isTLS && !state.mayNotSuspend
            if !mayWait { head.giveUp() }
            state.buffered = head
            guard head.finding == .partial else { return }
            state.awaitsHead = true
            connection.suspend()
            // Bytes that have arrived since the look cause an event.
            core.watcher.watchBytes(connection.descriptor, id: id)
        }
    }

    private func look(at head: inout BufferedHead, hasEnded: Bool) {
        let limit = core.configuration.connectionMemoryBytes
        head.look(at: connection.descriptor, hasEnded: hasEnded, limit: limit)
    }

    /// Something happened at the socket while the connection was suspended. On the watcher's thread.
    func receiveEvent(hasEnded: Bool) {
        let isOfHead = state.withLock { state in
            guard state.awaitsHead, var head = state.buffered else { return false }
            look(at: &head, hasEnded: hasEnded)
            state.buffered = head
            if head.finding != .partial { resumeHead(&state) }
            return true
        }
        if !isOfHead, hasEnded { peerDisconnected() }
    }

    private func resumeHead(_ state: inout State) {
        guard state.awaitsHead else { return }
        state.awaitsHead = false
        state.buffered?.giveUp()
        resume()
    }

    /// Performs the next step of the request. On the connection's thread.
    ///
    /// - Returns: Whether the connection stays open.
    func advance(_ line: RequestLine, upload: UnsafeRawBufferPointer) -> Bool {
        switch state.withLock({ $0.stage }) {
        case .head: receiveHead(line)
        case .body(let head, let decision):
            upload.isEmpty ? dispatch(head, decision) : receiveBody(upload, decision)
        case .answered(let response): send(response)
        case .waiting, .sending: true
        case .aborted, .finished: false
        }
    }

    /// Ends the request. On the connection's thread, once; the connection is not used after it.
    func finish() {
        let (task, producer) = state.withLock { state in
            state.stage = .finished
            defer { (state.task, state.producer) = (nil, nil) }
            return (state.task, state.producer)
        }
        // Cancelled outside the lock, because cancellation handlers run in the call.
        task?.cancel()
        producer?.resume(throwing: CancellationError())
        core.registry.finish(id)
        core.connections.becomeIdle(connection.descriptor)
    }

    /// The peer has disconnected while the connection was suspended.
    private func peerDisconnected() {
        let task = state.withLock { state -> Task<Void, Never>? in
            state.peerIsGone = true
            return state.task
        }
        task?.cancel()
    }

    /// The server closes: resumes the connection if it is suspended, and prevents that it is suspended again.
    func abandon() {
        let (task, producer) = state.withLock { state in
            state.mayNotSuspend = true
            resumeHead(&state)
            if case .waiting = state.stage {
                state.stage = .aborted
                resume()
            }
            state.chunks.fail()
            resumeStream(&state)
            defer { state.producer = nil }
            return (state.task, state.producer)
        }
        task?.cancel()
        producer?.resume(throwing: CancellationError())
    }

    func report(_ error: any Error) {
        core.report(error, method: state.withLock { $0.method }, path: target?.path ?? "")
    }

    // MARK: - Handlers

    /// Runs the handler of a complete request. On the connection's thread.
    func run(_ route: HTTPRoute, _ request: HTTPRequest) -> Bool {
        switch route.action {
        case .immediate(let handler):
            if let checked = checkingPassword(before: { try handler($0) }) {
                wait(for: checked, with: request, on: core.thread(of: route))
            } else {
                send(response(to: request, by: handler))
            }
        case .async(let handler):
            wait(for: checkingPassword(before: handler) ?? handler, with: request, on: core.thread(of: route))
        }
    }

    private func response(to request: HTTPRequest, by handler: HTTPRoute.ImmediateHandler) -> HTTPResponse {
        do {
            return try handler(request)
        } catch {
            report(error)
            return .failed
        }
    }

    /// Suspends the connection while a handler runs on a task. On the connection's thread.
    func wait(
        for handler: @escaping HTTPRoute.Handler,
        with request: HTTPRequest,
        on thread: HandlerThread
    ) -> Bool {
        let waits = state.withLock { state in
            if state.mayNotSuspend { return false }
            state.stage = .waiting
            suspend()
            state.task = Task(executorPreference: thread) { await self.run(handler, request) }
            return true
        }
        return waits || send(.shuttingDown)
    }

    private func run(_ handler: HTTPRoute.Handler, _ request: HTTPRequest) async {
        do {
            let response = try await handler(request)
            answer(response)
            if case .stream(let stream) = response.content, request.method != .head { await produce(stream) }
        } catch {
            // A handler that was cancelled because its client disconnected has not failed.
            let isUnwanted = state.withLock { $0.peerIsGone || $0.mayNotSuspend }
            if !(isUnwanted && error is CancellationError) { report(error) }
            answer(.failed)
        }
    }

    /// Ends the wait with a response, unless the connection has ended it.
    private func answer(_ response: HTTPResponse) {
        state.withLock { state in
            guard case .waiting = state.stage else { return }
            state.stage = .answered(response)
            resume()
        }
    }

    // MARK: - Suspending, under the lock

    func suspend() {
        connection.suspend()
        core.watcher.watch(connection.descriptor, id: id)
    }

    func resume() {
        // Before the connection is resumed: its descriptor may be closed at any moment after that.
        core.watcher.unwatch(connection.descriptor)
        connection.resume()
    }
}
