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
        .library(name: "Axiom", targets: ["Axiom"]),
        .library(name: "AxiomMetrics", targets: ["AxiomMetrics"]),
        .library(name: "AxiomHTTP", targets: ["AxiomHTTP"]),
    ],
    traits: [
        .trait(
            name: "Instrumented",
            description: "Reports every client, context and lifecycle phase to the orchestrator's instrumentation."
        ),
        .default(enabledTraits: ["Instrumented"]),
    ],
    targets: [
        .systemLibrary(
            name: "CMicrohttpd",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]
        ),
        .target(name: "AxiomBase", swiftSettings: settings),
        .target(name: "Axiom", dependencies: ["AxiomBase"], swiftSettings: settings),
        .target(name: "AxiomMetrics", dependencies: ["AxiomBase"], swiftSettings: settings),
        .target(name: "AxiomHTTP", dependencies: ["AxiomBase", "CMicrohttpd"], swiftSettings: settings),
        .target(name: "AxiomTestSupport", path: "Tests/AxiomTestSupport", swiftSettings: settings),
        .testTarget(name: "AxiomBaseTests", dependencies: ["AxiomBase"], swiftSettings: settings),
        .testTarget(
            name: "AxiomTests",
            dependencies: ["Axiom", "AxiomBase", "AxiomTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomHTTPTests",
            dependencies: ["AxiomBase", "AxiomHTTP"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomMetricsTests",
            dependencies: ["AxiomBase", "AxiomMetrics", "AxiomTestSupport"],
            swiftSettings: settings
        ),
    ]
)
