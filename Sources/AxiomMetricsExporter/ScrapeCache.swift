// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetrics

/// Makes pages of metrics one at a time, and shares a page among the requests that it answers.
///
/// A request may be answered with any page whose making began after the request arrived. Requests that wait for the actor
/// therefore share the page of the first of them. Requests also share a page whose asynchronous collectors are still
/// running.
///
/// Pages are made on the actor and not on a network thread. That costs 33 µs a scrape (`floor/http` against
/// `floor/http.immediate`). On a network thread, a callback that blocks or a large page would delay the health checks of
/// the connections that the thread serves.
actor ScrapeCache {
    /// A page that is ready to be sent.
    struct Page: Sendable {
        let body: HTTPBody
        let isCompressed: Bool
        /// The bytes before compression.
        let bytes: Int
    }

    /// A page that may still be being sent.
    private struct SentPage {
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

    /// A snapshot whose asynchronous collectors are running, and its page.
    private final class Collection {
        let begun = TimeSource.live.now
        /// On the application's pool, which its collectors use.
        let task: Task<Snapshot, Never>
        var page: Page?

        init(_ registry: Registry, _ request: ScrapeRequest, _ deadline: Instant) {
            task = Task.detached(executorPreference: inheritedExecutor) {
                await registry.collect(deadline: deadline, exemplars: request.format.hasExemplars)
            }
        }
    }

    private let registry: Registry
    private let createdSeries: Bool
    private let onProblem: @Sendable (String) -> Void
    private let maximumUnreadBytes: Int
    /// How many requests wait for a page.
    private(set) var waiting = 0
    private let buffers = PageBuffers()
    /// Snapshots whose asynchronous collectors are running.
    private var collections: [ScrapeRequest: Collection] = [:]
    /// Pages that may still be being sent.
    private var sent: [SentPage] = []

    /// - Parameters:
    ///   - createdSeries: Whether pages in OpenMetrics 1.0 have `_created` series.
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

    /// The page; nil if slow readers hold too many others.
    ///
    /// - Parameters:
    ///   - deadline: Until when asynchronous collectors may run, by the registry's clock. A request that joins a
    ///     collection gets the deadline of that collection.
    ///   - arrival: When the request arrived, by the live clock. A page that was begun later answers it.
    func page(_ request: ScrapeRequest, deadline: Instant, arrival: Instant = TimeSource.live.now) async -> Page? {
        waiting += 1
        defer { waiting -= 1 }
        if let collection = collections[request] { return await page(of: collection, request) }
        for page in sent.reversed() {
            if let page = page.page(for: request, since: arrival) { return page }
        }
        sent.removeAll { $0.body == nil }
        guard sent.reduce(0, { $0 + ($1.body?.count ?? 0) }) < maximumUnreadBytes else { return nil }
        // Without asynchronous collectors there is no wait, and a task would cost two thread switches.
        if !registry.hasAsyncCollectors {
            let begun = TimeSource.live.now
            return finish(registry.collect(exemplars: request.format.hasExemplars), request, begun: begun)
        }
        let collection = Collection(registry, request, deadline)
        collections[request] = collection
        return await page(of: collection, request)
    }

    /// The page of a collection. The first request that goes on makes it, on the thread of its handler.
    private func page(of collection: Collection, _ request: ScrapeRequest) async -> Page {
        let snapshot = await collection.task.value
        if let page = collection.page { return page }
        // From here on a new request finds newer values.
        collections[request] = nil
        let page = finish(snapshot, request, begun: collection.begun)
        collection.page = page
        return page
    }

    private func finish(_ snapshot: Snapshot, _ request: ScrapeRequest, begun: Instant) -> Page {
        for problem in snapshot.problems { onProblem("\(problem)") }
        let page = encode(request.names.isEmpty ? snapshot : snapshot.filtered(request.names), request)
        sent.append(
            SentPage(
                request: request,
                begun: begun,
                isCompressed: page.isCompressed,
                bytes: page.bytes,
                body: page.body
            )
        )
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

/// The options of a request of `/metrics`.
struct ScrapeRequest: Hashable, Sendable {
    /// The request cannot be answered.
    struct Refusal: Error {
        /// What to do instead.
        let message: String
    }

    /// The most `name[]` items of a request.
    static let maximumNames = 200

    /// The format of the page.
    let format: ExpositionFormat
    /// The names of the families on the page, sorted; empty for all.
    let names: [String]
    /// Whether the page is for a person in a browser.
    let isReadable: Bool
    /// Whether the page is compressed.
    let isCompressed: Bool

    /// Parses the query and the headers.
    ///
    /// - Throws: ``Refusal`` if `debug` names no format, or for too many names.
    init(_ request: HTTPRequest) throws(Refusal) {
        let debug = request.queryValue("debug")
        isReadable = debug != nil
        if let debug {
            guard let format = ExpositionFormat.all.first(where: { $0.kind.description == debug }) else {
                let known = ExpositionFormat.all.map(\.kind.description).joined(separator: ", ")
                throw Refusal(message: "There is no format of this name to debug: use one of \(known).\n")
            }
            self.format = format
        } else {
            format = Self.format(request)
        }
        let names = Set(request.queryValues("name[]"))
        guard names.count <= Self.maximumNames else {
            throw Refusal(message: "A request may have \(Self.maximumNames) different name[] items.\n")
        }
        self.names = names.sorted()
        isCompressed = Gzip.isWanted(by: request)
    }

    /// The format by the `Accept` headers.
    static func format(_ request: HTTPRequest) -> ExpositionFormat {
        .negotiate(accept: request.headers.list("Accept"))
    }

    /// The `Content-Type` of the page.
    var contentType: String {
        isReadable ? "text/plain; charset=utf-8" : format.contentType
    }
}
