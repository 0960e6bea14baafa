// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// The programs that read and write Swift code: axiom-verify, axiom-migrate and axiom-new. A package of its own, so that users of
// Axiom neither resolve nor build what only these programs need. `Scripts/install-tools` builds and installs them.

import PackageDescription

/// What every Swift target is built with, as in the root; in CI a warning is an error.
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

func axiom(_ name: String) -> Target.Dependency { .product(name: name, package: "Axiom") }
func syntax(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-syntax") }
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "AxiomTools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "axiom-verify", targets: ["axiom-verify"]),
        .executable(name: "axiom-migrate", targets: ["axiom-migrate"]),
        .executable(name: "axiom-new", targets: ["axiom-new"]),
    ],
    dependencies: [
        // The traits of Tests/MacrosPackage, which is built in the same folder: no module of Axiom is compiled again for it.
        .package(name: "Axiom", path: "..", traits: [.defaults, "Macros"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"605.0.0"),
    ],
    targets: [
        .target(name: "AxiomSyntax", swiftSettings: settings),
        .target(
            name: "AxiomVerification",
            dependencies: [
                // Its patterns of links are those of the running application.
                axiom("Axiom"), axiom("AxiomBase"), axiom("AxiomNavigation"), "AxiomSyntax", syntax("SwiftParser"),
                syntax("SwiftSyntax"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "axiom-verify",
            dependencies: [axiom("AxiomBase"), "AxiomSyntax", "AxiomVerification", argumentParser],
            swiftSettings: settings
        ),
        .target(
            name: "AxiomMigration",
            dependencies: [axiom("AxiomBase"), "AxiomSyntax", syntax("SwiftParser"), syntax("SwiftSyntax")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "axiom-migrate",
            dependencies: [axiom("Axiom"), axiom("AxiomBase"), "AxiomMigration", "AxiomSyntax", argumentParser],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "axiom-new",
            dependencies: [axiom("Axiom"), axiom("AxiomBase"), argumentParser],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "axiom-verify-bench",
            dependencies: [
                "AxiomSyntax", "AxiomVerification", argumentParser, syntax("SwiftParser"), syntax("SwiftSyntax"),
            ],
            path: "Benchmarks/axiom-verify-bench",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomSyntaxTests",
            dependencies: ["AxiomSyntax", axiom("AxiomTestSupport")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomVerificationTests",
            dependencies: [
                axiom("Axiom"), axiom("AxiomBase"), "AxiomSyntax", axiom("AxiomTestSupport"), "AxiomVerification",
                "axiom-verify",
                // Its source is changed, and compiled again.
                axiom("axiom-demo"),
                syntax("SwiftParser"), syntax("SwiftSyntax"),
            ],
            exclude: ["Snapshots"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomMigrationTests",
            dependencies: [
                axiom("Axiom"), axiom("AxiomBase"), "AxiomMigration", "AxiomSyntax", axiom("AxiomTestSupport"),
                "axiom-migrate",
                // Migrated applications are linked with its modules.
                axiom("axiom-demo"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AxiomNewTests",
            dependencies: [axiom("AxiomNavigation"), axiom("AxiomTestSupport"), "axiom-new"],
            swiftSettings: settings
        ),
    ]
)

// A build with fewer tests, as in the root.
if let kept = Context.environment["AXIOM_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { $0.type == .test && !kept.contains($0.name) }
}
