// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Logging
internal import Synchronization

/// Says each thing once, and counts what was refused.
final class ProblemLog: Sendable {
    /// The most things that are remembered to have been said; what is beyond is not said.
    static let capacity = 4_096

    private let logger: Logger
    /// Guarded by its lock, which is not held while the logger runs.
    private let said = Lock<Set<String>>([])
    private let refused = Atomic<UInt64>(0)

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// How many values were refused.
    var refusals: UInt64 { refused.load(ordering: .relaxed) }

    /// Logs, once, what keeps something off the page.
    func error(_ message: String) {
        once(.error, message)
    }

    /// Logs, once, what makes the page less than it could be.
    func warn(_ message: String) {
        once(.warning, message)
    }

    private func once(_ level: Logger.Level, _ message: String) {
        let isNew = said.withLock { $0.count < Self.capacity && $0.insert(message).inserted }
        if isNew { logger.log(level: level, "\(message)") }
    }

    /// Counts a refused value, and says so the first time.
    func refuse(_ what: String, of family: String) {
        refused.wrappingAdd(1, ordering: .relaxed)
        warn("\(family) refused \(what): further ones are counted in refusedValues.")
    }
}
