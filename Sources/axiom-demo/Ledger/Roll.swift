// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Who was made and who still lives, by weak references.
final class Roll: Sendable {
    private struct Entry: Sendable {
        weak let member: (any AnyObject & Sendable)?
    }

    private struct Page: Sendable {
        var created = 0
        var entries: [Entry] = []
        /// The number of entries at which those of the dead are swept out.
        var sweepAt = 64
    }

    /// Guarded by the lock.
    private let pages: Lock<[String: Page]>

    /// Makes a roll that lists every party from the start, with nobody in it.
    init(parties: [String]) {
        pages = Lock(Dictionary(uniqueKeysWithValues: parties.map { ($0, Page()) }))
    }

    /// `member` of `party` was made.
    func created(_ party: String, _ member: some AnyObject & Sendable) {
        pages.withLock { pages in
            var page = pages[party] ?? Page()
            page.created += 1
            page.entries.append(Entry(member: member))
            if page.entries.count >= page.sweepAt {
                page.entries.removeAll { $0.member == nil }
                page.sweepAt = max(64, 2 * page.entries.count)
            }
            pages[party] = page
        }
    }

    /// How many of each party were made, and how many of them live.
    var reading: (created: [String: Int], alive: [String: Int]) {
        let pages = pages.withLock { $0 }
        return (pages.mapValues(\.created), pages.mapValues { page in page.entries.count { $0.member != nil } })
    }
}
