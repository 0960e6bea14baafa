// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// What every Swift target is built with; in CI a warning is an error.
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

let package = Package(
    name: "Axiom",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11)],
    products: [
        .library(name: "AxiomBase", targets: ["AxiomBase"]),
        .library(name: "AxiomResilience", targets: ["AxiomResilience"]),
        .library(name: "Axiom", targets: ["Axiom"]),
        .library(name: "AxiomMetrics", targets: ["AxiomMetrics"]),
        .library(name: "AxiomProfile", targets: ["AxiomProfile"]),
        .library(name: "AxiomSwiftMetrics", targets: ["AxiomSwiftMetrics"]),
        .library(name: "AxiomInstrumentation", targets: ["AxiomInstrumentation"]),
        .library(name: "AxiomDashboard", targets: ["AxiomDashboard"]),
        .library(name: "AxiomHTTP", targets: ["AxiomHTTP"]),
        .library(name: "AxiomMetricsExporter", targets: ["AxiomMetricsExporter"]),
        .library(name: "AxiomExporter", targets: ["AxiomExporter"]),
        .library(name: "AxiomBenchmarking", targets: ["AxiomBenchmarking"]),
        // Replaces malloc in the program that links it. For executables of benchmarks only; no other product has it.
        .library(name: "AxiomAllocationCounter", targets: ["CAxiomCounters"]),
        .executable(name: "axiom-demo", targets: ["axiom-demo"]),
        .executable(name: "axiom-dashboard", targets: ["axiom-dashboard"]),
        .executable(name: "axiom-bench", targets: ["axiom-bench"]),
    ],
    traits: [
        .trait(
            name: "Instrumented",
            description: "Reports every client, context and lifecycle phase to the orchestrator's instrumentation."
        ),
        .default(enabledTraits: ["Instrumented"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CMicrohttpd",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]
        ),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
        .target(name: "CAxiomSupport"),
        .target(name: "AxiomBase", dependencies: ["CAxiomSupport"], swiftSettings: settings),
        .target(name: "AxiomResilience", dependencies: ["AxiomBase"], swiftSettings: settings),
        .target(
            name: "Axiom",
            dependencies: ["AxiomBase", "AxiomResilience", "CAxiomSupport"],
            swiftSettings: settings
        ),
        .target(name: "AxiomMetrics", dependencies: ["AxiomBase", "CAxiomSupport"], swiftSettings: settings),
        .target(
            name: "AxiomProfile",
            dependencies: [
                "AxiomBase",
                // Apple's platforms have CryptoKit.
                .target(name: "CNettle", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomSwiftMetrics",
            dependencies: [
                "AxiomBase", "AxiomMetrics",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomInstrumentation",
            dependencies: ["Axiom", "AxiomBase", "AxiomMetrics", "AxiomProfile", "AxiomResilience"],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomDashboard",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomProfile", "AxiomResilience",
                "CZlib",
            ],
            swiftSettings: settings
        ),
        .target(name: "AxiomHTTP", dependencies: ["AxiomBase", "CMicrohttpd"], swiftSettings: settings),
        .target(
            name: "AxiomMetricsExporter",
            dependencies: [
                "AxiomBase", "AxiomHTTP", "AxiomMetrics", "CZlib", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomExporter",
            dependencies: [
                "AxiomBase", "AxiomDashboard", "AxiomHTTP", "AxiomInstrumentation", "AxiomMetrics",
                "AxiomMetricsExporter",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "ShopLoad",
            dependencies: ["Axiom", "AxiomBase", "AxiomHTTP"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "axiom-demo",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomExporter", "AxiomHTTP", "AxiomInstrumentation",
                "AxiomMetrics", "AxiomProfile", "AxiomResilience", "ShopLoad",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "axiom-dashboard",
            dependencies: [
                "AxiomBase", "AxiomDashboard", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .target(name: "CAxiomProcess"),
        .target(name: "CAxiomCounters", dependencies: ["CAxiomProcess"]),
        .target(
            name: "AxiomBenchmarking",
            dependencies: [
                "AxiomBase", "AxiomProfile", "CAxiomProcess",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "axiom-bench",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomBenchmarking", "AxiomExporter", "AxiomHTTP", "AxiomInstrumentation",
                "AxiomMetrics", "AxiomProfile", "AxiomResilience", "AxiomSwiftMetrics", "CAxiomCounters",
                "CAxiomSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            path: "Benchmarks/axiom-bench",
            swiftSettings: settings
        ),
        .target(
            name: "AxiomTestSupport",
            dependencies: ["AxiomBase"],
            path: "Tests/AxiomTestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomBaseTests",
            dependencies: ["AxiomBase", "AxiomTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomResilienceTests",
            dependencies: ["AxiomBase", "AxiomResilience", "AxiomTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomTests",
            dependencies: ["Axiom", "AxiomBase", "AxiomResilience", "AxiomTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomHTTPTests",
            dependencies: ["AxiomBase", "AxiomHTTP"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomSwiftMetricsTests",
            dependencies: [
                "AxiomBase", "AxiomMetrics", "AxiomSwiftMetrics", "AxiomTestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomSampleApp",
            dependencies: ["Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics"],
            path: "Tests/AxiomSampleApp",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomInstrumentationTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomProfile", "AxiomResilience",
                "AxiomSampleApp", "AxiomTestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomDashboardTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomInstrumentation", "AxiomMetrics", "AxiomResilience",
                "AxiomTestSupport",
            ],
            exclude: ["Recordings"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomExporterTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomExporter", "AxiomHTTP", "AxiomInstrumentation",
                "AxiomMetrics", "AxiomMetricsExporter", "AxiomSampleApp", "AxiomTestSupport", "exporter-attack",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "exporter-attack",
            dependencies: ["AxiomExporter", "AxiomHTTP", "AxiomMetrics", "CMicrohttpd"],
            path: "Tests/ExporterAttack",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomDemoTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomHTTP", "AxiomInstrumentation", "AxiomMetrics",
                "AxiomProfile", "AxiomResilience", "ShopLoad", "axiom-demo",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["AxiomTestSupport", "axiom-dashboard", "axiom-demo"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExpositionTests",
            dependencies: ["AxiomBase", "AxiomExporter", "AxiomHTTP", "AxiomMetrics", "AxiomTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomMetricsTests",
            dependencies: ["AxiomBase", "AxiomMetrics", "AxiomTestSupport"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "sample-benchmarks",
            dependencies: ["AxiomBenchmarking", "CAxiomCounters"],
            path: "Tests/SampleBenchmarks",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomBenchmarkingTests",
            dependencies: [
                "AxiomBase", "AxiomBenchmarking", "AxiomProfile", "AxiomTestSupport", "sample-benchmarks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "profile-writer",
            dependencies: ["AxiomProfile"],
            path: "Tests/ProfileWriter",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomProfileTests",
            dependencies: ["AxiomBase", "AxiomProfile", "AxiomTestSupport", "profile-writer"],
            exclude: ["Reference"],
            swiftSettings: settings
        ),
    ]
)
