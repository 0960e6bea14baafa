// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomConfiguration
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomLogging
import AxiomPush
import AxiomStorage
import AxiomSwiftMetrics
import Foundation
import Hummingbird
import Logging
import Metrics
import ServiceLifecycle
import UnixSignals

/// The settings of the program, which no capability has.
struct OrdersSettings: ReadableSettings {
    let database: String
    let port: Int
    let dashboardPort: Int
    let pushgateway: String
    let shippingInterval: Double

    init(from reader: SettingsReader) {
        database = reader[SettingKey("database", fallback: "orders.db")]
        port = reader[SettingKey("port", fallback: 8_080, allowed: 0...65_535)]
        dashboardPort = reader[SettingKey("dashboard.port", fallback: 9_464, allowed: 0...65_535)]
        pushgateway = reader[SettingKey("pushgateway", fallback: "")]
        shippingInterval = reader[SettingKey("shipping.interval", fallback: 60, allowed: 0.1...86_400)]
    }
}

/// The server cannot listen.
struct NotServed: Error, CustomStringConvertible {
    let port: Int
    let cause: any Error
    var description: String { "127.0.0.1:\(port) is not served: \(cause)" }
}

/// Runs the application, and its server while it runs.
struct OrdersApplication<Server: Service>: Service {
    let orchestrator: Orchestrator
    let configuration: AppConfiguration
    let port: Int
    let server: Server

    func run() async throws {
        do {
            try await configuration.load()
            try await orchestrator.start()
            do { try await server.run() } catch { throw NotServed(port: port, cause: error) }
        } catch {
            await orchestrator.shutdown()
            throw error
        }
        await orchestrator.shutdown()
    }
}

/// Ships the open orders on an interval.
struct Shipping: Service {
    let orders: Endpoint<OrdersHandler>
    let interval: Duration

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: interval)
                // An error has ended at the boundary of the handler. The next attempt comes after the interval.
                _ = try? await orders.request(.ship, from: RequestOrigin(timeLimit: .seconds(30)))
            }
        }
    }
}

/// Reads the files of settings and flags again when they change.
struct ConfigurationWatch: Service {
    let configuration: AppConfiguration

    func run() async throws {
        try? await cancelWhenGracefulShutdown { try await configuration.run(every: .seconds(1)) }
    }
}

@main
struct OrdersProgram {
    static func main() async {
        do {
            let sources: [ConfigurationSource] = [
                .arguments(), .environment(prefix: "orders"), .file("orders.yaml", isOptional: true),
            ]
            let telemetry = try Telemetry()
            bootstrap(telemetry)
            let settings = try await OrdersSettings.read(from: sources)
            let services = try makeServices(settings, sources, telemetry)
            var group = ServiceGroupConfiguration(services: services, logger: Logger(label: "services"))
            group.gracefulShutdownSignals = [.sigterm, .sigint]
            // Less than what the supervisor of the process allows.
            group.maximumGracefulShutdownDuration = .seconds(25)
            try await ServiceGroup(configuration: group).run()
        } catch {
            // An error that leaves `main` would end the program with a backtrace.
            FileHandle.standardError.write(Data("orders: \(error)\n".utf8))
            exit(1)
        }
    }

    /// Lines of the log go to standard output and to the traces of the dashboard, each with the id of its trace.
    private static func bootstrap(_ telemetry: Telemetry) {
        LoggingSystem.bootstrap(
            { label, provider in
                MultiplexLogHandler([
                    StreamLogHandler.standardOutput(label: label, metadataProvider: provider),
                    TraceLogHandler(label: label, telemetry),
                ])
            },
            metadataProvider: .trace(of: telemetry)
        )
        MetricsSystem.bootstrap(AxiomMetricsFactory(registry: telemetry.registry))
    }

    /// The services in the order of their start, which is the reverse one of their end.
    @MainActor
    private static func makeServices(
        _ settings: OrdersSettings,
        _ sources: [ConfigurationSource],
        _ telemetry: Telemetry
    ) throws -> [any Service] {
        let logger = Logger(label: "orders")
        let log = LoggingInstrumentation(logger, telemetry)
        let orchestrator = Orchestrator(instrumentation: Instrumentations(telemetry, log), role: .application)
        orchestrator.register(SQLiteStorage.self, as: (any KeyValueStorage).self) {
            SQLiteStorage($0, path: settings.database)
        }
        orchestrator.register(HTTPPriceList.self, as: (any PriceList).self) { HTTPPriceList($0) }
        let prices: Cache<String, Int> = try orchestrator.cache("prices", limits: CacheLimits(lifetime: .seconds(60)))
        orchestrator.register(OrdersClient.self) { try OrdersClient($0, prices: prices) }
        let orders = orchestrator.register(OrdersHandler.self) { try OrdersHandler($0) }
        let configuration = AppConfiguration(orchestrator, sources)
        configuration.bind(HTTPPriceList.self)

        let exporter = try Exporter(
            telemetry: telemetry,
            configuration: HTTPServerConfiguration(port: settings.dashboardPort),
            readiness: { orchestrator.isRunning ? .ready : .notReady("the application does not run") }
        )
        // Now, so that the line below is true.
        try exporter.start()
        let router = Router()
        router.serve(orders, telemetry)
        let server = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: settings.port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                logger.info(
                    "http://127.0.0.1:\(port)/orders is served, the dashboard is http://127.0.0.1:\(exporter.port ?? 0)/"
                )
            },
            logger: logger
        )
        var services: [any Service] = [exporter]
        if !settings.pushgateway.isEmpty {
            let gateway = try Pushgateway(
                PushEndpoint(settings.pushgateway),
                job: "orders",
                grouping: ["instance": "orders-1"]
            )
            services.append(try Pusher(registry: telemetry.registry, to: [.pushgateway(gateway)]))
        }
        return services + [
            OrdersApplication(
                orchestrator: orchestrator,
                configuration: configuration,
                port: settings.port,
                server: server
            ),
            Shipping(orders: orders, interval: .seconds(settings.shippingInterval)),
            ConfigurationWatch(configuration: configuration),
        ]
    }
}
