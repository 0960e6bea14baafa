// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomDashboard
internal import AxiomExporter
internal import AxiomHTTP
internal import AxiomInstrumentation
internal import AxiomLogging
internal import AxiomPush
internal import AxiomWebConfiguration
internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// The command's run as a service: the exporter, then the shop, then its load.
///
/// SIGINT and SIGTERM, the end of the load, and the first error end them in the reverse order, so that the metrics show the
/// shutdown too.
@MainActor
struct Demo: Service {
    private let command: DemoCommand
    private let telemetry: Telemetry
    private let shop: DemoRun
    private let exporter: Exporter
    /// Nil without the options to push.
    private let pusher: Pusher?
    /// The token of the dashboard, a new one for each run; nil unless an option needs it.
    private let token: String?

    /// - Parameter makeRun: Makes the run of the shop, whose records go to the logger.
    /// - Throws: The error of the run, of the exporter or of the pusher.
    init(_ command: DemoCommand, _ telemetry: Telemetry, makeRun: (Logger) throws -> DemoRun) throws {
        (self.command, self.telemetry) = (command, telemetry)
        token = command.needsToken ? UUID().uuidString.replacing("-", with: "").lowercased() : nil
        // The function is in the tests of the demo, where the recorded file belongs.
        if command.recordScenario != nil { telemetry.recordScenario(application: "try Shop.underTest()") }
        // The dashboard shows these records in the traces of the shop; standard error is for problems of the command.
        shop = try makeRun(Logger(label: "shop") { TraceLogHandler(label: $0, telemetry) })
        try telemetry.watch(shop.cataloguePolicy)
        exporter = try Self.makeExporter(telemetry, command, token, shop.orchestrator)
        // As a server that scrapes would name it.
        let port = command.port == 0 ? "pid-\(ProcessInfo.processInfo.processIdentifier)" : "\(command.port)"
        pusher = try command.pushes.pusher(of: telemetry, instance: "\(command.host):\(port)")
    }

    private static func makeExporter(
        _ telemetry: Telemetry,
        _ command: DemoCommand,
        _ token: String?,
        _ orchestrator: Orchestrator
    ) throws -> Exporter {
        var configuration = HTTPServerConfiguration(
            host: command.host,
            port: command.port,
            allowedHosts: command.allowedHosts
        )
        // A client that does not read its response must not delay the exit of the process.
        configuration.drainTimeout = .seconds(1)
        if let file = command.webConfig { configuration.apply(try WebConfiguration(file: file)) }
        return try Exporter(
            telemetry: telemetry,
            configuration: configuration,
            dashboard: DashboardOptions(
                name: "Axiom Demo Shop",
                token: token,
                isServed: command.dashboard,
                inspectsState: command.inspectState,
                allowsActions: command.allowActions,
                recordsPayloads: command.recordScenario != nil
            ),
            readiness: { orchestrator.isRunning ? .ready : .notReady("the application does not run") },
            onFailure: { Console.printError($0) }
        )
    }

    // MARK: Run

    /// Runs in a service group until it has shut down, then writes the recorded scenario and the budget report.
    ///
    /// - Throws: The first error of a service.
    func runAsCommand() async throws {
        let pushers: [any Service] = pusher.map { [$0] } ?? []
        // They shut down in the reverse order.
        let services = pushers + [ReloadService(shop: shop, exporter: exporter), self]
        let configuration = ServiceGroupConfiguration(
            services: services.map {
                .init(
                    service: $0,
                    successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup
                )
            },
            gracefulShutdownSignals: [.sigint, .sigterm],
            logger: serviceLogger
        )
        try await ServiceGroup(configuration: configuration).run()
        if let path = command.recordScenario {
            let scenario = telemetry.endScenario()
            try AtomicFile.write(Array(scenario.test(named: "The shop").utf8), to: path)
            Console.print("Recorded \(scenario.count) actions with \(scenario.gapCount) gaps in \(path).")
        }
        guard let path = command.budgetReport else { return }
        try AtomicFile.write(Array(telemetry.budgets.report.table.utf8), to: path)
    }

    /// Writes to standard error, and keeps the records for the dashboard.
    private var serviceLogger: Logger {
        Logger(label: Console.name) { [telemetry] label in
            MultiplexLogHandler([
                StreamLogHandler.standardError(label: label), TraceLogHandler(label: label, telemetry),
            ])
        }
    }

    func run() async throws {
        do {
            try exporter.start()
            printAddresses()
            try await shop.start()
            try await load()
        } catch {
            // The first error is the one to throw.
            do {
                try await shop.shutdown()
            } catch {
                Console.printError("the shutdown failed as well: \(error)")
            }
            await exporter.stop()
            throw error
        }
        try await shop.shutdown()
        await exporter.stop()
    }

    private func printAddresses() {
        let scheme = exporter.isEncrypted ? "https" : "http"
        let host = command.host.contains(":") ? "[\(command.host)]" : command.host
        let address = "\(scheme)://\(host):\(exporter.port ?? 0)"
        #if DEBUG
        Console.print("build:     debug; its times are not those of a release: Scripts/demo --release")
        #else
        Console.print("build:     release")
        #endif
        if command.dashboard { Console.print("dashboard: \(address)/\(token.map { "?token=\($0)" } ?? "")") }
        Console.print("metrics:   \(address)/metrics")
    }

    /// Runs the load, reports its results, and waits for the linger time.
    private func load() async throws {
        if let port = shop.serverPort { Console.print("upstream:  http://127.0.0.1:\(port)/faults") }
        for notice in shop.notices { Console.printError(notice) }
        if let screen = shop.visitor?.text { Console.print(screen) }
        if command.bound == .none { Console.print("Runs until Control-C; \(Console.name) --help names the options.") }
        try await cancelWhenGracefulShutdown { [shop, bound = command.bound] in
            try await shop.load(bound)
        }
        if let path = command.export { try AtomicFile.write(exporter.dashboard.exportedPage(), to: path) }
        Console.print(shop.summary)
        for line in try command.profiles.summary(of: telemetry) { Console.print(line) }
        // Throws if it is cut short by the shutdown.
        try? await cancelWhenGracefulShutdown { [linger = command.linger] in
            try await TimeSource.live.sleep(for: linger)
        }
        // The shutdown ends the clients: their state is measured before.
        _ = telemetry.budgets.report
    }
}

/// Reads the configuration and the certificates again on SIGHUP. Without this service the signal would end the process.
private struct ReloadService: Service {
    let shop: DemoRun
    let exporter: Exporter

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            Console.print(await shop.reload())
            guard exporter.isEncrypted else { continue }
            // The exporter prints why files cannot be used.
            let isUsable = (try? exporter.reloadCertificates()) != nil
            let outcome = isUsable ? "were read again" : "cannot be used; the last good ones stay"
            Console.print("SIGHUP: the certificates \(outcome)")
        }
    }
}

/// Writes lines at once: a reader of a pipe follows the run.
enum Console {
    /// The name of the program: `axiom-demo`, or that of the oracle.
    static let name = CommandLine.arguments.first.map { URL(filePath: $0).lastPathComponent } ?? "axiom-demo"

    static func print(_ line: String) {
        Swift.print(line)
        fflush(nil)
    }

    /// Writes to standard error under the program's name, without the C stream: a stuck thread may hold its lock.
    static func printError(_ message: String) {
        let line = "\(name): \(message)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }
}
