// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, because it takes minutes to build: Axiom under a web framework that records through
// swift-metrics.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let axiom: [Target.Dependency] = [
    "Axiom", "AxiomBase", "AxiomExporter", "AxiomInstrumentation", "AxiomResilience", "AxiomStorage",
].map { .product(name: $0, package: "Axiom") }

let package = Package(
    name: "AxiomUnderHummingbird",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Axiom", path: "../.."),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The programs of Documentation/servers.md: a server, a worker, a job, a command and a stream of one application.
        .executableTarget(
            name: "StockServer",
            dependencies: axiom + [
                .product(name: "AxiomLogging", package: "Axiom"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        // The program of Documentation/service.md.
        .executableTarget(
            name: "OrdersService",
            dependencies: axiom
                + ["AxiomConfiguration", "AxiomHTTP", "AxiomLogging", "AxiomPush", "AxiomSwiftMetrics"].map {
                    .product(name: $0, package: "Axiom")
                } + [
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                    .product(name: "Hummingbird", package: "hummingbird"),
                    .product(name: "Logging", package: "swift-log"),
                    .product(name: "Metrics", package: "swift-metrics"),
                    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                    .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HummingbirdTests",
            dependencies: axiom + [
                "OrdersService",
                "StockServer",
                .product(name: "AxiomMetrics", package: "Axiom"),
                .product(name: "AxiomSwiftMetrics", package: "Axiom"),
                .product(name: "AxiomTestSupport", package: "Axiom"),
                .product(name: "AxiomTesting", package: "Axiom"),
                .product(name: "AxiomTracing", package: "Axiom"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
    ]
)
