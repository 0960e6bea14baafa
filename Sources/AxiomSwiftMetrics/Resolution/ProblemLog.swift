// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import Logging
internal import Synchronization

/// Says each thing once, and counts what was refused.
final class ProblemLog: Sendable {
    /// The most things that are remembered to have been said; what is beyond is not said.
    static let capacity = 4_096

    private let logger: Logger
    /// The hashes of the messages. Guarded by its lock, which is not held while the logger runs.
    private let said = Lock<Set<UInt64>>([])
    /// Random, so that no message can be chosen that hides another.
    private let seed = UInt64.random(in: .min ... .max)
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
        var text = message
        let hash = text.withUTF8 { LabelHash.hash(UnsafeRawBufferPointer($0), seed: seed) }
        let isNew = said.withLock { $0.count < Self.capacity && $0.insert(hash).inserted }
        if isNew { logger.log(level: level, "\(message)") }
    }

    /// Counts a refused value, and says so the first time.
    func refuse(_ what: String, of family: String) {
        refused.wrappingAdd(1, ordering: .relaxed)
        warn("\(family) refused \(what): further ones are counted in refusedValues.")
    }
}
