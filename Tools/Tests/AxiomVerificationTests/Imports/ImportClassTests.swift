// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

@Suite("Classes of imports", .timeLimit(.minutes(10)))
struct ImportClassTests {
    private static let package = PackageModules(
        name: "Shop",
        project: ["Shop", "CShop"],
        dependencies: [
            .init(name: "anything", modules: ["Axiom", "AxiomBase", "AxiomUI"]),
            .init(name: "swift-log", modules: ["Logging"]),
        ],
        products: ["DequeModule", "AxiomTesting"]
    )

    private func classify(_ module: String, _ configured: [String: ImportClass] = [:]) -> ImportClass {
        let classifier = ImportClassifier(toolchain: ToolchainModules(folder: nil), configured: configured)
        return classifier.classify(module, in: Self.package).importClass
    }

    @Test(
        "A module has the class of what declares it (TL-V7)",
        arguments: [
            ("Shop", ImportClass.project), ("CShop", .project), ("Axiom", .framework), ("AxiomUI", .framework),
            ("AxiomTesting", .framework), ("Logging", .package), ("DequeModule", .package), ("Darwin", .system),
            ("Foundation", .system), ("Sho", .unknown), ("Nowhere", .unknown),
        ]
    )
    func classes(module: String, expected: ImportClass) {
        #expect(classify(module) == expected)
    }

    @Test("The configuration has the last word (TL-V7)")
    func configured() {
        #expect(classify("Nowhere", ["Nowhere": .package]) == .package)
        #expect(classify("Shop", ["Shop": .unknown]) == .unknown)
    }

    @Test("The modules of the toolchain in use are found in its folders (TL-V7)")
    func toolchain() {
        let toolchain = ToolchainModules()
        let expected: Set = [
            "Swift", "Foundation", "Testing", "XCTest", "Dispatch", "Synchronization", "PackageDescription",
            "PackagePlugin",
            "_Concurrency", "CoreFoundation",
        ]
        #expect(toolchain.folder != nil)
        #expect(expected.subtracting(toolchain.modules) == [])
        #expect(!toolchain.modules.contains("Axiom"))
    }

    @Test("The frameworks and module maps of an SDK are found (TL-V7)")
    func sdk() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "sdk-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        for folder in ["System/Library/Frameworks/UIKit.framework", "usr/lib/swift/os.swiftmodule", "usr/include"] {
            let url = root.appending(path: folder)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        try Data("module Zip { }".utf8).write(to: root.appending(path: "usr/include/module.modulemap"))
        #expect(ToolchainModules(folder: nil, sdk: root).modules == ["UIKit", "os", "Zip"])
    }

    @Test("A module map names its modules at the top level (TL-V7)")
    func moduleMap() {
        let map = """
            // module A {}
            module B [system] { header "b.h" explicit module Inner { export * } }
            framework module C.D { /* module E {} */ }
            extern module F "f.modulemap"
            explicit module "G" { }
            """
        #expect(ClangModuleMap.modules(in: Data(map.utf8)) == ["B", "C", "G"])
    }

    @Test("The modules of a manifest are read from its text (TL-V7)")
    func manifest() {
        let manifest = """
            let package = Package(name: "A", targets: [
                .target(name: "A-B", dependencies: [.product(name: "P", package: "p"), .target(name: "C")]),
                Target.macro(name: "M"), .systemLibrary(name: "CZip"), .target(name: "X\\(1)"),
            ])
            """
        #expect(ManifestModules.modules(in: Array(manifest.utf8)) == ["A_B", "C", "M", "CZip"])
    }

    @Test("Products that a manifest names by a function of its own are read, too")
    func helpers() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let manifest = """
            func product(_ name: String, of package: String) -> Target.Dependency { .product(name: name, package: package) }
            let package = Package(name: "A", targets: [
                .target(name: "A", dependencies: [product("Yams", of: "Yams"), .product(name: "Logging", package: "swift-log")])
            ])
            """
        try Data(manifest.utf8).write(to: folder.appending(path: "Package.swift"))
        #expect(ManifestModules.products(in: folder) == ["Yams", "Logging"])
    }

    @Test("The list of the framework's modules is that of the package's libraries (TL-V7)")
    func frameworks() throws {
        let package = try DescribedPackage.describe(Repository.root)
        let others = ["AxiomAllocationCounter", "AxiomMacroPlugin", "AxiomTestSupport"]
        let libraries = package.products.map(\.name).filter { $0.hasPrefix("Axiom") && !others.contains($0) }
        #expect(Set(libraries) == PackageModules.frameworks)
    }
}

/// The imports of whole projects.
@Suite("Imports of projects", .timeLimit(.minutes(10)))
struct ImportScanTests {
    /// The packages of this build, which has swift-syntax, are beside its products.
    private func scan(_ folder: URL) throws -> ImportScan.Result {
        let build = try BuildFolder().url.deletingLastPathComponent().deletingLastPathComponent()
        return ImportScan(
            root: folder,
            checkouts: [OtherPackages.folder, build.appending(path: "checkouts")],
            classifier: ImportClassifier(toolchain: ToolchainModules())
        ).run()
    }

    @Test("All imports of Axiom and its nested packages are classified (TL-V7)")
    func axiom() throws {
        let result = try scan(Repository.root)
        let report = ImportReport(result)
        #expect(report.unknown.map(\.statement.module) == [])
        #expect(result.problems == [])
        #expect(result.packages.count >= 4 && result.imports.count > 3_000)
        #expect(report.exitCode(isStrict: true) == 0)
        let nested = result.imports.filter { $0.statement.span.path.hasPrefix("Tests/KitPackage/") }
        #expect(nested.contains { $0.statement.module == "Axiom" && $0.importClass == .framework })
    }

    @Test(
        "All imports of other packages are classified (TL-V7)",
        .enabled(if: OtherPackages.areExpected, "Run: \(OtherPackages.command)"),
        arguments: OtherPackages.names
    )
    func others(name: String) throws {
        let report = ImportReport(try scan(OtherPackages.folder.appending(path: name)))
        #expect(report.unknown.map { "\($0.statement.span.path) \($0.statement.module)" } == [])
        #expect(report.exitCode(isStrict: true) == 0)
        #expect(report.count(.project) > 0 && report.count(.system) > 0)
    }

    @Test("An unknown module has its place in the report, and the code 1 with --strict (TL-V7)")
    func unknown() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "imports-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        try Data("import Foundation\n\npublic import Nowhere\n".utf8).write(to: root.appending(path: "A.swift"))
        let report = ImportReport(try scan(root))
        #expect(report.text.contains("A.swift:3:1: unknown module Nowhere\n"))
        #expect(report.text.hasSuffix("1 of 2 imports are classified (50.0 %), in 1 files and 0 packages.\n"))
        #expect(report.exitCode(isStrict: true) == 1 && report.exitCode(isStrict: false) == 0)
        let json = try JSONSerialization.jsonObject(with: Data(try report.json().utf8)) as? [String: Any]
        #expect(json?["schemaVersion"] as? Int == 1)
        #expect((json?["counts"] as? [String: Int])?["unknown"] == 1)
    }
}
