// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Rules about imports")
struct ImportRuleTests {
    private static let environment: ProjectEnvironment = {
        var environment = ProjectEnvironment()
        environment.layers = [
            Configuration.Layer(name: "Core", modules: ["ShopCore"], mayImport: []),
            Configuration.Layer(name: "Features", modules: ["Shop", "Cart"], mayImport: ["Core"]),
        ]
        environment.unknownModules = ["Nowhere"]
        return environment
    }()

    private func findings(_ path: String, _ source: String) throws -> [Finding] {
        let rule = try #require(RuleCatalog.all.first { $0.id == "import-direction" })
        return SourceTwin.findings(of: rule, in: [path: source], Self.environment)
    }

    @Test(
        "An import down, in the layer, or of a module without a layer is permitted (R5)",
        arguments: [
            ("Sources/Shop/A.swift", "import ShopCore"), ("Sources/Shop/A.swift", "public import Cart"),
            ("Sources/ShopCore/A.swift", "import Foundation"), ("Sources/Other/A.swift", "import Shop"),
            ("Sources/ShopCore/A.swift", "@testable import ShopCore"),
        ]
    )
    func permitted(path: String, source: String) throws {
        #expect(try findings(path, source) == [])
    }

    @Test("An import up is an error at its place, with both layers (R5)")
    func upward() throws {
        let found = try findings("Sources/ShopCore/A.swift", "import Foundation\n@preconcurrency import Shop\n")
        #expect(found.map(\.severity) == [.error])
        #expect(found.map(\.location.start.line) == [2])
        #expect(
            found.first?.message
                == "ShopCore is in the layer Core, which may import no other layer; Shop is in the layer Features."
        )
    }

    @Test("An unknown module is a warning (R5)")
    func unknown() throws {
        let found = try findings("Sources/Shop/A.swift", "import Nowhere")
        #expect(found.map(\.severity) == [.warning])
        #expect(found.map(\.identity) == ["Shop/Nowhere"])
    }

    @Test("Without layers, no import is judged (R5)")
    func noLayers() throws {
        let rule = try #require(RuleCatalog.all.first { $0.id == "import-direction" })
        #expect(SourceTwin.findings(of: rule, in: ["Sources/ShopCore/A.swift": "import Shop"]) == [])
    }
}
