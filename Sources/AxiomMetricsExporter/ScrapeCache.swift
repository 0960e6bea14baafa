// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetrics

/// Makes pages of metrics one at a time, and shares a page among the requests that it answers.
///
/// A request may be answered with any page whose making began after the request arrived. Requests that wait for their
/// turn therefore share the page of the first of them. Requests also share a page whose asynchronous collectors are
/// still running.
final class ScrapeCache: Sendable {
    /// A page that is ready to be sent.
    struct Page: Sendable {
        let body: HTTPBody
        let isCompressed: Bool
        /// The bytes before compression.
        let bytes: Int
    }

    /// How a request is answered.
    enum Answer: Sendable {
        /// The page; nil if slow readers hold too many others.
        case page(Page?)
        /// The page is ready when its asynchronous collectors are.
        case collection(Task<Page, Never>)
    }

    /// A page that may still be being sent.
    private struct SentPage: Sendable {
        let request: ScrapeRequest
        /// When the making of the page began.
        let begun: Instant
        let isCompressed: Bool
        let bytes: Int
        weak var body: HTTPBody?

        /// The page, for a request that arrived before it was begun: nothing that the request must show is missing.
        func page(for request: ScrapeRequest, since arrival: Instant) -> Page? {
            guard self.request == request, begun >= arrival, let body else { return nil }
            return Page(body: body, isCompressed: isCompressed, bytes: bytes)
        }
    }

    private struct State: Sendable {
        /// Whether a request has the turn to make a page.
        var isTaken = false
        /// Requests that wait for the turn, in the order of arrival. Each is resumed once, when the turn is its own.
        var queue: [CheckedContinuation<Void, Never>] = []
        /// Pages whose asynchronous collectors are running.
        var collections: [ScrapeRequest: Task<Page, Never>] = [:]
        /// Pages that may still be being sent.
        var sent: [SentPage] = []
        /// How many requests are being answered.
        var waiting = 0
        /// The size of the last page.
        var lastBytes = 0
    }

    /// The largest page that is made at once. Making one of this size takes about 2 ms.
    private static let largestImmediateBytes = 4 << 20

    private let registry: Registry
    private let createdSeries: Bool
    private let onProblem: @Sendable (String) -> Void
    private let maximumUnreadBytes: Int
    private let buffers = PageBuffers()
    /// Guards every field. No collector runs under it, and continuations are resumed outside it. The lock of the buffers
    /// may be taken under it, when a body is released.
    private let state = Lock(State())

    /// - Parameters:
    ///   - createdSeries: Whether pages in OpenMetrics have `_created` series.
    ///   - maximumUnreadBytes: How many bytes of pages slow readers may hold, together. While they hold as many, no new
    ///     page is made. The server drops slow readers long before (`maximumUnsentBytes`); this limit is for pages that
    ///     are made faster than they begin to be sent.
    init(
        _ registry: Registry,
        createdSeries: Bool = false,
        maximumUnreadBytes: Int = 192 << 20,
        onProblem: @escaping @Sendable (String) -> Void
    ) {
        self.registry = registry
        self.createdSeries = createdSeries
        self.maximumUnreadBytes = maximumUnreadBytes
        self.onProblem = onProblem
    }

    /// How many requests are being answered.
    var waiting: Int { state.withLock { $0.waiting } }

    /// The page; nil if slow readers hold too many others.
    ///
    /// - Parameters:
    ///   - deadline: Until when asynchronous collectors may run, by the registry's clock. A request that joins a
    ///     collection gets the deadline of that collection.
    ///   - arrival: When the request arrived, by the live clock. A page that was begun later answers it.
    func page(_ request: ScrapeRequest, deadline: Instant, arrival: Instant = TimeSource.live.now) async -> Page? {
        await takeTurn { $0.waiting += 1 }
        defer { state.withLock { $0.waiting -= 1 } }
        switch answer(request, deadline, arrival) {
        case .page(let page): return page
        case .collection(let task): return await task.value
        }
    }

    /// The answer if it can be given at once; nil if the request would wait for another page or for asynchronous
    /// collectors, or if the page takes long to make.
    func pageAtOnce(_ request: ScrapeRequest, arrival: Instant) -> Answer? {
        guard !request.isCompressed, !registry.hasAsyncCollectors else { return nil }
        let isTaken = state.withLock { state in
            guard !state.isTaken, state.lastBytes <= Self.largestImmediateBytes else { return false }
            state.isTaken = true
            return true
        }
        return isTaken ? answer(request, arrival, arrival) : nil
    }

    // MARK: - Turns

    /// Waits for the turn. `note` is called under the lock, when the request is in the queue or has the turn.
    private func takeTurn(_ note: (inout State) -> Void = { _ in }) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                note(&state)
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.queue.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Passes the turn to the request that has waited longest.
    private func endTurn() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.queue.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.queue.removeFirst()
        }
        next?.resume()
    }

    // MARK: - Making pages

    /// Answers a request that has the turn, and ends the turn.
    private func answer(_ request: ScrapeRequest, _ deadline: Instant, _ arrival: Instant) -> Answer {
        defer { endTurn() }
        if let known = state.withLock({ self.known(&$0, request, arrival) }) { return known }
        guard registry.hasAsyncCollectors else {
            let begun = TimeSource.live.now
            return .page(finish(registry.collect(), request, begun))
        }
        let task = Task { await collect(request, deadline) }
        state.withLock { $0.collections[request] = task }
        return .collection(task)
    }

    /// The answer without a new page; nil if one is to be made.
    private func known(_ state: inout State, _ request: ScrapeRequest, _ arrival: Instant) -> Answer? {
        if let task = state.collections[request] { return .collection(task) }
        for page in state.sent.reversed() {
            if let page = page.page(for: request, since: arrival) { return .page(page) }
        }
        state.sent.removeAll { $0.body == nil }
        let unread = state.sent.reduce(0) { $0 + ($1.body?.count ?? 0) }
        return unread < maximumUnreadBytes ? nil : .page(nil)
    }

    private func collect(_ request: ScrapeRequest, _ deadline: Instant) async -> Page {
        let begun = TimeSource.live.now
        let snapshot = await registry.collect(deadline: deadline)
        await takeTurn()
        defer { endTurn() }
        // From here on a new request finds newer values.
        state.withLock { $0.collections[request] = nil }
        return finish(snapshot, request, begun)
    }

    private func finish(_ snapshot: Snapshot, _ request: ScrapeRequest, _ begun: Instant) -> Page {
        for problem in snapshot.problems { onProblem("\(problem)") }
        let page = encode(request.names.isEmpty ? snapshot : snapshot.filtered(request.names), request)
        let sent = SentPage(
            request: request,
            begun: begun,
            isCompressed: page.isCompressed,
            bytes: page.bytes,
            body: page.body
        )
        state.withLock { state in
            state.sent.append(sent)
            state.lastBytes = page.bytes
        }
        return page
    }

    private func encode(_ snapshot: Snapshot, _ request: ScrapeRequest) -> Page {
        let buffer = buffers.take()
        request.format.encode(snapshot, into: &buffer.bytes, createdSeries: createdSeries)
        if request.isReadable, request.format.kind == .protobuf {
            let text = HTTPBody(ProtobufText.read(buffer.bytes.bytes))
            buffers.putBack(buffer)
            return Self.page(text, isCompressed: request.isCompressed)
        }
        return Self.page(buffers.body(of: buffer), isCompressed: request.isCompressed)
    }

    private static func page(_ body: HTTPBody, isCompressed: Bool) -> Page {
        let compressed = isCompressed ? Gzip.compress(body) : nil
        return Page(body: compressed ?? body, isCompressed: compressed != nil, bytes: body.count)
    }
}
