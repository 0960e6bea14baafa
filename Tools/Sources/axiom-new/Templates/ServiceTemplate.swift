// SPDX-License-Identifier: Apache-2.0

/// A package with a server that answers requests by a handler, is scraped and shows the dashboard, and its tests.
struct ServiceTemplate {
    let name: ComponentName
    /// The entry of Axiom in the manifest.
    let dependency: String

    private var client: ClientTemplate { ClientTemplate(base: name) }
    private var handler: HandlerTemplate { HandlerTemplate(base: name) }
    /// The library has the components and routes, so that tests import it; the program only runs it.
    private var library: String { "\(name)Features" }

    var files: [NewFile] {
        let (sources, tests) = ("Sources/\(library)", "Tests/\(library)Tests")
        return [
            NewFile(path: "Package.swift", text: manifest),
            NewFile(path: "README.md", text: readme),
            NewFile(path: ".gitignore", text: ".build/\n.swiftpm/\n"),
            NewFile(path: "Sources/\(name)/main.swift", text: main),
            NewFile(path: "\(sources)/\(name)Service.swift", text: service),
            NewFile(path: "\(sources)/\(name)Routes.swift", text: routes),
            NewFile(path: "\(tests)/\(name)RoutesTests.swift", text: routesTest),
        ] + client.files(target: library, sources: sources, tests: tests)
            + handler.files(target: library, sources: sources, tests: tests)
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
                .package(url: "https://github.com/apple/swift-http-types", from: "1.0.0"),
                .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
                .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
                .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
            ],
            targets: [
                .target(
                    name: "\(library)",
                    dependencies: [
                        .product(name: "Axiom", package: "Axiom"),
                        .product(name: "HTTPTypes", package: "swift-http-types"),
                        .product(name: "Hummingbird", package: "hummingbird"),
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
                        .product(name: "Hummingbird", package: "hummingbird"),
                        .product(name: "Logging", package: "swift-log"),
                        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                    ]
                ),
                .testTarget(
                    name: "\(library)Tests",
                    dependencies: [
                        "\(library)",
                        .product(name: "Axiom", package: "Axiom"),
                        .product(name: "AxiomTesting", package: "Axiom"),
                        .product(name: "Hummingbird", package: "hummingbird"),
                    ]
                ),
            ]
        )

        """
    }

    private var service: String {
        """
        import Axiom

        /// The components of the service.
        @MainActor
        public enum \(name)Service {
            /// Registers all components, before the start.
            ///
            /// - Returns: What sends requests to the handler.
            static func register(in orchestrator: Orchestrator) -> Endpoint<\(handler.name)> {
                \(client.registration ?? "")
                \(Registration.marker)
                return \(handler.registration ?? "")
            }
        }

        """
    }

    private var routes: String {
        """
        import Axiom
        import HTTPTypes
        import Hummingbird

        extension \(name)Service {
            /// Registers all components, and makes the routes of the server.
            public static func router(of orchestrator: Orchestrator) -> Router<BasicRequestContext> {
                let endpoint = register(in: orchestrator)
                let router = Router()
                router.add(middleware: ErrorAnswers())
                router.get("/items") { request, _ in
                    try await endpoint.request(.list, from: request.origin)
                }
                router.post("/items/{item}") { request, call in
                    try await endpoint.request(.add(try call.parameters.require("item")), from: request.origin)
                }
                return router
            }
        }

        extension Request {
            /// The trace of the caller, which that of the request continues.
            var origin: RequestOrigin {
                RequestOrigin(traceparent: HTTPField.Name("traceparent").flatMap { headers[$0] })
            }
        }

        /// Answers each error of Axiom with what the caller can do about it.
        struct ErrorAnswers: RouterMiddleware {
            func handle(
                _ request: Request,
                context: BasicRequestContext,
                next: (Request, BasicRequestContext) async throws -> Response
            ) async throws -> Response {
                do {
                    return try await next(request, context)
                } catch {
                    throw HTTPError(answering: error) ?? error
                }
            }
        }

        extension HTTPError {
            /// Nil for an error that is none of Axiom: the server answers it with 500.
            init?(answering error: any Error) {
                switch error {
                case let error as RequestError where error.code == .requestTooLate:
                    self.init(.gatewayTimeout, message: error.message)
                case let error as RequestError:
                    self.init(.serviceUnavailable, headers: Self.retry(after: error.retryAfter), message: error.message)
                case let error as CircuitError:
                    self.init(.serviceUnavailable, headers: Self.retry(after: error.remaining), message: error.message)
                case let error as ValidationError:
                    self.init(.badRequest, message: error.message)
                default:
                    return nil
                }
            }

            /// The header with whole seconds, rounded up.
            private static func retry(after duration: Duration?) -> HTTPFields {
                guard let (seconds, rest) = duration?.components else { return [:] }
                return [.retryAfter: "\\(seconds + (rest > 0 ? 1 : 0))"]
            }
        }

        """
    }

    private var routesTest: String {
        """
        import Axiom
        import Hummingbird
        import Testing

        @testable import \(library)

        @MainActor
        @Suite("The routes", .timeLimit(.minutes(1)))
        struct \(name)RoutesTests {
            @Test("A request that comes before the start is told to come again")
            func closed() async throws {
                let endpoint = \(name)Service.register(in: Orchestrator())
                let error = await #expect(throws: RequestError.self) { try await endpoint.request(.list) }
                let refusal = try #require(error)
                let answer = try #require(HTTPError(answering: refusal))
                #expect(answer.status == .serviceUnavailable)
                #expect(answer.headers[.retryAfter] != nil)
            }

            @Test("A request that is not valid is told so, and an error of the service is not shown")
            func others() {
                #expect(HTTPError(answering: ValidationError.actionRefused("no"))?.status == .badRequest)
                #expect(HTTPError(answering: CancellationError()) == nil)
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
        import Hummingbird
        import Logging
        import ServiceLifecycle
        import \(library)

        /// Starts the components, and shuts them down when the server has ended.
        struct ApplicationService: Service {
            let orchestrator: Orchestrator

            func run() async throws {
                try await orchestrator.start()
                try? await gracefulShutdown()
                await orchestrator.shutdown()
            }
        }

        do {
            let logger = Logger(label: "\(name)")
            let telemetry = try Telemetry()
            // Each error that ends in the service is logged once.
            let log = LoggingInstrumentation(logger, telemetry)
            // An action of a client that runs longer, waits for capabilities aside, is named and counted.
            var limits = WaitLimits()
            limits.overdue = .milliseconds(500)
            let instrumentation = Instrumentations(telemetry, log)
            let orchestrator = Orchestrator(instrumentation: instrumentation, limits: limits, role: .application)
            let port = ProcessInfo.processInfo.environment["PORT"].flatMap { Int($0) } ?? 8080
            let server = Application(
                router: \(name)Service.router(of: orchestrator),
                configuration: .init(address: .hostname("127.0.0.1", port: port)),
                logger: logger
            )
            let exporter = try Exporter(
                telemetry: telemetry,
                readiness: { orchestrator.isRunning ? .ready : .notReady("the service does not run") }
            )
            // They end in the reverse order: the server answers what it has begun, then the components end, and last the metrics.
            let services = ServiceGroup(
                services: [exporter, ApplicationService(orchestrator: orchestrator), server],
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

            swift run     # serves http://127.0.0.1:8080/ until Control-C, or the port in PORT; the dashboard is at http://127.0.0.1:9464/
            curl -X POST http://127.0.0.1:8080/items/tea
            curl http://127.0.0.1:8080/items
            swift test

        On Linux the program needs `apt-get install libmicrohttpd-dev nettle-dev zlib1g-dev pkg-config`.

        | file | contents |
        | --- | --- |
        | `Sources/\(name)/main.swift` | the program: telemetry, log of errors, exporter, server, start and shutdown |
        | `Sources/\(library)/\(name)Service.swift` | which components there are |
        | `Sources/\(library)/\(name)Routes.swift` | the routes of the server, and its answers to errors |
        | `Sources/\(library)/\(name)Handler.swift` | the requests, and what answers them |
        | `Sources/\(library)/\(name)Client.swift` | the state, and the actions that change it |

        An answer with 503 has `Retry-After`: more requests run than the limits of the handler allow, or the service starts or ends. One with
        504 took longer than its time limit, and one with 400 was not valid.

        `axiom-new client Cart`, run in this folder, adds a client with its test; `capability` does the same.
        `Scripts/install-tools` in a clone of Axiom installs the program.

        """
    }
}
