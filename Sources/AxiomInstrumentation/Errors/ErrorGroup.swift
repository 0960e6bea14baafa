// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// Errors of the same type, code, component and deepest cause, as counted by an ``ErrorMonitor``.
public struct ErrorGroup: Sendable {
    /// One of the group's errors.
    public struct Sample: Sendable {
        /// The description of the error, truncated to 1,000 characters and 4,000 bytes.
        public let text: String
        /// The components that the error passed: first the one in which it arose, last the boundary.
        public let path: [ComponentDescriptor]
        /// The application's context at that time; nil if it provides none. See ``Telemetry/provideErrorContext(_:)``.
        public let context: ErrorContext?
        /// The codes of the error and of its causes, such as `TRIPS_FAILED ← TRIPS_VAULT_KEY (Vault)`; nil if it has no
        /// cause.
        package let chain: String?
        /// When it was reported.
        package let time: Instant

        init(
            _ error: any Error,
            path: [ComponentDescriptor],
            at time: Instant,
            context: ErrorContext? = nil,
            chain: ErrorChain? = nil
        ) {
            self.context = context
            self.chain = chain.map { Self.truncated($0.text) }
            text = Self.truncated(String(describing: error))
            self.path = path
            self.time = time
        }

        /// A character can have any number of bytes, so both are limited.
        private static func truncated(_ text: String) -> String {
            let prefix = text.prefix(1_000)
            guard prefix.utf8.count > 4_000 else { return String(prefix) }
            return String(decoding: prefix.utf8.prefix(4_000), as: UTF8.self)
        }
    }

    /// The outcomes of recoveries from the group's errors.
    package struct Recoveries: Sendable, Hashable {
        package internal(set) var succeeded: UInt64 = 0
        package internal(set) var failed: UInt64 = 0
        /// Recoveries that were cancelled.
        package internal(set) var cancelled: UInt64 = 0
        private var succeededNanoseconds: Int64 = 0

        /// The mean duration of the successful recoveries, in seconds; nil before the first.
        package var meanSeconds: Double? {
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

    package let fingerprint: ErrorFingerprint
    /// The highest severity among the errors.
    public internal(set) var severity: ErrorSeverity
    /// The number of errors that ended at a boundary. Errors with a successful recovery are counted in ``recoveries``
    /// instead.
    public internal(set) var count: UInt64 = 0
    /// The outcomes of recoveries from the errors.
    package internal(set) var recoveries = Recoveries()
    /// When the first was reported.
    public let firstSeen: Instant
    /// When the latest was reported.
    public internal(set) var lastSeen: Instant
    /// The latest error that ended. Until one ends, the first error that was recovered.
    public internal(set) var sample: Sample
    var window: RateWindow
    var logTurn = ErrorLogTurn()
    /// The latest errors, those that were recovered too.
    var occurrences = OccurrenceLog()

    init(_ fingerprint: ErrorFingerprint, _ severity: ErrorSeverity, _ sample: Sample) {
        self.fingerprint = fingerprint
        self.severity = severity
        self.sample = sample
        firstSeen = sample.time
        lastSeen = sample.time
        window = RateWindow(at: sample.time)
    }

    /// The name of the errors' type, without its module.
    public var type: String { fingerprint.error.type }

    /// The code of an `AxiomError`, the name of an enum's case, the domain of an `NSError`; nil for other types.
    public var code: String? { fingerprint.error.code }

    /// The deepest cause of the errors; nil if they have none.
    package var root: RootCause? { fingerprint.root }

    /// The component in which the errors arose.
    public var component: ComponentDescriptor { fingerprint.component }

    /// The errors per second that ended in the last 1 to 15 minutes until `instant`, in steps of 10 s.
    package func rate(minutes: Int, at instant: Instant) -> Double {
        window.perSecond(minutes: min(15, max(1, minutes)), at: instant)
    }
}

/// The rate of events over the last 15 minutes, in steps of 10 seconds. At most about 400 bytes.
struct RateWindow: Sendable {
    private static let step = Duration.seconds(10)
    private static let stepsPerMinute = 6

    private var counts: RollingWindow<UInt32>

    init(at instant: Instant) {
        counts = RollingWindow(step: Self.step, capacity: 15 * Self.stepsPerMinute, empty: 0, at: instant)
    }

    mutating func add(at instant: Instant) {
        counts.advance(to: instant)
        counts.current &+= 1
    }

    /// The events per second over the last `minutes`, 1...15: those in the current step and in the complete steps
    /// before it, divided by the time that these steps cover so far.
    func perSecond(minutes: Int, at instant: Instant) -> Double {
        let steps = min(counts.capacity, minutes * Self.stepsPerMinute)
        var total: UInt64 = 0
        counts.forEach(inLast: steps, at: instant) { total += UInt64($0) }
        let complete = Self.step * (steps - 1)
        return Double(total) / (complete + .nanoseconds(counts.elapsed(at: instant))).inSeconds
    }
}
