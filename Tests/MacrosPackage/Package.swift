// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own: as soon as a test depends on a macro, SwiftPM builds the test and what it needs for the host, and
// everything for the destination again.
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

func axiom(_ name: String) -> Target.Dependency { .product(name: name, package: "Axiom") }
func syntax(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-syntax") }

let package = Package(
    name: "MacrosPackage",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Axiom", path: "../..", traits: [.defaults, "Macros"]),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"605.0.0"),
    ],
    targets: [
        .target(
            name: "Cart",
            dependencies: [axiom("AxiomMacros"), axiom("AxiomNavigation")],
            swiftSettings: settings
        ),
        .target(
            name: "HandwrittenCart",
            dependencies: [axiom("Axiom"), axiom("AxiomNavigation")],
            swiftSettings: settings
        ),
        .target(name: "Example", dependencies: [axiom("AxiomMacros")], swiftSettings: settings),
        // Compiles the files of the plug-in again, because a package cannot import the macros of another one.
        .testTarget(
            name: "ExpansionTests",
            dependencies: [
                syntax("SwiftBasicFormat"), syntax("SwiftDiagnostics"), syntax("SwiftParser"), syntax("SwiftSyntax"),
                syntax("SwiftSyntaxBuilder"), syntax("SwiftSyntaxMacroExpansion"), syntax("SwiftSyntaxMacros"),
                syntax("SwiftSyntaxMacrosGenericTestSupport"),
            ],
            exclude: ["Plugin/Plugin.swift"],
            swiftSettings: settings + [.define("Macros")]
        ),
        .testTarget(
            name: "TwinTests",
            dependencies: [
                "Cart", "HandwrittenCart", axiom("AxiomInstrumentation"), axiom("AxiomMetrics"), axiom("AxiomTesting"),
            ],
            swiftSettings: settings
        ),
    ]
)
