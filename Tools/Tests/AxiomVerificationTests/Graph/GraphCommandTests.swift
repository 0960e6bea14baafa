// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The subcommands graph and imports", .timeLimit(.minutes(10)))
struct GraphCommandTests {
    private static let shop = """
        import Axiom
        actor Disk: Capability { init(_ scope: borrowing CapabilityScope) {} }
        actor Cart: Client, Component { init(_ scope: borrowing ClientScope) throws { d = try scope.capability(Disk.self) } }
        func compose(_ orchestrator: Orchestrator) {
            orchestrator.register(Disk.self) { Disk($0) }
            orchestrator.register(Cart.self) { try Cart($0) }
        }
        """
    private static let snapshot = """
        {"schema":"axiom/snapshot","components":[{"id":0,"kind":"client","name":"Cart","created":1},
        {"id":1,"kind":"capability","name":"Disk","created":1}],"edges":[{"from":0,"to":1}]}
        """

    private func folder() throws -> SampleFolder {
        try SampleFolder([
            "Sources/Shop/Shop.swift": Self.shop, "snapshot.json": Self.snapshot,
            "other.json": Self.snapshot.replacing("Disk", with: "Wire"),
        ])
    }

    @Test("Each format of the graph is printed (5.B.9)")
    func formats() async throws {
        let folder = try folder()
        let dot = try await folder.verify("graph")
        #expect(dot.status == 0 && dot.output.hasPrefix("digraph Axiom {"), "\(dot.errors)")
        #expect(try await folder.verify("graph", "--format", "dot", "Sources").output == dot.output)
        #expect(try await folder.verify("graph", "--format", "mermaid").output.hasPrefix("flowchart TD\n"))
        #expect(try await folder.verify("graph", "--format", "json").output.contains("\"axiom-verify/graph\""))
    }

    @Test("A comparison exits with 0, 1 or 2 (5.B.9)")
    func comparison() async throws {
        let folder = try folder()
        let equal = try await folder.verify("graph", "--against", "snapshot.json")
        #expect(equal.status == 0 && equal.output.hasPrefix("1 dependencies in both, 0 differences"), "\(equal.errors)")
        let different = try await folder.verify("graph", "--against", "other.json", "--format", "json")
        #expect(different.status == 1 && different.output.contains("\"onlyInApplication\""))
        let refused: [([String], String)] = [
            (["graph", "--against", "nowhere.json"], "nowhere.json"),
            (["graph", "--against", "Sources/Shop/Shop.swift"], "no JSON"), (["graph", "--format", "svg"], "svg"),
            (["graph", "--format", "text"], "--against"),
            (["imports", "nowhere"], "nowhere is no folder: name one that exists."),
            (["imports", "--class", "Legacy=old"], "Legacy=old"),
        ]
        for (arguments, words) in refused {
            let tool = try BuildFolder().url.appending(path: "axiom-verify").path
            let result = try await folder.run(tool, arguments)
            #expect(result.status == 2 && result.errors.contains(words), "\(result.output) \(result.errors)")
        }
    }

    @Test("An unknown import exits with 1 under --strict, unless the configuration has its class (TL-V7)")
    func imports() async throws {
        let folder = try folder()
        try folder.write("import Foundation\nimport Legacy\n", to: "Sources/Shop/Old.swift")
        #expect(try await folder.verify("imports").status == 0)
        let strict = try await folder.verify("imports", "--strict")
        #expect(strict.status == 1 && strict.output.contains("Sources/Shop/Old.swift:2:1: unknown module Legacy"))
        #expect(try await folder.verify("imports", "--strict", "--class", "Legacy=package").status == 0)
        let settings = "{ \"schemaVersion\": 1, \"imports\": { \"Legacy\": \"package\" } }"
        try folder.write(settings, to: "axiom-verify.json")
        #expect(try await folder.verify("imports", "--strict").status == 0)
        #expect(try await folder.verify("imports", "--format", "json").output.contains("\"axiom-verify/imports\""))
        try folder.write("{ \"schemaVersion\": 1, \"imports\": { \"Legacy\": \"old\" } }", to: "axiom-verify.json")
        let wrong = try await folder.verify("imports")
        #expect(wrong.status == 2 && wrong.errors.contains("\"old\" is no class of the module Legacy"))
    }

    @Test("The settings of the named folder classify its imports, and those of the working folder do not (TL-V7)")
    func settingsOfFolder() async throws {
        let settings = "{ \"schemaVersion\": 1, \"imports\": { \"Legacy\": \"package\" } }"
        let folder = try SampleFolder([
            "Shop/axiom-verify.json": settings, "Shop/Sources/Shop/Old.swift": "import Legacy\n",
            "Cart/Sources/Cart/Old.swift": "import Legacy\n", "settings.json": settings,
        ])
        #expect(try await folder.verify("imports", "Shop", "--strict").status == 0)
        #expect(try await folder.verify("imports", "Cart", "--strict").status == 1)
        try folder.write(settings, to: "axiom-verify.json")
        #expect(try await folder.verify("imports", "Cart", "--strict").status == 1)
        #expect(try await folder.verify("imports", "Cart", "--strict", "--config", "settings.json").status == 0)
    }

    @Test("Layers of the configuration judge imports, and unknown modules are warnings (R5)")
    func layers() async throws {
        let settings = """
            { "schemaVersion": 1, "layers": [ { "name": "Core", "modules": ["Core"], "mayImport": [] },
              { "name": "Shop", "modules": ["Shop"], "mayImport": ["Core"] } ] }
            """
        let folder = try SampleFolder([
            "axiom-verify.json": settings, "Sources/Core/A.swift": "import Shop\n",
            "Sources/Shop/B.swift": "import Core\nimport Foundation\nimport Legacy\n",
        ])
        let result = try await folder.verify("--format", "agent")
        #expect(result.status == 1)
        #expect(result.output.contains("Sources/Core/A.swift:1:8: error: "), "\(result.output)")
        #expect(result.output.contains("Sources/Shop/B.swift:3:8: warning: "), "\(result.output)")
        #expect(!result.output.contains("B.swift:1") && !result.output.contains("B.swift:2"))
    }
}
