// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomConfiguration
internal import AxiomNavigation
internal import AxiomResilience
internal import AxiomStorage
internal import AxiomUI
internal import Foundation
internal import Logging

/// One run of the shop: its server, its application and its shoppers. `Tests/ShopOracle` overrides what its ledger counts.
@MainActor
class DemoRun {
    let orchestrator: Orchestrator
    /// Protects the requests for products.
    let cataloguePolicy: Policy
    let options: DemoCommand
    let clock: TimeSource
    let logger: Logger
    let faults: FaultInjector
    /// The folder of the databases.
    let folder: String
    /// The port of the shop's server on 127.0.0.1; nil before the start.
    private(set) var serverPort: Int?
    private(set) var visitor: Visitor?
    private(set) lazy var server = Result { try makeServer() }
    private let isTemporary: Bool
    /// Nil before the start, and without a file.
    private var configuration: AppConfiguration?
    /// Reads the configuration again when its file changes.
    private var watching: Task<Void, any Error>?
    /// Nil before the start.
    private var lifecycle: AppLifecycle?
    private var actions = 0
    /// Keeps the visitor's history; nil without a folder for it.
    private var stateStorage: FileStorage?

    /// Creates a run that has not started.
    ///
    /// - Parameter logger: Gets the records of the shop's components; by default they are dropped.
    /// - Throws: `CocoaError` if there is no temporary folder.
    init(
        _ options: DemoCommand,
        instrumentation: any Instrumentation = Instrumentations(),
        logger: Logger = Logger(label: "shop") { _ in SwiftLogNoOpLogHandler() },
        clock: TimeSource = .live
    ) throws {
        self.options = options
        self.clock = clock
        self.logger = logger
        orchestrator = Orchestrator(instrumentation: instrumentation, clock: clock)
        cataloguePolicy = try ShopRules.cataloguePolicy(clock: clock)
        faults = FaultInjector(options.faults, seed: options.seed, clock: clock)
        let given = options.dataDir ?? options.stateDir
        isTemporary = given == nil
        folder = given ?? FileManager.default.temporaryDirectory.appending(path: "axiom-demo.\(UUID())").path
        if isTemporary { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    }

    // MARK: Parts

    /// Makes the shop's server.
    func makeServer() throws -> ShopServer {
        try ShopServer(ShopBooks(folder: folder), faults, clock: clock)
    }

    /// The composition of the shop.
    func shop(_ port: Int) -> Shop {
        Shop(folder: folder, serverPort: port, cataloguePolicy: cataloguePolicy, logger: logger, clock: clock)
    }

    /// Registers the components of the shop.
    func compose(_ port: Int) throws {
        try shop(port).register(with: orchestrator)
    }

    /// Lets the configuration set what the shop's capabilities use.
    func bind(_ configuration: AppConfiguration) {
        configuration.bind(HTTPNetwork.self)
    }

    /// Makes a window with a flow.
    func window(on flow: NavigationFlow<ShopRoute>) throws -> ShopWindow {
        try ShopWindow(flow, orchestrator)
    }

    // MARK: Life

    /// Starts the server, then the application.
    ///
    /// - Throws: `HTTPServerError`, `ConfigurationError`, or the error of a component's start, or of its launch.
    func start() async throws {
        let port = try server.get().start()
        serverPort = port
        try compose(port)
        try await orchestrator.monitorMachine(folder: folder, clock: clock)
        if let file = options.config {
            let configuration = AppConfiguration(orchestrator, [.file(file)], clock: clock)
            bind(configuration)
            try await configuration.load()
            self.configuration = configuration
        }
        try await orchestrator.start()
        watching = configuration.map { configuration in Task { try await configuration.run(every: .seconds(1)) } }
        try await launch()
    }

    /// Makes the application active, and shows the visitor's screen if there is one.
    private func launch() async throws {
        stateStorage = options.stateDir.map {
            FileStorage(folder: $0, options: StorageOptions(lockTimeout: .seconds(1)))
        }
        let archive = stateStorage.map { StorageArchive($0, clock: clock) }
        let lifecycle = try AppLifecycle(orchestrator, archive: archive)
        self.lifecycle = lifecycle
        if options.hasVisitor {
            let model = try NavigationModel(orchestrator, ShopRoute.shop, ShopWindow.options, name: "visitor") {
                $0.screen
            }
            lifecycle.preserve(model.flow)
            visitor = Visitor(model: model, window: try window(on: model.flow))
        }
        await lifecycle.move(to: .active)
        guard lifecycle.phase == .active else {
            throw orchestrator.errorBoundary.current?.error ?? CancellationError()
        }
        try await visitor?.arrive(by: options.open, at: options.screen, clock)
        // The process may be killed at any time.
        try await lifecycle.save()
    }

    /// The saved histories that could not be used, each in a sentence.
    var notices: [String] {
        (lifecycle?.setAside ?? []).map { "a saved screen is not used (\($0.reason.rawValue)): \($0.key)" }
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
    /// unmounted, and the server serves no faults any more.
    ///
    /// - Throws: As `Load.run(_:_:)`.
    func load(_ bound: Load.Bound) async throws {
        let shoppers = try (0..<Load.shopperCount(options.rate)).map(shopper)
        defer {
            faults.mode = .none
            actions = shoppers.reduce(0) { $0 + $1.actions }
        }
        try await Load(rate: options.rate, clock: clock).run(bound, shoppers)
    }

    private func shopper(_ index: Int) throws -> Shopper {
        let flow = try orchestrator.navigation(ShopRoute.shop, ShopWindow.options, name: "shopper\(index)") {
            $0.screen
        } render: { _ in
        }
        return try Shopper(index, in: window(on: flow), of: orchestrator, seed: options.seed, clock: clock)
    }

    /// The results of the load in a line.
    var summary: String {
        "\(actions) actions; \(faults.counts.requests) requests, \(faults.counts.faults) faults"
    }

    /// Ends the application, then the server, and removes a temporary folder.
    ///
    /// - Throws: `CocoaError` if the folder cannot be removed.
    func shutdown() async throws {
        watching?.cancel()
        // The way to the terminating phase saves the history.
        await lifecycle?.move(to: .terminating)
        await orchestrator.shutdown()
        await stateStorage?.terminate()
        if serverPort != nil { await (try? server.get())?.stop() }
        if isTemporary { try FileManager.default.removeItem(atPath: folder) }
    }
}
