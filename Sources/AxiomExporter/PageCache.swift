// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetricsExporter

/// Makes each page at most once a second, because each costs a collection of the registry with the user's collectors.
actor PageCache {
    /// A page, plain and compressed.
    struct Page: Sendable {
        let plain: HTTPBody
        /// Nil if zlib could not allocate memory.
        let compressed: HTTPBody?
    }

    private struct Entry {
        let page: Page
        let made: Instant
    }

    static let lifetime = Duration.seconds(1)

    private let clock: TimeSource
    private var entries: [String: Entry] = [:]

    init(clock: TimeSource = .live) {
        self.clock = clock
    }

    /// The page of a name. `make` makes it unless there is one that is less than a second old. Requests for a page that is
    /// being made wait for it.
    func page(_ name: String, isSmallest: Bool, make: @Sendable () -> [UInt8]) -> Page {
        if let entry = entries[name], clock.now.duration(since: entry.made) < Self.lifetime { return entry.page }
        let plain = HTTPBody(make())
        let page = Page(plain: plain, compressed: Gzip.compress(plain, isSmallest: isSmallest))
        entries[name] = Entry(page: page, made: clock.now)
        return page
    }
}
