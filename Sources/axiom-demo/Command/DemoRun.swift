// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience
internal import Foundation
internal import ShopLoad

/// The settings of a run.
struct DemoOptions: Hashable, Sendable {
    /// Steps per second, more than 0.
    var rate = 50.0
    var seed: UInt64 = 1
    var faults = FaultMode.none
    /// How long a step may take. A run with a step that takes longer is aborted.
    var stepLimit: Duration = .seconds(10)
    /// The folder of the shop's files; nil for a temporary one.
    var dataFolder: String?
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
    /// Protects each access to the disk.
    let storagePolicy: Policy
    /// The port of the shop's server on 127.0.0.1; nil before the start.
    private(set) var serverPort: Int?

    private let options: DemoOptions
    private let clock: TimeSource
    private let folder: DataFolder
    private let displays = Displays()
    private let server: ShopServer

    /// Creates a run that has not started.
    ///
    /// - Throws: ``StorageError`` if there is no temporary folder.
    init(
        _ options: DemoOptions,
        instrumentation: any Instrumentation = Instrumentations(),
        clock: TimeSource = .live
    ) throws {
        self.options = options
        self.clock = clock
        orchestrator = Orchestrator(instrumentation: instrumentation, clock: clock)
        storagePolicy = try Shop.storagePolicy(clock: clock)
        folder = try DataFolder(options.dataFolder)
        let faults = FaultInjector(options.faults, seed: options.seed, clock: clock)
        server = try ShopServer(faults: faults, ledger: ledger, displays: displays, clock: clock)
    }

    /// Starts the server, then the application.
    ///
    /// - Throws: `HTTPServerError`, or the error of a component's start.
    func start() async throws {
        let port = try server.start()
        serverPort = port
        let shop = Shop(
            ledger: ledger,
            folder: folder.path,
            serverPort: port,
            storagePolicy: storagePolicy,
            clock: clock
        )
        shop.register(with: orchestrator)
        try await orchestrator.start()
    }

    /// Runs the shoppers until `bound` is reached or the task is cancelled. When this returns, all presentations are
    /// unmounted and the counts of the ledger do not change any more.
    ///
    /// - Parameter onOverdue: As for `LoadGenerator.run(_:onOverdue:user:)`.
    /// - Throws: As `LoadGenerator.run(_:onOverdue:user:)`.
    func load(
        _ bound: LoadGenerator.Bound,
        onOverdue: @escaping @Sendable (Watchdog.Overdue) -> Void = { _ in }
    ) async throws {
        defer { ledger.faults.close() }
        let generator = LoadGenerator(rate: options.rate, stepLimit: options.stepLimit, clock: clock)
        try await generator.run(bound, onOverdue: onOverdue) { index in
            let visit = Visit(orchestrator: orchestrator, ledger: ledger, displays: displays, shopper: index)
            return Shopper(visit, script: Script(seed: options.seed, shopper: index), clock: clock)
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
    /// - Throws: ``StorageError`` if the folder cannot be removed.
    func shutdown() async throws {
        await orchestrator.shutdown()
        await server.stop()
        try folder.remove()
    }
}

/// The folder of a run's files: a given one, or a temporary one.
struct DataFolder: Sendable {
    let path: String
    private let isTemporary: Bool

    /// - Parameter path: A folder, which is created if it does not exist; nil for a new temporary folder.
    /// - Throws: ``StorageError`` that names the folder.
    init(_ path: String?) throws(StorageError) {
        if let path {
            (self.path, isTemporary) = (path, false)
            return
        }
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent)/axiom-demo.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw StorageError(operation: "create a folder in", path: parent, problem: String(cString: strerror(errno)))
        }
        self.path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        isTemporary = true
    }

    /// Removes a temporary folder with its contents. A given folder stays.
    ///
    /// - Throws: ``StorageError`` that names the folder.
    func remove() throws(StorageError) {
        guard isTemporary else { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw StorageError(operation: "remove", path: path, problem: "\(error)")
        }
    }
}
