// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, because it takes minutes to build: Axiom under a web framework that records through
// swift-metrics.
let package = Package(
    name: "AxiomUnderHummingbird",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Axiom", path: "../.."),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    ],
    targets: [
        .testTarget(
            name: "HummingbirdTests",
            dependencies: [
                .product(name: "Axiom", package: "Axiom"),
                .product(name: "AxiomInstrumentation", package: "Axiom"),
                .product(name: "AxiomMetrics", package: "Axiom"),
                .product(name: "AxiomSwiftMetrics", package: "Axiom"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]
        )
    ]
)
