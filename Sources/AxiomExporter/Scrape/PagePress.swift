// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetrics

/// Makes pages one at a time, in one buffer, and shares a page among the requests that ask for it while it is made.
actor PagePress {
    /// A page that is ready to be sent.
    struct Page: Sendable {
        let body: HTTPBody
        let isCompressed: Bool
        /// The bytes before compression.
        let bytes: Int
    }

    private struct LentBody {
        weak var body: HTTPBody?
    }

    private let registry: Registry
    private let onProblem: @Sendable (String) -> Void
    private let maximumLentBytes: Int
    /// How many requests wait for a page.
    private(set) var waiting = 0
    /// Used for one page after the other. Written between two suspensions of the actor only.
    private var buffer = ExpositionBuffer()
    /// The pages that are being made: who asks for one of them waits for it, too.
    private var inProgress: [ScrapeRequest: Task<Page, Never>] = [:]
    /// The pages that may still be on their way.
    private var lent: [LentBody] = []

    /// - Parameter maximumLentBytes: How many bytes of pages may wait for slow readers, together. While there are as many,
    ///   no new page is made.
    init(
        _ registry: Registry,
        maximumLentBytes: Int = 64 << 20,
        onProblem: @escaping @Sendable (String) -> Void
    ) {
        self.registry = registry
        self.maximumLentBytes = maximumLentBytes
        self.onProblem = onProblem
    }

    /// The page; nil while slow readers hold too many others.
    ///
    /// - Parameter deadline: Until when collectors may wait, by the registry's clock. Who joins a page in progress lives
    ///   with its deadline.
    func page(_ request: ScrapeRequest, deadline: Instant) async -> Page? {
        waiting += 1
        defer { waiting -= 1 }
        if let page = inProgress[request] { return await page.value }
        lent.removeAll { $0.body == nil }
        guard lent.reduce(0, { $0 + ($1.body?.count ?? 0) }) < maximumLentBytes else { return nil }
        let task = Task { await make(request, deadline: deadline) }
        inProgress[request] = task
        return await task.value
    }

    private func make(_ request: ScrapeRequest, deadline: Instant) async -> Page {
        let snapshot = await registry.collect(deadline: deadline)
        // From here on a new request finds newer values.
        inProgress[request] = nil
        for problem in snapshot.problems { onProblem("\(problem)") }
        let page = encode(request.names.isEmpty ? snapshot : snapshot.filtered(request.names), request)
        lent.append(LentBody(body: page.body))
        return page
    }

    private func encode(_ snapshot: Snapshot, _ request: ScrapeRequest) -> Page {
        buffer.removeAll()
        request.format.encode(snapshot, into: &buffer)
        if request.isReadable, request.format.kind == .protobuf {
            let text = Array(ProtobufText.read(buffer.bytes).utf8)
            return text.withUnsafeBytes { Self.page($0, isCompressed: request.isCompressed) }
        }
        return buffer.withUnsafeBytes { Self.page($0, isCompressed: request.isCompressed) }
    }

    private static func page(_ bytes: UnsafeRawBufferPointer, isCompressed: Bool) -> Page {
        let compressed = isCompressed ? Gzip.compress(bytes) : nil
        return Page(
            body: compressed ?? HTTPBody(copying: bytes),
            isCompressed: compressed != nil,
            bytes: bytes.count
        )
    }
}
