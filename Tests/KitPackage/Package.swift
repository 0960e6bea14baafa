// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own: an application that is tested with the public testing kit, and with nothing else of Axiom's tests.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "Notes",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Axiom", path: "../.."),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .target(
            name: "Notes",
            dependencies: [
                .product(name: "Axiom", package: "Axiom"), .product(name: "AxiomNavigation", package: "Axiom"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NotesTests",
            dependencies: [
                "Notes", .product(name: "AxiomTesting", package: "Axiom"),
                .product(name: "AxiomInstrumentation", package: "Axiom"),
                .product(name: "AxiomTracing", package: "Axiom"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings
        ),
    ]
)
