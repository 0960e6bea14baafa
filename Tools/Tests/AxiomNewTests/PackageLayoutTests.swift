// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import axiom_new

@Suite("The package that receives a component", .timeLimit(.minutes(10)))
struct PackageLayoutTests {
    /// A package that is described without being built: the package Axiom beside it has the products only.
    private func package(targets: String) throws -> SampleFolder {
        let products = ["Axiom", "AxiomNavigation", "AxiomTesting"]
        return try SampleFolder([
            "Axiom/Package.swift": """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "Axiom",
                products: [\(products.map { ".library(name: \"\($0)\", targets: [\"\($0)\"])" }.joined(separator: ", "))],
                targets: [\(products.map { ".target(name: \"\($0)\")" }.joined(separator: ", "))]
            )
            """,
            "Axiom/Sources/Axiom/A.swift": "", "Axiom/Sources/AxiomNavigation/A.swift": "",
            "Axiom/Sources/AxiomTesting/A.swift": "",
            "Shop/Package.swift": """
            // swift-tools-version: 6.2
            import PackageDescription
            func axiom(_ name: String) -> Target.Dependency { .product(name: name, package: "Axiom") }
            let package = Package(
                name: "Shop",
                dependencies: [.package(name: "Axiom", path: "../Axiom")],
                targets: [\(targets)]
            )
            """,
            "Shop/Sources/Shop/A.swift": "", "Shop/Sources/Other/A.swift": "", "Shop/Tests/ShopTests/A.swift": "",
            "Shop/Features/B.swift": "",
        ])
    }

    @Test("A package is found by each path that leads to it, from the folder in which the command runs")
    func paths() async throws {
        let folder = try package(
            targets: """
                .target(name: "Shop", dependencies: [axiom("Axiom")]),
                .testTarget(name: "ShopTests", dependencies: ["Shop", axiom("Axiom"), axiom("AxiomTesting")]),
                """
        )
        let shop = folder.url.appending(path: "Shop").path
        let places = [
            ("Axiom", "../Shop"), ("Axiom", "../Axiom/../Shop/"), (".", "Shop"), ("Shop", "."), ("Shop", shop),
        ]
        for (place, path) in places {
            let arguments = ["client", "Cart", "--package", path, "--dry-run"]
            let result = try await SampleFolder.new(arguments, in: folder.url.appending(path: place).path)
            #expect(result.status == 0 && result.output.contains("CartClient"), "\(place), \(path): \(result.errors)")
        }
    }

    private func layout(_ folder: SampleFolder, target: String? = nil) throws -> PackageLayout {
        try PackageLayout(package: folder.url.appending(path: "Shop"), target: target)
    }

    private func message(_ body: () throws -> Void) -> String? {
        #expect(throws: ScaffoldError.self, performing: body)?.message
    }

    private let shop = #".target(name: "Shop", dependencies: [axiom("Axiom")], path: "Features")"#
    private let other = #".target(name: "Other", dependencies: [axiom("Axiom"), axiom("AxiomNavigation")])"#
    private let tests =
        #".testTarget(name: "ShopTests", dependencies: ["Shop", axiom("Axiom"), axiom("AxiomTesting")])"#

    @Test("The only target that uses Axiom is found, with its path and its tests")
    func found() throws {
        let folder = try package(targets: "\(shop), \(tests)")
        let layout = try layout(folder)
        #expect(layout.target == "Shop" && layout.sourcePath == "Features")
        #expect(layout.tests?.target == "ShopTests" && layout.tests?.path == "Tests/ShopTests")
        try layout.requireProducts(["Axiom"], of: "CartClient")
        let missing = message { try layout.requireProducts(["Axiom", "AxiomNavigation"], of: "CartRoute") }
        #expect(
            missing == "CartRoute needs a product that the target Shop does not depend on: add "
                + ".product(name: \"AxiomNavigation\", package: \"Axiom\") to its dependencies."
        )
    }

    @Test("Of several targets the tested one is chosen, or the one that is named")
    func several() throws {
        let folder = try package(targets: "\(shop), \(other), \(tests)")
        #expect(try layout(folder).target == "Shop")
        #expect(try layout(folder, target: "Other").target == "Other")
        let wrong = message { _ = try layout(folder, target: "Shopp") }
        #expect(wrong == "the package has no target Shopp; those that use Axiom: Other, Shop.")
    }

    @Test("What is missing is named with the line to add")
    func missing() throws {
        let untested = try package(targets: "\(shop), \(other)")
        #expect(
            message { _ = try layout(untested) } == "several targets use Axiom (Other, Shop): choose one with --target."
        )
        let needs = try layout(untested, target: "Shop")
        #expect(message { try needs.requireProducts([], of: "X") }?.contains(".testTarget(name: \"ShopTests\"") == true)
        let without = try package(
            targets: #".target(name: "Shop"), .testTarget(name: "ShopTests", dependencies: ["Shop"])"#
        )
        #expect(
            message { _ = try layout(without) }?.contains("no target of the package depends on the product Axiom")
                == true
        )
        #expect(
            message { _ = try layout(without, target: "Shop") }?.contains("does not depend on the product Axiom")
                == true
        )
    }

    @Test("A folder without a manifest, and a manifest that is wrong, are refused with the reason")
    func noPackage() throws {
        let folder = try SampleFolder(["Package.swift": "// swift-tools-version: 6.2\nlet package = 1 +\n"])
        #expect(message { _ = try PackageLayout(package: folder.url, target: nil) }?.contains("error:") == true)
        let empty = try SampleFolder()
        #expect(
            message { _ = try PackageLayout(package: empty.url, target: nil) }?.contains("no Package.swift") == true
        )
    }

    @Test("A client is found; if its initializer throws, the command says what the test of its context needs")
    func client() throws {
        let folder = try package(targets: "\(shop), \(tests)")
        try folder.write(
            """
            actor CartClientStore { init(_ scope: borrowing ClientScope) throws {} }
            actor CartClient: Client {
                init(_ scope: borrowing ClientScope) { }
                func process() async throws { }
            }
            actor PriceClient {
                init(_ scope: borrowing ClientScope, limit: Int) throws { }
            }
            """,
            to: "Shop/Features/Clients.swift"
        )
        let layout = try layout(folder)
        let names = try ["Cart", "Price"].map(ComponentName.init(parsing:))
        let contexts = try names.map { ContextTemplate(base: $0, client: try ExistingClient($0, in: layout)) }
        #expect(contexts.map(\.client.initializerThrows) == [false, true])
        #expect(contexts[0].note == nil)
        #expect(contexts[1].note?.hasPrefix("The initializer of PriceClient throws.") == true)
        let unknown = try ComponentName(parsing: "Order")
        #expect(message { _ = try ExistingClient(unknown, in: layout) }?.contains("`axiom-new client Order`") == true)
    }
}
