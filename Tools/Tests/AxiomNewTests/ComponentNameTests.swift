// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import axiom_new

@Suite("Names of components")
struct ComponentNameTests {
    @Test("A name of a type is accepted", arguments: ["Cart", "HTTPCart", "Cart2", "C"])
    func valid(_ text: String) throws {
        #expect(try ComponentName(parsing: text).text == text)
    }

    @Test(
        "What is no name of a type is refused",
        arguments: [
            "", "cart", "Shopping Cart", "Cart-2", "2Carts", "Kärtchen", "Cart.Client",
            String(repeating: "C", count: 61),
        ]
    )
    func invalid(_ text: String) {
        #expect(throws: (any Error).self) { try ComponentName(parsing: text) }
    }

    @Test(
        "The variable has the leading capitals in lower case, and back-ticks if it is a keyword",
        arguments: [
            ("Cart", "cart"), ("HTTPCart", "httpCart"), ("HTTP", "http"), ("ShoppingCart", "shoppingCart"),
            ("Switch", "`switch`"),
            ("C", "c"),
        ]
    )
    func variable(_ text: String, _ variable: String) throws {
        #expect(try ComponentName(parsing: text).variable == variable)
    }

    /// The packages that are written.
    private static func packages() throws -> [[NewFile]] {
        let name = try ComponentName(parsing: "Shop")
        return [
            AppTemplate(name: name, dependency: ".package()").files,
            ServiceTemplate(name: name, dependency: ".package()").files,
        ]
    }

    @Test("A package may not have the name of a module that its own files import")
    func imported() throws {
        let files = try Self.packages().flatMap(\.self)
        let imports = files.flatMap { $0.text.matches(of: /(?m)^(?:@testable )?import (\w+)$/).map { String($0.1) } }
        #expect(imports.contains("Logging"))
        for module in Set(imports) where !module.hasPrefix("Shop") && module != "PackageDescription" {
            #expect(throws: (any Error).self, "\(module)") { try ModuleNames.check(ComponentName(parsing: module)) }
        }
    }

    @Test("Names whose types Axiom or Swift has already are refused with the reason")
    func takenTypes() throws {
        func files(_ template: (ComponentName) -> any ComponentTemplate, _ name: String) throws -> [NewFile] {
            template(try ComponentName(parsing: name)).files(
                target: "Shop",
                sources: "Sources/Shop",
                tests: "Tests/ShopTests"
            )
        }
        for (name, type) in [("Owned", "OwnedState"), ("Stateless", "StatelessClient"), ("Test", "TestClient")] {
            let error = try #require(throws: ScaffoldError.self) {
                try TypeNames.check(try files({ ClientTemplate(base: $0) }, name))
            }
            #expect(
                error.message.contains("would declare the type \(type), which Axiom has already"),
                "\(error.message)"
            )
        }
        for name in ["Action", "Sendable", "Version"] {
            #expect(throws: ScaffoldError.self) {
                try TypeNames.check(try files({ CapabilityTemplate(base: $0) }, name))
            }
        }
        #expect(throws: ScaffoldError.self) {
            try TypeNames.check(
                AppTemplate(name: try ComponentName(parsing: "Owned"), dependency: ".package()").files
            )
        }
        for files in try Self.packages() { try TypeNames.check(files) }
        try TypeNames.check(try files({ RouteTemplate(base: $0) }, "Shop"))
    }

    @Test("The names that are taken are those of the public types")
    func publicTypes() throws {
        let root = Repository.root.appending(path: "Documentation/public-api")
        let modules = [
            "Axiom", "AxiomBase", "AxiomNavigation", "AxiomTesting", "AxiomExporter", "AxiomInstrumentation",
        ]
        var names: Set<String> = []
        for module in modules {
            let text = try String(contentsOf: root.appending(path: "\(module).txt"), encoding: .utf8)
            let types = text.matches(
                of: #/(?m)^([A-Z][A-Za-z0-9]*): .*\b(?:struct|class|actor|enum|protocol|typealias)\s/#
            )
            names.formUnion(types.map { String($0.1) })
        }
        #expect(names == TypeNames.ofAxiom, "\(names.symmetricDifference(TypeNames.ofAxiom).sorted())")
    }

    @Test(
        "The program prints its address when it is served, and ends with one line and the exit code 1 for an error"
    )
    func program() throws {
        let mains = try Self.packages().compactMap { files in files.first { $0.path == "Sources/Shop/main.swift" }?.text
        }
        try #require(mains.count == 2)
        for main in mains {
            let statements = main.split(separator: "\n").filter { $0.hasPrefix("let ") || $0.hasPrefix("try ") }
            #expect(statements.isEmpty, "nothing throws at the top level")
            #expect(main.contains("} catch {") && main.contains("exit(1)"))
        }
        // The server of a service logs its address.
        let main = mains[0]
        let (start, address) = (
            try #require(main.range(of: "exporter.start()")), try #require(main.range(of: "print("))
        )
        #expect(start.upperBound < address.lowerBound)
    }

    @Test("A suffix that the kind adds is removed, unless nothing else is left")
    func suffix() throws {
        #expect(try ComponentName(parsing: "CartClient").without("Client").text == "Cart")
        #expect(try ComponentName(parsing: "Client").without("Client").text == "Client")
        #expect(try ComponentName(parsing: "Clients").without("Client").text == "Clients")
    }
}
