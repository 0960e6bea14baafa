// SPDX-License-Identifier: Apache-2.0

/// A package with an application that is scraped and shows the dashboard, and its tests.
struct AppTemplate {
    let name: ComponentName
    /// The entry of Axiom in the manifest.
    let dependency: String

    private var client: ClientTemplate { ClientTemplate(base: name) }
    private var context: ContextTemplate { ContextTemplate(base: name, client: ExistingClient(written: name)) }
    /// The library has the components, so that tests import it; the program only runs it.
    private var library: String { "\(name)Features" }

    var files: [NewFile] {
        [
            NewFile(path: "Package.swift", text: manifest),
            NewFile(path: "README.md", text: readme),
            NewFile(path: ".gitignore", text: ".build/\n.swiftpm/\n"),
            NewFile(path: "Sources/\(name)/main.swift", text: main),
            NewFile(path: "Sources/\(library)/\(name)App.swift", text: application),
        ] + client.files(target: library, sources: "Sources/\(library)", tests: "Tests/\(library)Tests")
            + context.files(target: library, sources: "Sources/\(library)", tests: "Tests/\(library)Tests")
    }

    private var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "\(name)",
            platforms: [.macOS(.v15)],
            dependencies: [
                \(dependency),
                .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
                .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
            ],
            targets: [
                .target(
                    name: "\(library)",
                    dependencies: [
                        .product(name: "Axiom", package: "Axiom"),
                        .product(name: "AxiomNavigation", package: "Axiom"),
                    ]
                ),
                .executableTarget(
                    name: "\(name)",
                    dependencies: [
                        "\(library)",
                        .product(name: "Axiom", package: "Axiom"),
                        .product(name: "AxiomExporter", package: "Axiom"),
                        .product(name: "AxiomInstrumentation", package: "Axiom"),
                        .product(name: "AxiomLogging", package: "Axiom"),
                        .product(name: "Logging", package: "swift-log"),
                        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                    ]
                ),
                .testTarget(
                    name: "\(library)Tests",
                    dependencies: [
                        "\(library)",
                        .product(name: "Axiom", package: "Axiom"),
                        .product(name: "AxiomNavigation", package: "Axiom"),
                        .product(name: "AxiomTesting", package: "Axiom"),
                    ]
                ),
            ]
        )

        """
    }

    private var application: String {
        """
        import Axiom

        /// The components of the application.
        @MainActor
        public enum \(name)App {
            /// Registers all components, before the start.
            public static func register(in orchestrator: Orchestrator) {
                \(client.registration ?? "")
                \(context.registration ?? "")
                \(Registration.marker)
            }

            /// Shows the screen, prints it whenever it changes, and adds an item each second until the task is cancelled.
            public static func run(_ orchestrator: Orchestrator) async throws {
                let host = PresentationHost(\(name)View.self, orchestrator) { print($0) }
                try await host.mount()
                var count = 0
                while !Task.isCancelled {
                    count += 1
                    await host.context?.send(count.isMultiple(of: 10) ? .removeAll : .add("item \\(count)"))
                    try? await Task.sleep(for: .seconds(1))
                }
                await host.unmount()
            }
        }

        """
    }

    private var main: String {
        """
        import Axiom
        import AxiomExporter
        import AxiomInstrumentation
        import AxiomLogging
        import Foundation
        import Logging
        import ServiceLifecycle
        import \(library)

        /// Serves the dashboard and the metrics until the shutdown, and prints their address when they are served.
        struct ExporterService: Service {
            let exporter: Exporter

            func run() async throws {
                try exporter.start()
                let address = "http://127.0.0.1:\\(exporter.port ?? 0)/"
                print("The dashboard: \\(address)   The metrics: \\(address)metrics   Control-C ends.")
                try? await gracefulShutdown()
                await exporter.stop()
            }
        }

        /// Runs the application between its start and its shutdown.
        struct ApplicationService: Service {
            let orchestrator: Orchestrator

            func run() async throws {
                try await orchestrator.start()
                try await cancelWhenGracefulShutdown { try await \(name)App.run(orchestrator) }
                await orchestrator.shutdown()
            }
        }

        do {
            let logger = Logger(label: "\(name)")
            let telemetry = try Telemetry()
            // Each error that ends in the application is logged once.
            let log = LoggingInstrumentation(logger, telemetry)
            // An action of a client that runs longer, waits for capabilities aside, is named and counted.
            var limits = WaitLimits()
            limits.overdue = .milliseconds(500)
            let instrumentation = Instrumentations(telemetry, log)
            let orchestrator = Orchestrator(instrumentation: instrumentation, limits: limits, role: .application)
            \(name)App.register(in: orchestrator)
            let exporter = try Exporter(
                telemetry: telemetry,
                readiness: { orchestrator.isRunning ? .ready : .notReady("the application does not run") }
            )
            let services = ServiceGroup(
                services: [ExporterService(exporter: exporter), ApplicationService(orchestrator: orchestrator)],
                gracefulShutdownSignals: [.sigint, .sigterm],
                logger: logger
            )
            try await services.run()
        } catch {
            // An error that leaves the main file would end the program with a backtrace.
            FileHandle.standardError.write(Data("\(name): \\(error)\\n".utf8))
            exit(1)
        }

        """
    }

    private var readme: String {
        """
        # \(name)

            swift run     # runs until Control-C; the dashboard is at http://127.0.0.1:9464/
            swift test

        On Linux the program needs `apt-get install libmicrohttpd-dev nettle-dev zlib1g-dev pkg-config`.

        | file | contents |
        | --- | --- |
        | `Sources/\(name)/main.swift` | the program: telemetry, log of errors, exporter, start and shutdown |
        | `Sources/\(library)/\(name)App.swift` | which components there are, and what runs |
        | `Sources/\(library)/\(name)Client.swift` | the state, and the actions that change it |
        | `Sources/\(library)/\(name)Context.swift` | the screen: what it shows and what its user does |

        `axiom-new client Cart`, run in this folder, adds a client with its test; `capability`, `context` and `route` do the same.
        `Scripts/install-tools` in a clone of Axiom installs the program.

        """
    }
}
