// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation
internal import Glibc

/// One run from the command line: start, load, ledger, linger, shutdown.
@MainActor
struct DemoSession {
    private let command: DemoCommand
    private let endpoint: MetricsEndpoint
    private let run: DemoRun
    private let termination = Termination()

    /// - Throws: As ``DemoRun/init(_:instrumentation:clock:)``.
    init(_ command: DemoCommand, endpoint: MetricsEndpoint) throws {
        self.command = command
        self.endpoint = endpoint
        let options = DemoOptions(
            rate: command.rate,
            seed: command.seed,
            faults: command.faults,
            stepLimit: command.stepLimit.duration,
            dataFolder: command.dataDir
        )
        run = try DemoRun(options, instrumentation: endpoint.instrumentation)
        try endpoint.telemetry?.watch(run.storagePolicy)
    }

    /// Runs to the end of the duration and the linger, or until a signal comes; then shuts down in order.
    ///
    /// - Throws: What went wrong first. What was started is shut down all the same.
    func run() async throws {
        do {
            try await serve()
        } catch {
            do {
                try await shutdown()
            } catch let second {
                StandardError.say("the shutdown failed as well: \(second)")
            }
            throw error
        }
        try await shutdown()
        if let path = command.budgetReport { try await reportBudgets(to: path) }
    }

    private func serve() async throws {
        if let address = try await endpoint.start(command.port, run.orchestrator) {
            if command.dashboard { say("dashboard: \(address)/") }
            say("metrics:   \(address)/metrics")
        }
        try await run.start()
        if let port = run.upstreamPort { say("upstream:  http://127.0.0.1:\(port)/ledger and /screens") }
        if command.bound == .none { say("Runs until Control-C; axiom-demo --help names the options.") }
        try await termination.cancelling { [run, bound = command.bound] in
            try await run.load(bound, onOverdue: Self.giveUp)
        }
        if let path = command.ledger { try run.writeLedger(to: path) }
        if let path = command.export { try endpoint.writePage(to: path) }
        summarize()
        try endpoint.telemetry.map { try ProfileSummary(telemetry: $0, arguments: command.profiles).lines() }?
            .forEach(say)
        guard !termination.isRequested else { return }
        // Cut short by a signal, which is as good an end as any.
        try? await termination.cancelling { [linger = command.linger.duration] in
            try await TimeSource.live.sleep(for: linger)
        }
    }

    /// What the shop has no occasion for is done by an application of its own, after the shop: a telemetry observes one
    /// orchestrator at a time.
    private func reportBudgets(to path: String) async throws {
        try await BudgetExercise.run(endpoint.instrumentation)
        try endpoint.writeBudgets(to: path)
    }

    private func shutdown() async throws {
        endpoint.noteStates()
        let ended: Result<Void, any Error>
        do {
            ended = .success(try await run.shutdown())
        } catch {
            ended = .failure(error)
        }
        // Last, so that what does not end as it should can be seen.
        await endpoint.stop()
        try ended.get()
    }

    private func summarize() {
        let report = run.ledger.report
        let actions = report.contexts.values.reduce(0) { $0 + $1.total }
        say(
            "\(actions) actions; \(report.upstream.requests) requests, \(report.upstream.faults) faults: "
                + "\(report.errors) shown, \(report.recovered) recovered, \(report.cancelled) cancelled; "
                + "\(report.rejections.total) rejections"
        )
    }

    /// A step that is stuck holds what a shutdown would wait for, so the process ends here.
    private static let giveUp: @Sendable (Watchdog.Overdue) -> Void = { overdue in
        StandardError.say("\(overdue); giving up")
        exit(EXIT_FAILURE)
    }

    private func say(_ line: String) {
        print(line)
        // All streams; a pipe would hold the line back until the end.
        fflush(nil)
    }
}
