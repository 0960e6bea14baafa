// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own: a service that wants a counter, and takes as little of Axiom as it needs.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "Visits",
    platforms: [.macOS(.v15)],
    dependencies: [
        // No trait: no package but these two and swift-collections is resolved.
        .package(name: "Axiom", path: "../..", traits: []),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "Visits",
            dependencies: [
                .product(name: "AxiomHTTP", package: "Axiom"),
                .product(name: "AxiomMetrics", package: "Axiom"),
                .product(name: "AxiomMetricsExporter", package: "Axiom"),
                .product(name: "AxiomSwiftMetrics", package: "Axiom"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "VisitsTests", dependencies: ["Visits"], swiftSettings: settings),
    ]
)
