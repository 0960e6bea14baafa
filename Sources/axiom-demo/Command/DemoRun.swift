// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomConfiguration
internal import AxiomNavigation
internal import AxiomResilience
internal import Foundation
internal import Logging
internal import ShopLoad

/// The settings of a run.
struct DemoOptions: Hashable, Sendable {
    /// Steps per second, more than 0.
    var rate = 50.0
    var seed: UInt64 = 1
    var faults = FaultMode.none
    /// How long a step may take. A run with a step that takes longer is aborted.
    var stepLimit: Duration = .seconds(10)
    /// The folder of the databases; nil for that of the visit, or a temporary one.
    var dataFolder: String?
    /// The file with the settings and the feature flags; nil for none.
    var configurationFile: String?
    /// The screen for a person besides the shoppers; nil for none.
    var visit: VisitOptions?
}

/// The application could not become active.
struct LaunchError: Error, CustomStringConvertible {
    let cause: (any Error)?

    var description: String { "the launch failed: \(cause.map { "\($0)" } ?? "it was cut short")" }
}

/// One run of the shop: its server, its application and its shoppers.
///
/// ```swift
/// let run = try DemoRun(options, instrumentation: telemetry)
/// try await run.start()
/// try await run.load(.duration(.seconds(20)))
/// try run.writeLedger(to: "ledger.json")
/// try await run.shutdown()
/// ```
@MainActor
final class DemoRun {
    let ledger = Shop.ledger()
    let orchestrator: Orchestrator
    /// Protects each access of the response cache to the disk.
    let storagePolicy: Policy
    /// The port of the shop's server on 127.0.0.1; nil before the start.
    private(set) var serverPort: Int?

    private let options: DemoOptions
    private let clock: TimeSource
    private let logger: Logger
    private let folder: DataFolder
    private let displays = Displays()
    private let server: ShopServer
    /// Nil before the start, and without a file.
    private var configuration: AppConfiguration?
    /// Reads the configuration again when its file changes.
    private var watching: Task<Void, any Error>?
    /// Nil before the start.
    private var lifecycle: AppLifecycle?
    private var visitor: Visitor?

    /// Creates a run that has not started.
    ///
    /// - Parameter logger: Gets the records of the shop's components; by default they are dropped.
    /// - Throws: ``FolderError`` if there is no temporary folder.
    init(
        _ options: DemoOptions,
        instrumentation: any Instrumentation = Instrumentations(),
        logger: Logger = Logger(label: "shop") { _ in SwiftLogNoOpLogHandler() },
        clock: TimeSource = .live
    ) throws {
        self.options = options
        self.clock = clock
        self.logger = logger
        orchestrator = Orchestrator(instrumentation: instrumentation, clock: clock)
        storagePolicy = try Shop.storagePolicy(clock: clock)
        folder = try DataFolder(options.dataFolder ?? options.visit?.stateFolder)
        let faults = FaultInjector(options.faults, seed: options.seed, clock: clock)
        server = try ShopServer(
            faults: faults,
            ledger: ledger,
            displays: displays,
            folder: folder.path,
            clock: clock
        )
    }

    /// Starts the server, then the application.
    ///
    /// - Throws: `HTTPServerError`, `ConfigurationError`, or the error of a component's start.
    func start() async throws {
        let port = try server.start()
        serverPort = port
        let shop = Shop(
            ledger: ledger,
            folder: folder.path,
            serverPort: port,
            storagePolicy: storagePolicy,
            logger: logger,
            clock: clock
        )
        try shop.register(with: orchestrator)
        try await orchestrator.monitorMachine(folder: folder.path, clock: clock)
        configuration = try await configure()
        try await orchestrator.start()
        try await server.restore()
        watching = configuration.map { configuration in Task { try await configuration.run(every: .seconds(1)) } }
        try await launch()
    }

    /// Makes the application active, and shows the visitor's screen if there is one.
    ///
    /// - Throws: ``LaunchError``; the error of a transition or of the archive.
    private func launch() async throws {
        let archive = options.visit?.stateFolder.map { FileStateArchive($0, clock: clock) }
        let lifecycle = try AppLifecycle(orchestrator, archive: archive)
        self.lifecycle = lifecycle
        if options.visit != nil {
            let visitor = try Visitor(visit(of: Self.visitorIndex))
            lifecycle.preserve(visitor.flow)
            self.visitor = visitor
        }
        await lifecycle.move(to: .active)
        guard lifecycle.phase == .active else { throw LaunchError(cause: orchestrator.errorBoundary.current?.error) }
        try await visitor?.arrive(at: options.visit?.destination)
        // The process may be killed at any time.
        try await lifecycle.save()
    }

    /// The visitor has no number among the shoppers.
    private static let visitorIndex = -1

    private func visit(of shopper: Int) -> Visit {
        Visit(orchestrator: orchestrator, ledger: ledger, displays: displays, shopper: shopper)
    }

    /// The visitor's screen and the way back from it; nil without a visitor.
    var visitedScreen: String? { visitor?.text() }

    /// The saved histories that could not be used, each in a sentence.
    var notices: [String] {
        (lifecycle?.setAside ?? []).map { "a saved screen is not used (\($0.reason.rawValue)): \($0.path)" }
    }

    /// Reads the configuration, if there is one.
    private func configure() async throws -> AppConfiguration? {
        guard let file = options.configurationFile else { return nil }
        let configuration = AppConfiguration(orchestrator, [.file(file)], clock: clock)
        configuration.bind(CountedNetwork.self)
        try await configuration.load()
        return configuration
    }

    /// Reads the configuration again if its file has changed, without waiting for the next check.
    ///
    /// - Returns: What happened, in a sentence.
    func reload() async -> String {
        guard let configuration else { return "SIGHUP: there is no --config file to read again" }
        let outcome = await configuration.reload()
        return "SIGHUP: the configuration is \(outcome), generation \(configuration.generation)"
    }

    /// Runs the shoppers until `bound` is reached or the task is cancelled. When this returns, all presentations are
    /// unmounted, the orders are applied, and the counts of the ledger do not change any more.
    ///
    /// - Parameter onOverdue: As for `LoadGenerator.run(_:onOverdue:user:)`.
    /// - Throws: As `LoadGenerator.run(_:onOverdue:user:)`.
    func load(
        _ bound: LoadGenerator.Bound,
        onOverdue: @escaping @Sendable (Watchdog.Overdue) -> Void = { _ in }
    ) async throws {
        let generator = LoadGenerator(rate: options.rate, stepLimit: options.stepLimit, clock: clock)
        let result: Result<Void, any Error>
        do {
            try await generator.run(bound, onOverdue: onOverdue) { index in
                Shopper(visit(of: index), script: Script(seed: options.seed, shopper: index), clock: clock)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        ledger.faults.close()
        // A task of its own: the load may be cancelled.
        await Task { await settle() }.value
        try result.get()
    }

    /// Waits until the orders are applied and each fault has its fate, for at most 15 s. The server serves no faults any more.
    private func settle() async {
        for _ in 0..<1_500 where ledger.isWaiting {
            try? await clock.sleep(for: .milliseconds(10))
        }
    }

    /// Writes the ledger as JSON. A reader sees the old file or the new one.
    ///
    /// - Throws: `FileError`.
    func writeLedger(to path: String) throws {
        try AtomicFile.write(ledger.report.json(), to: path)
    }

    /// Ends the application, then the server, and removes a temporary folder.
    ///
    /// - Throws: ``FolderError`` if the folder cannot be removed.
    func shutdown() async throws {
        watching?.cancel()
        // The way to the terminating phase saves the history.
        await lifecycle?.move(to: .terminating)
        await orchestrator.shutdown()
        visitor?.ended()
        await server.stop()
        try folder.remove()
    }
}
