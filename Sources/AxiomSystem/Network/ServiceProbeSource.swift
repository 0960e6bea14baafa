// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// Reports whether a service answers, as `.service(…)`: asks it by a period.
///
/// The first probe decides what the first event says. From then on the service is away when several probes have failed in a
/// row, and back when one has succeeded.
///
/// ```swift
/// extension SystemService { static let database = SystemService(rawValue: "database") }
///
/// let source = try ServiceProbeSource(.database) { try await pool.ping() }
/// orchestrator.monitor(source, for: Database.self)
/// ```
public struct ServiceProbeSource: ChangeSource {
    fileprivate let machine: ServiceProbeMachine
    fileprivate let (period, timeout): (Duration, Duration)
    fileprivate let clock: TimeSource
    fileprivate let probe: @Sendable () async throws -> Void

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - service: The service that the events name.
    ///   - period: The time between the end of a probe and the next one, from 100 ms to a day.
    ///   - timeout: How long a probe may take, from 1 ms to an hour. One that takes longer is cancelled and has failed. One
    ///     that ignores its cancellation is not waited for, and fails every period until it ends: only one probe runs.
    ///   - failures: How many probes in a row must fail before the service is away, from 1 to 1,000.
    ///   - clock: The clock of the period and of the timeout.
    ///   - probe: Asks the service, and throws if it does not answer. The last error is part of the reason of the event.
    /// - Throws: `CapabilityError` with the name of the parameter that is outside its range.
    public init(
        _ service: SystemService,
        every period: Duration = .seconds(5),
        timeout: Duration = .seconds(1),
        failures: Int = 3,
        clock: TimeSource = .live,
        probe: @escaping @Sendable () async throws -> Void
    ) throws {
        try SourceParameter.check("period", period, in: SourceParameter.periods)
        try SourceParameter.check("timeout", timeout, in: .milliseconds(1)...(.seconds(3_600)))
        try SourceParameter.check("failures", failures, in: 1...1_000)
        machine = ServiceProbeMachine(service, failures: failures)
        (self.period, self.timeout, self.clock, self.probe) = (period, timeout, clock, probe)
    }

    /// Begins to ask. The sequence does not throw: a probe that fails is an answer.
    public func events() -> SystemEvents {
        SystemEvents { [self] in ServiceProbeListener(self) }
    }
}

/// Turns the results of probes into events.
struct ServiceProbeMachine: ReadingMachine {
    private let service: SystemService
    private let limit: Int
    /// Nil before the first probe.
    private var isUp: Bool?
    private var failures = 0

    init(_ service: SystemService, failures: Int) {
        (self.service, limit) = (service, failures)
    }

    /// - Parameter failure: Why the probe failed; nil if it succeeded.
    mutating func take(_ failure: String?) -> CapabilityEvent? {
        failures = failure == nil ? 0 : failures + 1
        if let isUp, failure == nil ? isUp : !isUp || failures < limit { return nil }
        isUp = failure == nil
        let reason = failure.map { "it does not answer: \($0)" } ?? "it answers"
        return .service(service, isUp: failure == nil, reason: reason)
    }
}

/// Asks one service.
private final class ServiceProbeListener: EventListener {
    private let source: ServiceProbeSource
    private var machine: ServiceProbeMachine
    /// The end of the latest probe; nil before the first one.
    private var end: OneShot<Void>?

    init(_ source: ServiceProbeSource) {
        (self.source, machine) = (source, source.machine)
    }

    func next() async throws -> CapabilityEvent {
        while true {
            if end != nil { try await source.clock.sleep(for: source.period) }
            if let event = machine.take(try await failure()) { return event }
        }
    }

    /// Asks once.
    ///
    /// - Returns: Why the service did not answer; nil if it did.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    private func failure() async throws -> String? {
        if let end, end.settled == nil { return "the probe before has not ended yet" }
        let (end, result) = (OneShot<Void>(), OneShot<Result<String?, any Error>>())
        self.end = end
        let task = Task(executorPreference: inheritedExecutor) { [probe = source.probe] in
            var failure: String?
            do { try await probe() } catch { failure = String(clause: error) }
            end.settle(())
            result.settle(.success(failure))
        }
        defer { task.cancel() }
        return try await result.value(
            until: source.clock.now.advanced(by: source.timeout),
            on: source.clock,
            late: .success("no answer within \(source.timeout)"),
            ifCancelled: .failure(CancellationError())
        ).get()
    }
}
