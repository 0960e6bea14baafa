// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// Applications that are written for versions of Axiom before 1.0, after the samples of the specification, and modules that
// stand in for these versions, for SwiftUI and for Combine. `swift run --package-path Tools/Tests/OldApps r3` runs one of them
// as it was. AxiomMigrationTests migrates copies of them, and runs them against Axiom.

import PackageDescription

let old: [SwiftSetting] = [.swiftLanguageMode(.v5)]

/// An application: its sources are migrated; `Before` starts it in the old version, `After` in 1.0.
func application(_ name: String, _ module: Target.Dependency) -> Target {
    .executableTarget(
        name: name,
        dependencies: [module, "SwiftUI", "Combine"],
        path: name,
        exclude: ["After"],
        swiftSettings: old
    )
}

let package = Package(
    name: "OldApps",
    targets: [
        .target(name: "Combine", path: "Combine", swiftSettings: old),
        .target(name: "SwiftUI", dependencies: ["Combine"], path: "SwiftUI", swiftSettings: old),
        .target(name: "AxiomR3", dependencies: ["Combine"], path: "AxiomR3", swiftSettings: old),
        .target(name: "AxiomR4", dependencies: ["Combine"], path: "AxiomR4", swiftSettings: old),
        .target(name: "AxiomDraft", dependencies: ["Combine"], path: "AxiomDraft", swiftSettings: old),
        application("r3", "AxiomR3"), application("r4", "AxiomR4"), application("draft", "AxiomDraft"),
    ]
)
