// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// Errors of one fingerprint, as counted by an ``ErrorMonitor``.
public struct ErrorGroup: Sendable {
    /// One of the group's errors.
    public struct Sample: Sendable {
        /// The description of the error, truncated to 1,000 characters.
        public let text: String
        /// The components that the error passed: first the one in which it arose, last the boundary.
        public let path: [ComponentDescriptor]
        /// When it was reported.
        public let time: Instant

        init(_ error: any Error, path: [ComponentDescriptor], at time: Instant) {
            text = String(String(describing: error).prefix(1_000))
            self.path = path
            self.time = time
        }
    }

    /// The outcomes of recoveries from the group's errors.
    public struct Recoveries: Sendable, Hashable {
        /// Recoveries that succeeded.
        public internal(set) var succeeded: UInt64 = 0
        /// Recoveries that failed.
        public internal(set) var failed: UInt64 = 0
        /// Recoveries that were cancelled.
        public internal(set) var cancelled: UInt64 = 0
        private var succeededNanoseconds: Int64 = 0

        /// The number of succeeded recoveries divided by succeeded and failed ones, 0...1; nil before the first.
        public var successRate: Double? {
            succeeded + failed == 0 ? nil : Double(succeeded) / Double(succeeded + failed)
        }

        /// The mean duration of the successful recoveries, in seconds; nil before the first.
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

    /// The properties that the group's errors have in common.
    public let fingerprint: ErrorFingerprint
    /// The highest severity among the errors.
    public internal(set) var severity: ErrorSeverity
    /// The number of errors that ended at a boundary. Errors with a successful recovery are counted in ``recoveries``
    /// instead.
    public internal(set) var count: UInt64 = 0
    /// The outcomes of recoveries from the errors.
    public internal(set) var recoveries = Recoveries()
    /// When the first was reported.
    public let firstSeen: Instant
    /// When the latest was reported.
    public internal(set) var lastSeen: Instant
    /// The latest error that ended. Until one ends, the first error that was recovered.
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

    /// The errors per second that ended in the last 1 to 15 minutes until `instant`, in steps of 10 s.
    public func rate(minutes: Int, at instant: Instant) -> Double {
        window.perSecond(minutes: min(15, max(1, minutes)), at: instant)
    }
}
