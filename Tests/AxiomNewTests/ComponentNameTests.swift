// SPDX-License-Identifier: Apache-2.0

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

    @Test("An application may not have the name of a module that its own files import")
    func imported() throws {
        let files = AppTemplate(name: try ComponentName(parsing: "Shop"), dependency: ".package()").files
        let imports = files.flatMap { $0.text.matches(of: /(?m)^(?:@testable )?import (\w+)$/).map { String($0.1) } }
        #expect(imports.contains("Logging"))
        for module in Set(imports) where !module.hasPrefix("Shop") && module != "PackageDescription" {
            #expect(throws: (any Error).self, "\(module)") { try ModuleNames.check(ComponentName(parsing: module)) }
        }
    }

    @Test("A suffix that the kind adds is removed, unless nothing else is left")
    func suffix() throws {
        #expect(try ComponentName(parsing: "CartClient").without("Client").text == "Cart")
        #expect(try ComponentName(parsing: "Client").without("Client").text == "Client")
        #expect(try ComponentName(parsing: "Clients").without("Client").text == "Clients")
    }
}
