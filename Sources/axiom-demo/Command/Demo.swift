// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
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

/// The services of the command: exporter, pusher, application and load.
///
/// They run in a service group. SIGINT and SIGTERM, the end of the load, and the first error shut the group down: the load
/// first, then the application, and the pusher and the exporter last, so that the metrics show the shutdown too.
@MainActor
struct Demo {
    private let command: DemoCommand
    private let telemetry: Telemetry
    private let shop: DemoRun
    private let exporter: Exporter
    /// Nil without the options to push.
    private let pusher: Pusher?
    /// The token of the dashboard, a new one for each run; nil unless an option needs it.
    private let token: String?

    /// - Throws: `ProfileError` for unusable profile files; ``FolderError`` if there is no temporary folder; `PushError`.
    init(_ command: DemoCommand) throws {
        self.command = command
        token = command.needsToken ? Self.makeToken() : nil
        telemetry = try Telemetry(
            breakers: command.breakers.rules,
            regressions: command.profiles.regressions(),
            budgets: Shop.budgets
        )
        let options = DemoOptions(
            rate: command.rate,
            seed: command.seed,
            faults: command.faults,
            stepLimit: command.stepLimit.duration,
            dataFolder: command.dataDir,
            configurationFile: command.config,
            visit: command.visit.options
        )
        // The function is in the tests of the demo, where the recorded file belongs.
        if command.recordScenario != nil { telemetry.recordScenario(application: "try Shop.underTest()") }
        // The dashboard shows these records in the traces of the shop; standard error is for problems of the command.
        let logger = Logger(label: "shop") { [telemetry] in TraceLogHandler(label: $0, telemetry) }
        shop = try DemoRun(options, instrumentation: telemetry, logger: logger)
        try telemetry.watch(shop.storagePolicy)
        exporter = try Self.makeExporter(telemetry, command, token, shop.orchestrator)
        // As a server that scrapes would name it.
        let port = command.port == 0 ? "pid-\(ProcessInfo.processInfo.processIdentifier)" : "\(command.port)"
        pusher = try command.pushes.pusher(of: telemetry, instance: "\(command.host):\(port)")
    }

    private static func makeToken() -> String {
        let digits = (0..<4).map { _ in UInt32.random(in: .min ... .max) }
        return digits.map { String($0, radix: 16) }.joined()
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

    /// Runs the services until the group has shut down, then writes the budget report.
    ///
    /// - Throws: The first error of a service.
    func run() async throws {
        let configuration = ServiceGroupConfiguration(
            services: services().map {
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
        if let path = command.recordScenario { try writeScenario(to: path) }
        if let path = command.budgetReport { try await writeBudgets(to: path) }
    }

    /// In the order in which they start; they shut down in the reverse order.
    ///
    /// The load is last: it ends by itself, and one that ends while the group shuts another down is an error of the group.
    private func services() -> [any Service] {
        let (exporterStarted, applicationStarted) = (StartSignal(), StartSignal())
        var services: [any Service] = [
            ExporterService(
                exporter: exporter,
                host: command.host,
                hasDashboard: command.dashboard,
                token: token,
                started: exporterStarted
            )
        ]
        if let pusher { services.append(pusher) }
        services.append(ApplicationService(shop: shop, exporterStarted: exporterStarted, started: applicationStarted))
        services.append(ReloadService(shop: shop, exporter: exporter))
        services.append(
            LoadService(
                shop: shop,
                command: command,
                telemetry: telemetry,
                exporter: exporter,
                applicationStarted: applicationStarted
            )
        )
        return services
    }

    private func writeScenario(to path: String) throws {
        let scenario = telemetry.endScenario()
        try AtomicFile.write(Array(scenario.test(named: "The shop").utf8), to: path)
        Console.print("Recorded \(scenario.count) actions with \(scenario.gapCount) gaps in \(path).")
    }

    /// Writes to standard error, and keeps the records for the dashboard.
    private var serviceLogger: Logger {
        Logger(label: "axiom-demo") { [telemetry] label in
            MultiplexLogHandler([
                StreamLogHandler.standardError(label: label), TraceLogHandler(label: label, telemetry),
            ])
        }
    }

    /// A telemetry observes one orchestrator at a time, so the exercise runs after the shop.
    private func writeBudgets(to path: String) async throws {
        try await BudgetExercise.run(telemetry)
        try AtomicFile.write(Array(telemetry.budgets.report.table.utf8), to: path)
    }
}
