// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Counts how often each presentation was mounted and unmounted.
final class MountBook: Sendable {
    struct Page: Codable, Hashable, Sendable {
        var mounted = 0
        var unmounted = 0
    }

    /// Guarded by the lock.
    private let book = Lock<[String: Page]>([:])

    func mounted(_ presentation: String) {
        book.withLock { $0[presentation, default: Page()].mounted += 1 }
    }

    func unmounted(_ presentation: String) {
        book.withLock { $0[presentation, default: Page()].unmounted += 1 }
    }

    var pages: [String: Page] {
        book.withLock { $0 }
    }
}
