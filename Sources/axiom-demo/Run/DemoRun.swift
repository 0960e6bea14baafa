// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience

/// One run of the shop: its servers, its application and its shoppers.
///
/// ```swift
/// let run = try DemoRun(options, instrumentation: telemetry)
/// try await run.start()
/// try await run.load(.duration(.seconds(20)))
/// try run.writeLedger(to: "ledger.json")
/// await run.shutdown()
/// ```
@MainActor
final class DemoRun {
    /// The books of the run.
    let ledger = Shop.ledger()
    let orchestrator: Orchestrator
    /// What stands around every access to the disk.
    let storagePolicy: Policy
    /// The port of the shop's servers on 127.0.0.1, once they run.
    private(set) var upstreamPort: Int?

    private let options: DemoOptions
    private let clock: TimeSource
    private let folder: DataFolder
    private let screens = Screens()
    private let upstream: Upstream

    /// Makes a run that does nothing yet.
    ///
    /// - Parameter instrumentation: Who is told what happens to the components.
    /// - Throws: ``StorageError`` when there is no temporary folder to be had.
    init(
        _ options: DemoOptions,
        instrumentation: any Instrumentation = NoInstrumentation(),
        clock: TimeSource = .live
    ) throws {
        self.options = options
        self.clock = clock
        orchestrator = Orchestrator(instrumentation: instrumentation, clock: clock)
        storagePolicy = try Shop.storagePolicy(clock: clock)
        folder = try DataFolder(options.dataFolder)
        let weather = Weather(options.faults, seed: options.seed, clock: clock)
        upstream = try Upstream(weather: weather, ledger: ledger, screens: screens, clock: clock)
    }

    /// Starts the servers, then the application.
    ///
    /// - Throws: `HTTPServerError`, or what keeps a component from starting.
    func start() async throws {
        let port = try upstream.start()
        upstreamPort = port
        let shop = Shop(
            ledger: ledger,
            folder: folder.path,
            upstreamPort: port,
            storagePolicy: storagePolicy,
            clock: clock
        )
        shop.register(with: orchestrator)
        try await orchestrator.start()
    }

    /// Lets shoppers shop until `bound` is reached or the task is cancelled. When it returns, every presentation is
    /// unmounted and the books stand still.
    ///
    /// - Parameter onOverdue: Is told of the first step that takes more than `stepLimit`, while it is still running and from
    ///   beside the main actor: a step that is stuck cannot be ended from here.
    /// - Throws: ``Watchdog/Overdue`` when a step took more than `stepLimit`; what keeps a presentation from being mounted.
    func load(
        _ bound: Workload.Bound,
        onOverdue: @escaping @Sendable (Watchdog.Overdue) -> Void = { _ in }
    ) async throws {
        let watchdog = Watchdog(limit: options.stepLimit, clock: clock)
        let patrol = Task.detached { await watchdog.patrol(onOverdue) }
        defer { ledger.faults.close() }
        let workload = Workload(
            orchestrator: orchestrator,
            ledger: ledger,
            screens: screens,
            seed: options.seed,
            rate: options.rate,
            clock: clock
        )
        let result: Result<Void, any Error>
        do {
            result = .success(try await workload.run(bound, watchdog: watchdog))
        } catch {
            result = .failure(error)
        }
        patrol.cancel()
        if let overdue = await patrol.value { throw overdue }
        try result.get()
    }

    /// Writes the books as JSON, as a whole or not at all.
    ///
    /// - Throws: ``AtomicFile/Failure`` that names the path.
    func writeLedger(to path: String) throws {
        try AtomicFile.write(try ledger.report.json(), to: path)
    }

    /// Ends the application, then its servers, and removes the folder if it was a temporary one.
    ///
    /// - Throws: ``StorageError`` when the folder cannot be removed.
    func shutdown() async throws {
        await orchestrator.shutdown()
        await upstream.stop()
        try folder.remove()
    }
}
