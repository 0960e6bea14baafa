// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Glibc

/// One request and its response.
///
/// The thread of libmicrohttpd that serves the connection calls ``advance(_:upload:)`` for every step,
/// ``readChunk(into:)`` for a stream, and ``finish()`` at the end. While a handler waits, the connection is suspended
/// and other threads call ``answer(_:)``, ``peerDisconnected()`` and ``abandon()``.
final class Exchange: Sendable {
    enum Stage {
        /// Only the first line has arrived.
        case head
        case body(RequestHead, Admission)
        /// A handler waits, and the connection is suspended.
        case waiting
        /// Resumed: the next step sends this.
        case answered(HTTPResponse)
        /// Resumed: the next step closes the connection.
        case aborted
        case sending
        /// The connection may no longer be touched.
        case finished
    }

    struct State {
        var stage = Stage.head
        var method = HTTPMethod.get
        var body: [UInt8] = []
        /// How many bytes of the body have arrived, kept or not.
        var bodyBytes = 0
        /// The server closes: a suspended connection would end the process.
        var mayNotSuspend = false
        var peerIsGone = false
        var task: Task<Void, Never>?
        var chunks = ChunkQueue()
        /// The connection is suspended until the stream has a chunk.
        var awaitsChunk = false
        /// Waits until the network has taken its chunk.
        var producer: CheckedContinuation<Void, any Error>?
    }

    /// How many bytes of an unwanted body are received for the sake of a response that arrives.
    private static let longestDroppedBody = 65_536

    let id: UInt64
    let core: ServerCore
    private let target: RequestTarget?
    /// Called under the lock only, which is what keeps a call from coming after the connection's end.
    let connection: MicrohttpdConnection
    /// Guards every field. libmicrohttpd's own lock may be taken under it; libmicrohttpd calls us without its lock.
    let state = Lock(State())

    /// The target as it lies in the memory of the library. Set and read on the connection's thread.
    nonisolated(unsafe) private(set) var rawTarget = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Whether the target has a blank, which the library takes. It is decoded in place later. As `rawTarget`.
    nonisolated(unsafe) private var isTargetTorn = false
    /// The thread that serves the connection.
    let thread = pthread_self()

    init(id: UInt64, core: ServerCore, connection: MicrohttpdConnection, target: RequestTarget?) {
        self.id = id
        self.core = core
        self.connection = connection
        self.target = target
    }

    /// The request line has arrived. On the connection's thread, before the first step.
    func receive(_ target: UnsafeRawBufferPointer) {
        rawTarget = target
        isTargetTorn = target.contains(UInt8(ascii: " "))
    }

    /// Takes the next step of the request. On the connection's thread.
    ///
    /// - Returns: Whether the connection goes on.
    func advance(_ line: RequestLine, upload: UnsafeRawBufferPointer) -> Bool {
        switch state.withLock({ $0.stage }) {
        case .head: admit(line)
        case .body(let head, let admission):
            upload.isEmpty ? dispatch(head, admission) : collect(upload, admission)
        case .answered(let response): send(response)
        case .waiting, .sending: true
        case .aborted, .finished: false
        }
    }

    /// The request has ended. On the connection's thread, once; the connection is gone when it returns.
    func finish() {
        let (task, producer) = state.withLock { state in
            state.stage = .finished
            defer { (state.task, state.producer) = (nil, nil) }
            return (state.task, state.producer)
        }
        // Cancelled outside the lock: a cancellation handler is foreign code.
        task?.cancel()
        producer?.resume(throwing: CancellationError())
        core.registry.finish(id)
        core.connections.becomeIdle(connection.descriptor)
    }

    /// The peer has gone while the connection was suspended. From the watcher's thread.
    func peerDisconnected() {
        let task = state.withLock { state -> Task<Void, Never>? in
            state.peerIsGone = true
            return state.task
        }
        task?.cancel()
    }

    /// The server closes: resumes the connection if it is suspended, and sees to it that it never is again.
    func abandon() {
        let (task, producer) = state.withLock { state in
            state.mayNotSuspend = true
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

    // MARK: - Receiving

    private func admit(_ line: RequestLine) -> Bool {
        let fields = connection.rawFields()
        guard !isTargetTorn, fields.allSatisfy(\.isWellFormed), isStrict(line, fields) else {
            connection.refuse("400 Bad Request")
            return false
        }
        let headers = HTTPHeaders(fields)
        guard connection.memory(ofHeadWith: headers) <= core.configuration.connectionMemoryBytes else {
            connection.refuse("431 Request Header Fields Too Large")
            return false
        }
        let head = RequestHead(
            method: HTTPMethod(rawValue: line.methodName),
            isHTTP10: line.isHTTP10,
            target: target,
            headers: headers
        )
        let admission = core.admit(head)
        state.withLock { state in
            state.method = head.method
            state.stage = .body(head, admission)
        }
        // A response before the body closes the connection, and a client that still sends may lose the response to
        // the reset that follows. So a short unwanted body is received and dropped, and a long one is not.
        core.connections.set(connection.descriptor, head.framing.hasBody ? .uploading : .working)
        guard case .refuse(let response) = admission, head.framing.hasBody else { return true }
        let isLong = head.framing.contentLength ?? 0 > Self.longestDroppedBody
        let asksFirst = head.headers["Expect"] != nil
        return isLong || asksFirst || response.closesConnection ? send(response) : true
    }

    /// Later versions of the library are strict by themselves, and lay the head out in another way.
    private func isStrict(_ line: RequestLine, _ fields: [RawField]) -> Bool {
        !MicrohttpdVersion.running.hasKnownLayout || line.isStrict(fields: fields, size: connection.headSize)
    }

    /// Answers for the library that the length of the body is malformed, if this is the request of which it says so.
    ///
    /// - Returns: Whether it is. On the connection's thread.
    func refuseMalformedLength() -> Bool {
        guard case .head = state.withLock({ $0.stage }),
            let length = connection.rawFields().first(where: \.isContentLength)?.value
        else { return false }
        let isNumber = !length.isEmpty && length.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber, UInt64(String(decoding: length, as: UTF8.self)) != nil { return false }
        connection.refuse(isNumber ? "413 Content Too Large" : "400 Bad Request")
        return true
    }

    private func collect(_ upload: UnsafeRawBufferPointer, _ admission: Admission) -> Bool {
        let limit = if case .accept(_, _, let limit) = admission { limit } else { 0 }
        return state.withLock { state in
            state.bodyBytes += upload.count
            if state.bodyBytes <= limit {
                state.body.append(contentsOf: upload)
                return true
            }
            state.body = []
            return state.bodyBytes - limit <= Self.longestDroppedBody
        }
    }

    private func dispatch(_ head: RequestHead, _ admission: Admission) -> Bool {
        guard core.registry.begin(id) else { return send(.shuttingDown) }
        let isReserved = if case .accept(let route, _, _) = admission { route.isReserved } else { false }
        core.connections.set(connection.descriptor, .working, isReserved: isReserved)
        guard case .accept(let route, let parameters, let limit) = admission else {
            guard case .refuse(let response) = admission else { return false }
            return send(response)
        }
        let (body, size) = state.withLock { state in
            defer { state.body = [] }
            return (state.body, state.bodyBytes)
        }
        guard size <= limit else { return send(.contentTooLarge(limit)) }
        let request = HTTPRequest(
            method: head.method,
            path: head.target?.path ?? "/",
            query: head.target?.query ?? [],
            headers: head.headers,
            body: body,
            peerAddress: SocketEnd.peer(of: connection.descriptor)?.host ?? "",
            parameters: parameters
        )
        switch route.action {
        case .immediate(let handler): return send(response(to: request, by: handler) ?? .failed)
        case .async(let handler): return wait(for: handler, with: request)
        case .attempt(let attempt, let handler):
            guard let response = response(to: request, by: attempt) else { return wait(for: handler, with: request) }
            return send(response)
        }
    }

    private func response(to request: HTTPRequest, by handler: HTTPRoute.Attempt) -> HTTPResponse? {
        do {
            return try handler(request)
        } catch {
            report(error)
            return .failed
        }
    }

    // MARK: - Waiting for a handler

    private func wait(for handler: @escaping HTTPRoute.Handler, with request: HTTPRequest) -> Bool {
        let waits = state.withLock { state in
            if state.mayNotSuspend { return false }
            state.stage = .waiting
            suspend()
            state.task = Task { await self.run(handler, request) }
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
            // Whoever was cancelled because nobody waits any longer has not failed.
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

    // MARK: - Sending

    /// On the connection's thread.
    private func send(_ response: HTTPResponse) -> Bool {
        if case .reset = response.content {
            connection.reset()
            return false
        }
        let response = affordable(sendable(response))
        let closes = response.closesConnection || !core.registry.acceptsConnections
        state.withLock { state in
            state.stage = .sending
            // A handler that waited produces its stream itself, and a HEAD has no body.
            guard case .stream(let stream) = response.content, state.task == nil, state.method != .head else { return }
            state.task = Task { await self.produce(stream) }
        }
        return connection.queue(response, closes: closes, exchange: self)
    }

    /// The response, or a bare 500 in place of one that cannot be sent.
    private func sendable(_ response: HTTPResponse) -> HTTPResponse {
        do {
            try response.validateForSending()
            return response
        } catch {
            report(error)
            return .failed
        }
    }

    /// The response, or a 503 in place of one for which there is no room. Marks the connection as one that sends.
    private func affordable(_ response: HTTPResponse) -> HTTPResponse {
        if state.withLock({ $0.method }) == .head { return response }
        switch response.content {
        case .reset: return response
        case .body(let body):
            return core.connections.beginBody(connection.descriptor, body) ? response : .tooManyReaders
        case .stream: return core.connections.beginStream(connection.descriptor) ? response : .tooManyStreams
        }
    }

    func report(_ error: any Error) {
        core.report(error, method: state.withLock { $0.method }, path: target?.path ?? "")
    }

    // MARK: - Suspending, under the lock

    func suspend() {
        connection.suspend()
        core.watcher.watch(connection.descriptor, id: id)
    }

    func resume() {
        // Before the resumption, after which the descriptor may be closed at any moment.
        core.watcher.unwatch(connection.descriptor)
        connection.resume()
    }
}
