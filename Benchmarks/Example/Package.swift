// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of a user: a library, and an executable that measures it. That executable is the whole tool:
//     swift run -c release greeting-benchmarks --baseline main
let package = Package(
    name: "Greeting",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own: .package(url: "https://…/Axiom", from: "…")
        .package(name: "Axiom", path: Context.environment["AXIOM_PATH"] ?? "../..")
    ],
    targets: [
        .target(name: "Greeting"),
        .executableTarget(
            name: "greeting-benchmarks",
            dependencies: [
                "Greeting", .product(name: "AxiomBenchmarking", package: "Axiom"),
                // Counts allocations; without it, benchmarks have times only. It replaces malloc in this executable.
                .product(name: "AxiomAllocationCounter", package: "Axiom"),
            ],
            path: "Benchmarks"
        ),
    ]
)
