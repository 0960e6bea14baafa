// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Dispatch

/// Decides on the events of readings. It does no input and output.
protocol ReadingMachine: Sendable {
    associatedtype Reading: Sendable

    /// Takes a reading.
    ///
    /// - Returns: The event to report. Never nil for the first reading, and never the same event twice in a row.
    mutating func take(_ reading: Reading) -> CapabilityEvent?
}

/// A listener that reads periodically.
final class PollingListener<Machine: ReadingMachine>: EventListener {
    /// How many readings may fail in a row.
    static var allowedFailures: Int { 3 }

    private var machine: Machine
    private let period: Duration
    private let clock: TimeSource
    private let read: @Sendable () throws -> Machine.Reading
    private var hasBegun = false
    private var failures = 0

    /// Creates a listener that calls `read` outside the cooperative pool.
    init(
        _ machine: Machine,
        every period: Duration,
        on clock: TimeSource,
        read: @escaping @Sendable () throws -> Machine.Reading
    ) {
        self.machine = machine
        self.period = period
        self.clock = clock
        self.read = read
    }

    func next() async throws -> CapabilityEvent {
        while true {
            if hasBegun { try await clock.sleep(for: period) }
            if let reading = try await reading(), let event = machine.take(reading) { return event }
        }
    }

    /// Reads once; nil if that failed and may be tried again.
    private func reading() async throws -> Machine.Reading? {
        do {
            let reading = try await BlockingCall.run(read)
            hasBegun = true
            failures = 0
            return reading
        } catch let error as SystemCallError {
            guard hasBegun else { throw CapabilityError.sourceUnavailable(because: "\(error)") }
            failures += 1
            guard failures < Self.allowedFailures else {
                throw CapabilityError.sourceStopped(because: "\(failures) readings failed, the last with \(error)")
            }
            return nil
        }
    }
}

/// Runs system calls that may block outside the cooperative pool.
///
/// A read of a sensor takes milliseconds, and one of a network file system may never return.
enum BlockingCall {
    /// Runs `body` on a thread of Dispatch and waits for its result.
    ///
    /// - Throws: The error of `body`. `CancellationError` at once if the task is cancelled; the body then runs to its end
    ///   unobserved.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let result = OneShot<Result<Value, any Error>>()
        DispatchQueue.global(qos: .utility).async {
            result.settle(Result { try body() })
        }
        return try await result.value(ifCancelled: .failure(CancellationError())).get()
    }
}

/// The values at which a level begins. A larger value is worse.
struct LevelThresholds: Hashable, Sendable {
    /// From here on the level is at least ``PressureLevel/warning``.
    var warning: Double
    /// From here on the level is ``PressureLevel/critical``.
    var critical: Double
    /// How far a value must fall below a threshold to end its level.
    var hysteresis: Double

    /// Whether `value` is at the threshold, or above the point at which a level that was reached ends.
    static func holds(_ value: Double, at threshold: Double, hysteresis: Double, wasReached: Bool) -> Bool {
        value >= threshold || (wasReached && value > threshold - hysteresis)
    }

    /// The level of `value` after `previous`. A value that is not a number changes nothing.
    func level(of value: Double, after previous: PressureLevel) -> PressureLevel {
        guard !value.isNaN else { return previous }
        if Self.holds(value, at: critical, hysteresis: hysteresis, wasReached: previous == .critical) {
            return .critical
        }
        if Self.holds(value, at: warning, hysteresis: hysteresis, wasReached: previous >= .warning) {
            return .warning
        }
        return .none
    }
}
