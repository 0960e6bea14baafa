// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import CompilerPluginSupport
import PackageDescription

/// What every Swift target is built with; in CI a warning is an error.
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// A product of a package that only some users need. The condition keeps the package from being resolved while the trait is off,
/// so every use of the package needs it.
func product(_ name: String, of package: String, with trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

/// What the demo uses, and the copy of it that counts.
let demoDependencies: [Target.Dependency] = [
    "Axiom", "AxiomBase", "AxiomConfiguration", "AxiomDashboard", "AxiomExporter", "AxiomHTTP", "AxiomInstrumentation",
    "AxiomLogging", "AxiomMetrics", "AxiomNavigation", "AxiomStatistics", "AxiomPush", "AxiomResilience",
    "AxiomProfiler", "AxiomStorage",
    "AxiomSystem", "AxiomTracePush", "AxiomUI", "AxiomWebConfiguration",
    product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
    .product(name: "Logging", package: "swift-log"),
    product("ServiceLifecycle", of: "swift-service-lifecycle", with: "Services"),
    product("UnixSignals", of: "swift-service-lifecycle", with: "Services"),
]

let package = Package(
    name: "Axiom",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11)],
    products: [
        .library(name: "AxiomBase", targets: ["AxiomBase"]),
        .library(name: "AxiomResilience", targets: ["AxiomResilience"]),
        .library(name: "Axiom", targets: ["Axiom"]),
        .library(name: "AxiomNavigation", targets: ["AxiomNavigation"]),
        .library(name: "AxiomStorage", targets: ["AxiomStorage"]),
        .library(name: "AxiomUI", targets: ["AxiomUI"]),
        .library(name: "AxiomSystem", targets: ["AxiomSystem"]),
        .library(name: "AxiomMetrics", targets: ["AxiomMetrics"]),
        .library(name: "AxiomStatistics", targets: ["AxiomStatistics"]),
        .library(name: "AxiomSwiftMetrics", targets: ["AxiomSwiftMetrics"]),
        .library(name: "AxiomInstrumentation", targets: ["AxiomInstrumentation"]),
        .library(name: "AxiomProfiler", targets: ["AxiomProfiler"]),
        // Replaces malloc in the program that links it, so that AxiomProfiler can sample allocations.
        .library(name: "AxiomAllocationSampler", targets: ["CAxiomHeap"]),
        .library(name: "AxiomTracing", targets: ["AxiomTracing"]),
        .library(name: "AxiomLogging", targets: ["AxiomLogging"]),
        .library(name: "AxiomConfiguration", targets: ["AxiomConfiguration"]),
        .library(name: "AxiomHTTP", targets: ["AxiomHTTP"]),
        .library(name: "AxiomTLS", targets: ["AxiomTLS"]),
        .library(name: "AxiomMetricsExporter", targets: ["AxiomMetricsExporter"]),
        .library(name: "AxiomWebConfiguration", targets: ["AxiomWebConfiguration"]),
        .library(name: "AxiomExporter", targets: ["AxiomExporter"]),
        .library(name: "AxiomPush", targets: ["AxiomPush"]),
        .library(name: "AxiomTracePush", targets: ["AxiomTracePush"]),
        .library(name: "AxiomOpenTelemetry", targets: ["AxiomOpenTelemetry"]),
        .library(name: "AxiomBenchmarking", targets: ["AxiomBenchmarking"]),
        // For test targets only: it imports Testing.
        .library(name: "AxiomTesting", targets: ["AxiomTesting"]),
        // Replaces malloc in the program that links it. For executables of benchmarks only; no other product has it.
        .library(name: "AxiomAllocationCounter", targets: ["CAxiomCounters"]),
        .executable(name: "axiom-demo", targets: ["axiom-demo"]),
        .executable(name: "axiom-dashboard", targets: ["axiom-dashboard"]),
        .executable(name: "axiom-bench", targets: ["axiom-bench"]),
        // Names of versions before 1.0. Empty without the trait Compatibility.
        .library(name: "AxiomCompatibility", targets: ["AxiomCompatibility"]),
        // For the tests of this repository only, of which some are in the package Tools.
        .library(name: "AxiomTestSupport", targets: ["AxiomTestSupport"]),
        // `swift package verify-architecture` runs axiom-verify; the other plug-in runs it on each build.
        .plugin(name: "VerifyArchitecture", targets: ["VerifyArchitecture"]),
        .plugin(name: "VerifyOnBuild", targets: ["VerifyOnBuild"]),
        // Its macros need the trait Macros.
        .library(name: "AxiomMacros", targets: ["AxiomMacros"]),
    ],
    traits: [
        .trait(
            name: "Instrumented",
            description: "Reports every client, context and lifecycle phase to the orchestrator's instrumentation."
        ),
        .trait(
            name: "Compatibility",
            description: "Fills AxiomCompatibility: deprecated names of versions before 1.0."
        ),
        .trait(name: "Macros", description: "Builds the macros of AxiomMacros, and swift-syntax for them."),
        // No source has a condition with these: a package that leaves one out builds none of the modules that need it.
        .trait(name: "Commands", description: "Brings swift-argument-parser, for AxiomBenchmarking and the programs."),
        .trait(
            name: "Configuration",
            description: "Brings swift-configuration and Yams, for AxiomConfiguration and AxiomWebConfiguration."
        ),
        .trait(name: "Services", description: "Brings swift-service-lifecycle, for AxiomExporter and AxiomPush."),
        .trait(name: "Tracing", description: "Brings swift-distributed-tracing, for AxiomTracing."),
        .default(enabledTraits: ["Instrumented", "Commands", "Configuration", "Services", "Tracing"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // For AxiomBase, AxiomInstrumentation, AxiomStorage, tests and benchmarks; swift-service-lifecycle depends on it too.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(
            url: "https://github.com/apple/swift-configuration",
            from: "1.4.0",
            traits: ["JSON", "YAML", "CommandLineArguments"]
        ),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // For AxiomWebConfiguration and AxiomConfiguration only; swift-configuration depends on it too.
        .package(url: "https://github.com/jpsim/Yams", "6.2.2"..<"7.0.0"),
        // With the trait Macros only.
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"605.0.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CMicrohttpd",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]
        ),
        // libmicrohttpd-dev has it too.
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        // Of the C library's own development package.
        .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // It has no file for pkg-config.
        .systemLibrary(name: "CSnappy", providers: [.apt(["libsnappy-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CAxiomSupport"),
        .target(
            name: "AxiomBase",
            dependencies: ["CAxiomSupport", .product(name: "HeapModule", package: "swift-collections")],
            swiftSettings: settings
        ),
        .target(name: "AxiomResilience", dependencies: ["AxiomBase"], swiftSettings: settings),
        .target(
            name: "Axiom",
            dependencies: ["AxiomBase", "AxiomResilience", "CAxiomSupport"],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomNavigation",
            dependencies: ["Axiom", "AxiomBase", "AxiomResilience"],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomStorage",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomResilience", "CSQLite",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomUI",
            dependencies: ["Axiom", "AxiomBase", "AxiomNavigation"],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomSystem",
            dependencies: ["Axiom", "AxiomBase", "CAxiomSupport"],
            swiftSettings: settings
        ),
        .target(name: "AxiomMetrics", dependencies: ["AxiomBase", "CAxiomSupport"], swiftSettings: settings),
        .target(
            name: "AxiomStatistics",
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
            dependencies: [
                "Axiom", "AxiomBase", "AxiomMetrics", "AxiomStatistics", "AxiomResilience",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .target(name: "CAxiomProfiler"),
        .target(
            name: "CAxiomHeap",
            dependencies: ["CAxiomProfiler"],
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]
        ),
        .target(
            name: "AxiomSymbols",
            dependencies: ["AxiomBase", "CAxiomProfiler"],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomProfiler",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomSymbols", "CAxiomProfiler",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomTracing",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation",
                product("Tracing", of: "swift-distributed-tracing", with: "Tracing"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomLogging",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomConfiguration",
            dependencies: [
                "Axiom", "AxiomBase", product("Configuration", of: "swift-configuration", with: "Configuration"),
                product("Yams", of: "Yams", with: "Configuration"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomDashboard",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomStatistics", "AxiomResilience",
                "CZlib",
            ],
            swiftSettings: settings
        ),
        .target(name: "AxiomHTTP", dependencies: ["AxiomBase", "CMicrohttpd"], swiftSettings: settings),
        .target(
            name: "AxiomTLS",
            dependencies: ["AxiomBase", "AxiomHTTP", "CCrypt", "CGnuTLS"],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomMetricsExporter",
            dependencies: [
                "AxiomBase", "AxiomHTTP", "AxiomMetrics", "CZlib", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomWebConfiguration",
            dependencies: ["AxiomBase", "AxiomHTTP", "AxiomTLS", product("Yams", of: "Yams", with: "Configuration")],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomExporter",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomHTTP", "AxiomInstrumentation", "AxiomMetrics",
                "AxiomMetricsExporter", .product(name: "Logging", package: "swift-log"),
                product("ServiceLifecycle", of: "swift-service-lifecycle", with: "Services"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomPush",
            dependencies: [
                "AxiomBase", "AxiomMetrics", "AxiomResilience", "CCurl", "CSnappy", "CZlib",
                .product(name: "Logging", package: "swift-log"),
                product("ServiceLifecycle", of: "swift-service-lifecycle", with: "Services"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomTracePush",
            dependencies: ["Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomPush"],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomOpenTelemetry",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomLogging", "AxiomMetrics", "AxiomPush",
                "AxiomSwiftMetrics", "AxiomTracePush",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                product("ServiceLifecycle", of: "swift-service-lifecycle", with: "Services"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomTesting",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomNavigation", "AxiomResilience",
            ],
            swiftSettings: settings
        ),
        .executableTarget(name: "axiom-demo", dependencies: demoDependencies, swiftSettings: settings),
        .executableTarget(
            name: "axiom-dashboard",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomInstrumentation", "AxiomProfiler",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            swiftSettings: settings
        ),
        .macro(
            name: "AxiomMacroPlugin",
            dependencies: [
                product("SwiftCompilerPlugin", of: "swift-syntax", with: "Macros"),
                product("SwiftDiagnostics", of: "swift-syntax", with: "Macros"),
                product("SwiftSyntax", of: "swift-syntax", with: "Macros"),
                product("SwiftSyntaxBuilder", of: "swift-syntax", with: "Macros"),
                product("SwiftSyntaxMacros", of: "swift-syntax", with: "Macros"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomMacros",
            dependencies: ["Axiom", "AxiomNavigation", "AxiomMacroPlugin"],
            swiftSettings: settings
        ),
        .target(name: "AxiomCompatibility", dependencies: ["Axiom"], swiftSettings: settings),
        // Both look for the program axiom-verify, which the package Tools builds.
        .plugin(
            name: "VerifyArchitecture",
            capability: .command(
                intent: .custom(
                    verb: "verify-architecture",
                    description: "Checks the architecture of a package that uses Axiom."
                ),
                permissions: [
                    .writeToPackageDirectory(
                        reason: "--fix changes source files, freeze and mended findings change the baseline."
                    )
                ]
            )
        ),
        .plugin(name: "VerifyOnBuild", capability: .buildTool()),
        .target(name: "CAxiomProcess"),
        .target(name: "CAxiomCounters", dependencies: ["CAxiomProcess"]),
        .target(
            name: "AxiomBenchmarking",
            dependencies: [
                "AxiomBase", "AxiomStatistics", "AxiomSymbols", "CAxiomProcess", "CAxiomProfiler",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            swiftSettings: settings
        ),
        // Requests for caches, and the policies that AxiomStorage was compared with. For benchmarks and tests only.
        .target(
            name: "CacheTraces",
            dependencies: ["AxiomBase", "AxiomStorage"],
            path: "Benchmarks/CacheTraces",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "axiom-bench",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomBenchmarking", "AxiomDashboard", "AxiomExporter", "AxiomHTTP",
                "AxiomInstrumentation", "AxiomMetrics", "AxiomNavigation", "AxiomProfiler", "AxiomStatistics",
                "AxiomPush",
                "AxiomResilience", "AxiomStorage", "AxiomSwiftMetrics", "CAxiomCounters", "CAxiomSupport", "CSnappy",
                "CacheTraces",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ],
            path: "Benchmarks/axiom-bench",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "action-cost",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomBenchmarking", "AxiomInstrumentation",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            path: "Benchmarks/action-cost",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "action-counts",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomResilience",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            path: "Benchmarks/action-counts",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "bisect-score",
            dependencies: [
                "AxiomBase", "AxiomBenchmarking", "AxiomStatistics",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            path: "Benchmarks/bisect",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "diagnosis-score",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomInstrumentation",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            path: "Benchmarks/diagnosis",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "history-score",
            dependencies: [
                "AxiomBase", "AxiomBenchmarking", "AxiomStatistics",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            path: "Benchmarks/history",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "request-rates",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            path: "Benchmarks/request-rates",
            swiftSettings: settings
        ),
        .target(
            name: "AxiomTestSupport",
            dependencies: ["Axiom", "AxiomBase"],
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
            dependencies: [
                "Axiom", "AxiomBase", "AxiomResilience", "AxiomTestSupport", "AxiomTesting",
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomProfilerTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomInstrumentation", "AxiomMetrics", "AxiomProfiler",
                "AxiomStatistics", "AxiomSymbols", "AxiomTestSupport", "CAxiomProfiler", "CPlantedCode",
                "profiler-probe",
            ],
            swiftSettings: settings
        ),
        // What a test process must not do itself: fork, overflow its stack, replace malloc.
        .executableTarget(
            name: "profiler-probe",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomProfiler", "CAxiomHeap", "CAxiomProfiler",
                "CPlantedCode",
            ],
            path: "Tests/ProfilerProbe",
            swiftSettings: settings
        ),
        // Functions in C that burn the processor, for profile-score and tests.
        .target(name: "CPlantedCode", path: "Benchmarks/profile-code"),
        .executableTarget(
            name: "profile-score",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomProfiler", "CAxiomHeap",
                "CPlantedCode", product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            path: "Benchmarks/profile",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "functions-score",
            dependencies: [
                "AxiomBase", "AxiomBenchmarking", "AxiomStatistics", "CPlantedCode",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            path: "Benchmarks/functions",
            swiftSettings: settings
        ),
        // Compiles the Swift code of the pages, which use every library.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomBenchmarking", "AxiomConfiguration", "AxiomExporter", "AxiomHTTP",
                "AxiomInstrumentation", "AxiomLogging", "AxiomMetrics", "AxiomMetricsExporter", "AxiomNavigation",
                "AxiomOpenTelemetry", "AxiomProfiler", "AxiomStatistics", "AxiomPush", "AxiomResilience",
                "AxiomStorage",
                "AxiomSwiftMetrics", "AxiomSystem", "AxiomTLS", "AxiomTestSupport", "AxiomTesting", "AxiomTracePush",
                "AxiomTracing", "AxiomUI", "AxiomWebConfiguration", .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "system-probe",
            dependencies: ["Axiom", "AxiomSystem"],
            path: "Tests/SystemProbe",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "restoration-probe",
            dependencies: ["Axiom", "AxiomNavigation", "AxiomStorage"],
            path: "Tests/RestorationProbe",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomNavigationTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomNavigation", "AxiomResilience", "AxiomStorage", "AxiomTestSupport",
                "AxiomTesting", "restoration-probe",
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "storage-probe",
            dependencies: ["Axiom", "AxiomBase", "AxiomStorage"],
            path: "Tests/StorageProbe",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomStorageTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomResilience", "AxiomStorage", "AxiomTestSupport", "CacheTraces",
                "storage-probe",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomUITests",
            dependencies: ["Axiom", "AxiomBase", "AxiomNavigation", "AxiomTestSupport", "AxiomTesting", "AxiomUI"],
            exclude: ["Text/Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomSystemTests",
            dependencies: ["Axiom", "AxiomBase", "AxiomSystem", "AxiomTestSupport", "system-probe"],
            exclude: ["Trees"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomHTTPTests",
            dependencies: ["AxiomBase", "AxiomHTTP", "AxiomTLS", "AxiomTestSupport", "CGnuTLS"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomWebConfigurationTests",
            dependencies: ["AxiomBase", "AxiomHTTP", "AxiomTLS", "AxiomTestSupport", "AxiomWebConfiguration"],
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
            dependencies: ["Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomResilience"],
            path: "Tests/AxiomSampleApp",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomInstrumentationTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomStatistics", "AxiomResilience",
                "AxiomSampleApp", "AxiomTestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomTestingTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomNavigation", "AxiomResilience",
                "AxiomSampleApp", "AxiomTestSupport", "AxiomTesting",
            ],
            exclude: ["Telemetry/Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomTracingTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomLogging", "AxiomResilience", "AxiomTestSupport",
                "AxiomTracing",
                .product(name: "InMemoryLogging", package: "swift-log"),
                product("InMemoryTracing", of: "swift-distributed-tracing", with: "Tracing"),
                .product(name: "Logging", package: "swift-log"),
                product("Tracing", of: "swift-distributed-tracing", with: "Tracing"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomConfigurationTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomConfiguration", "AxiomTestSupport",
                product("Configuration", of: "swift-configuration", with: "Configuration"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomDashboardTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomInstrumentation", "AxiomMetrics", "AxiomResilience",
                "AxiomSampleApp", "AxiomStatistics", "AxiomTestSupport",
            ],
            exclude: ["Recordings"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomExporterTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomExporter", "AxiomHTTP", "AxiomInstrumentation",
                "AxiomMetrics", "AxiomMetricsExporter", "AxiomSampleApp", "AxiomTLS", "AxiomTestSupport",
                "exporter-attack",
                .product(name: "Logging", package: "swift-log"),
                product("ServiceLifecycle", of: "swift-service-lifecycle", with: "Services"),
                product("ServiceLifecycleTestKit", of: "swift-service-lifecycle", with: "Services"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomPushTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomInstrumentation", "AxiomMetrics", "AxiomPush", "AxiomResilience",
                "AxiomSampleApp", "AxiomTestSupport", "AxiomTracePush",
                product("ServiceLifecycle", of: "swift-service-lifecycle", with: "Services"),
                product("ServiceLifecycleTestKit", of: "swift-service-lifecycle", with: "Services"),
            ],
            exclude: ["Support/receiver.py"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "otel-service",
            dependencies: [
                "AxiomInstrumentation", "AxiomOpenTelemetry",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                product("ServiceLifecycle", of: "swift-service-lifecycle", with: "Services"),
                product("UnixSignals", of: "swift-service-lifecycle", with: "Services"),
            ],
            path: "Tests/OpenTelemetryService",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomOpenTelemetryTests",
            dependencies: [
                "AxiomBase", "AxiomInstrumentation", "AxiomLogging", "AxiomMetrics", "AxiomOpenTelemetry", "AxiomPush",
                "AxiomTestSupport", "otel-service",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "exporter-attack",
            dependencies: [
                "AxiomExporter", "AxiomHTTP", "AxiomInstrumentation", "AxiomMetrics", "AxiomTLS", "CGnuTLS",
                "CMicrohttpd",
            ],
            path: "Tests/ExporterAttack",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomDemoTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomDashboard", "AxiomHTTP", "AxiomInstrumentation", "AxiomMetrics",
                "AxiomNavigation", "AxiomStatistics", "AxiomResilience", "AxiomStorage", "AxiomSystem",
                "AxiomTestSupport",
                "AxiomTesting", "axiom-demo", "shop-oracle",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
                .product(name: "Logging", package: "swift-log"),
                product("ServiceLifecycle", of: "swift-service-lifecycle", with: "Services"),
            ],
            swiftSettings: settings
        ),
        // The demo with a ledger: `Demo` is a link to its sources, of which the ones that are left out have others here.
        .executableTarget(
            name: "shop-oracle",
            dependencies: demoDependencies,
            path: "Tests/ShopOracle",
            exclude: ["Demo/Command/Main.swift", "Demo/Features/Forwarding.swift"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "planted-faults",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomExporter", "AxiomHTTP", "AxiomInstrumentation", "AxiomResilience",
                "AxiomStatistics", "AxiomStorage",
            ],
            path: "Tests/PlantedFaults",
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Axiom", "AxiomStorage", "AxiomTestSupport", "action-counts", "axiom-dashboard", "axiom-demo",
                "bisect-score", "diagnosis-score", "planted-faults", "profile-score", "request-rates", "shop-oracle",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExpositionTests",
            dependencies: [
                "Axiom", "AxiomBase", "AxiomExporter", "AxiomHTTP", "AxiomInstrumentation", "AxiomMetrics",
                "AxiomMetricsExporter", "AxiomSampleApp", "AxiomTestSupport", "AxiomWebConfiguration",
                "axiom-dashboard",
            ],
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
                "AxiomBase", "AxiomBenchmarking", "AxiomStatistics", "AxiomTestSupport", "functions-score",
                "history-score",
                "sample-benchmarks",
                product("ArgumentParser", of: "swift-argument-parser", with: "Commands"),
            ],
            // A program that a test compiles with optimisation.
            exclude: ["SinkClient.swift"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "profile-writer",
            dependencies: ["AxiomStatistics"],
            path: "Tests/ProfileWriter",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomStatisticsTests",
            dependencies: ["AxiomBase", "AxiomStatistics", "AxiomTestSupport", "profile-writer"],
            exclude: ["Reference"],
            swiftSettings: settings
        ),
    ]
)

// Scripts/fuzz builds these sources with libFuzzer instead of as tests. No other build has the program.
let fuzzed: [Target.Dependency] = [
    "Axiom", "AxiomBase", "AxiomConfiguration", "AxiomDashboard", "AxiomHTTP", "AxiomMetrics", "AxiomMetricsExporter",
    "AxiomNavigation", "AxiomStatistics", "AxiomStorage",
]
package.targets.append(.target(name: "CFuzzSteps", path: "Tests/FuzzTests/Steps"))
if Context.environment["AXIOM_FUZZ"] == nil {
    package.targets.append(
        .testTarget(
            name: "FuzzTests",
            dependencies: fuzzed + ["AxiomTestSupport"],
            exclude: ["Corpus", "Driver", "Steps", "evidence.txt"],
            swiftSettings: settings
        )
    )
} else {
    package.targets.append(
        .executableTarget(
            name: "axiom-fuzz",
            dependencies: fuzzed + ["CFuzzSteps"],
            path: "Tests/FuzzTests",
            exclude: ["Corpus", "Replay", "Steps", "evidence.txt"],
            sources: ["Driver", "Targets"],
            swiftSettings: settings
        )
    )
}

// A build with fewer tests, such as that of `Scripts/test AxiomMetrics`: AXIOM_TESTS=AxiomMetricsTests,FuzzTests leaves the
// other targets with tests out. `swift build --product AxiomPackageTests` builds what remains, and what it needs.
if let kept = Context.environment["AXIOM_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { $0.type == .test && !kept.contains($0.name) }
}
