// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// Errors of one fingerprint, as an ``ErrorMonitor`` knows them.
public struct ErrorGroup: Sendable {
    /// One of the group's errors.
    public struct Sample: Sendable {
        /// What the error said; cut off after 1,000 characters.
        public let text: String
        /// The components that it passed, the one in which it arose first, the boundary last.
        public let path: [ComponentDescriptor]
        /// When it was reported.
        public let time: Instant

        init(_ error: any Error, path: [ComponentDescriptor], at time: Instant) {
            text = String(String(describing: error).prefix(1_000))
            self.path = path
            self.time = time
        }
    }

    /// How recoveries from the group's errors ended.
    public struct Recoveries: Sendable, Hashable {
        /// Those that made the error good.
        public internal(set) var succeeded: UInt64 = 0
        /// Those that did not.
        public internal(set) var failed: UInt64 = 0
        /// Those that were called off.
        public internal(set) var cancelled: UInt64 = 0
        private var succeededNanoseconds: Int64 = 0

        /// Succeeded over succeeded and failed, 0...1; nil before the first.
        public var successRate: Double? {
            succeeded + failed == 0 ? nil : Double(succeeded) / Double(succeeded + failed)
        }

        /// How long a recovery took that succeeded, on average, in seconds; nil before the first.
        public var meanSeconds: Double? {
            succeeded == 0 ? nil : Double(succeededNanoseconds) * 1e-9 / Double(succeeded)
        }

        mutating func add(_ report: RecoveryReport) {
            switch report.outcome {
            case .recovered:
                succeeded += 1
                succeededNanoseconds &+= report.nanoseconds
            case .failed: failed += 1
            case .cancelled: cancelled += 1
            }
        }
    }

    /// What the group's errors have in common.
    public let fingerprint: ErrorFingerprint
    /// The greatest harm that one of them did.
    public internal(set) var severity: ErrorSeverity
    /// How many ended at a boundary. Those that a recovery made good are in ``recoveries`` and not here.
    public internal(set) var count: UInt64 = 0
    /// How recoveries from them ended.
    public internal(set) var recoveries = Recoveries()
    /// When the first was reported.
    public let firstSeen: Instant
    /// When the latest was reported.
    public internal(set) var lastSeen: Instant
    /// The latest of those that ended, or the first that was recovered from while none has ended.
    public internal(set) var sample: Sample
    var window: RateWindow

    init(_ fingerprint: ErrorFingerprint, _ severity: ErrorSeverity, _ sample: Sample) {
        self.fingerprint = fingerprint
        self.severity = severity
        self.sample = sample
        firstSeen = sample.time
        lastSeen = sample.time
        window = RateWindow(at: sample.time)
    }

    /// Errors that ended, for each second, over the last 1 to 15 minutes until `instant`, in steps of 10 s.
    public func rate(minutes: Int, at instant: Instant) -> Double {
        window.perSecond(minutes: min(15, max(1, minutes)), at: instant)
    }
}
