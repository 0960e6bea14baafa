// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import Foundation
import Synchronization
import Testing

@testable import AxiomVerification

@Suite("Verdicts that the cache keeps for projects with layers")
struct KeptVerdictTests {
    private static let manifest = #"let package = Package(name: "Shop", targets: [.target(name: "Shop")])"#
    private static let checkout = ".build/checkouts/tea/Package.swift"
    private let counter = Counter()
    private let folder: SampleFolder

    /// How often a rule has judged.
    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    init() throws {
        folder = try SampleFolder(["Package.swift": Self.manifest, Self.checkout: "let package = 0"])
    }

    private static var settings: Configuration {
        var settings = Configuration()
        settings.layers = [
            .init(name: "Core", modules: ["Core"], mayImport: []),
            .init(name: "Screens", modules: ["Shop"], mayImport: ["Core"]),
        ]
        return settings
    }

    /// Judges the files. Returns the modules that were reported as unknown, and how many runs did not use the kept verdict.
    private func judge(_ settings: Configuration = Self.settings) -> (unknown: [String], judged: Int) {
        let counting = Rule(id: "counting", summary: "", rationale: "", severity: .error) { [counter] _, _ in
            counter.count.withLock { $0 += 1 }
        }
        let text = "import Foundation\nimport Mint\nimport Lemon\n"
        let run = ProjectRun(
            settings,
            catalogue: RuleCatalog.all.filter { $0.id == "import-direction" } + [counting],
            root: folder.root,
            cache: folder.path("cache")
        )
        let verdict = run.judge([SourceText(path: "Sources/Shop/A.swift", bytes: Array(text.utf8))])
        let unknown = verdict.findings.filter { $0.severity == .warning }.compactMap(\.identity)
        return (unknown, counter.count.withLock { $0 })
    }

    @Test("The last verdict is used while nothing changes")
    func unchanged() {
        #expect(judge() == (["Shop/Mint", "Shop/Lemon"], 1))
        #expect(judge() == (["Shop/Mint", "Shop/Lemon"], 1))
    }

    @Test("A change of a manifest makes a new verdict, and its return uses the old one")
    func manifest() throws {
        _ = judge()
        try folder.write(Self.manifest.replacing("Shop", with: "Mint"), to: "Package.swift")
        #expect(judge() == (["Shop/Lemon"], 2))
        try folder.write(Self.manifest, to: "Package.swift")
        #expect(judge() == (["Shop/Mint", "Shop/Lemon"], 2))
    }

    @Test("A change of a checkout, a new one and its removal each make a new verdict")
    func checkouts() throws {
        _ = judge()
        try folder.write(Self.manifest.replacing("Shop", with: "Lemon"), to: Self.checkout)
        #expect(judge() == (["Shop/Mint"], 2))
        try folder.write(Self.manifest.replacing("Shop", with: "Mint"), to: ".build/checkouts/zest/Package.swift")
        #expect(judge() == ([], 3))
        try FileManager.default.removeItem(atPath: folder.path(".build/checkouts/tea"))
        #expect(judge() == (["Shop/Lemon"], 4))
    }

    @Test("A change of the imports or of the layers in the settings makes a new verdict")
    func settings() {
        _ = judge()
        var changed = Self.settings
        changed.imports = ["Mint": .package]
        #expect(judge(changed) == (["Shop/Lemon"], 2))
        changed.imports = ["Mint": .unknown]
        #expect(judge(changed) == (["Shop/Mint", "Shop/Lemon"], 3))
        changed.layers[0].modules = ["Core", "Mint"]
        #expect(judge(changed).judged == 4)
        changed.layers[1].mayImport = []
        #expect(judge(changed).judged == 5)
        changed.layers = []
        #expect(judge(changed) == ([], 6))
    }

    @Test("Another toolchain gives another hash")
    func toolchain() throws {
        func hash(_ toolchain: ToolchainModules) -> ContentHash {
            var hash = ContentHash()
            let classifier = ImportClassifier(toolchain: toolchain)
            KnownModules(root: URL(filePath: folder.root), classifier: classifier).update(&hash)
            return hash
        }
        try folder.write("", to: "usr/lib/swift/Mint.swiftmodule")
        let small = ToolchainModules(folder: URL(filePath: folder.path("usr")))
        #expect(small.modules == ["Mint"])
        #expect(hash(small) != hash(ToolchainModules(folder: nil)))
        #expect(hash(small) == hash(small))
    }
}
