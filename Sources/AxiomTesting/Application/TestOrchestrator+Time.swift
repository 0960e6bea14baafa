// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
public import Testing

extension TestOrchestrator {
    /// Moves the time forward, from one deadline to the next. After each, everything that it wakes has run, so a task
    /// that sleeps again within the duration is woken again.
    ///
    /// - Parameter duration: Zero or more. A negative duration is a failure of the test, and the time stays.
    public func advance(by duration: Duration, sourceLocation location: SourceLocation = #_sourceLocation) async {
        guard failures.reporter.accepts(duration, of: "advance(by: \(duration))", at: location) else { return }
        await settle(at: location)
        let end = time.now.advanced(by: duration)
        while let next = time.nextDeadline, next <= end {
            time.advance(by: next.duration(since: time.now))
            await settle(at: location)
        }
        time.advance(by: end.duration(since: time.now))
        await settle(at: location)
    }

    /// Returns when nothing is under way, except what waits for the time or for a simulated capability. The other
    /// functions of the kit do this themselves.
    public func settle(sourceLocation location: SourceLocation = #_sourceLocation) async {
        await settle(at: location)
    }

    func settle(at location: SourceLocation) async {
        guard await !orchestrator.quiet(taps.liveContexts, upTo: patience) else { return }
        let lines = taps.liveContexts.compactMap { context -> String? in
            let (operations, observations) = context.underWay
            guard operations + observations > 0 else { return nil }
            let name = context.identity.descriptor.name
            return "\(name): operations under way: \(operations), observations with states to apply: \(observations)."
        }
        let works = orchestrator.quiescence.unendedWorks.filter { !$0.isWaiting }.map { "\($0.name) is under way." }
        let head = "The application was not quiet within \(patience) of real time:"
        let tail = "Does it wait for a real clock, or for something outside of the test?"
        failures.fail(([head] + works + lines + [tail]).joined(separator: "\n"), at: location)
    }

    func begin(_ name: String, _ body: @escaping @MainActor () async -> Void) -> TestWork {
        orchestrator.quiescence.begin(name, body)
    }

    /// Runs work until it has ended, or waits for the test. Returns its result; nil while it waits.
    @discardableResult
    func run<Result>(
        _ name: String,
        at location: SourceLocation,
        _ body: @escaping @MainActor () async throws -> Result
    ) async throws -> Result? {
        var result: Swift.Result<Result, any Error>?
        _ = begin(name) {
            do { result = .success(try await body()) } catch { result = .failure(error) }
        }
        await settle(at: location)
        return try result?.get()
    }

    /// What waits for the test, as text.
    var waitingWorks: [String] {
        orchestrator.quiescence.unendedWorks.filter(\.isWaiting).map(\.name).sorted()
    }
}
