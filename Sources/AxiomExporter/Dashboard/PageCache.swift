// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetricsExporter

/// Pages that are made at most once a second: each costs a collection of the registry, with the collectors of the user.
actor PageCache {
    /// A page in both forms in which it is sent.
    struct Page: Sendable {
        let plain: HTTPBody
        /// Nil if zlib found no memory.
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

    /// The page of a name, made by `make` if there is none that is younger than a second. Requests for a page that is
    /// being made wait for it.
    func page(_ name: String, isSmallest: Bool, make: @Sendable () -> [UInt8]) -> Page {
        if let entry = entries[name], clock.now.duration(since: entry.made) < Self.lifetime { return entry.page }
        let plain = HTTPBody(make())
        let page = Page(plain: plain, compressed: Gzip.compress(plain, isSmallest: isSmallest))
        entries[name] = Entry(page: page, made: clock.now)
        return page
    }
}
