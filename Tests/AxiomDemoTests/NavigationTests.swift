// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Axiom
import AxiomNavigation
import AxiomStorage
import Foundation
import Testing

@testable import shop_oracle

@Suite("The shop's navigation", .timeLimit(.minutes(10)))
@MainActor
struct NavigationTests {
    private func withRun(
        _ options: [String] = [],
        _ body: (CountedRun) async throws -> Void
    ) async throws {
        let run = try CountedRun(.parse(options))
        try await run.start()
        do {
            try await body(run)
        } catch {
            try await run.shutdown()
            throw error
        }
        try await run.shutdown()
    }

    private func window(_ run: CountedRun) throws -> ShopWindow { try run.newWindow() }

    @Test("Each route has a link that leads to it above the entrance, or is opened within the shop only")
    func links() throws {
        let table = try ShopRoute.links()
        let linked = ShopRoute.samples.filter { table.text(for: $0) != nil }
        #expect(linked == [.home, .profile, .product(1), .cart, .checkout, .signIn(returnTo: nil)])
        for route in linked {
            let link = try #require(table.text(for: route))
            #expect(try table.routes(for: link) == [.shop, route])
        }
        #expect(try table.routes(for: "shop://product/8") == [.shop, .product(8)])
        for unknown in ["shop://product/0", "shop://product/9", "shop://product/tea", "shop://shop", "shop:"] {
            #expect(throws: NavigationError.self) { try table.routes(for: unknown) }
        }
    }

    @Test("A route that requires a sign-in leads there first, and then to the route")
    func signIn() async throws {
        try await withRun { run in
            let window = try window(run)
            #expect(try await window.show(.cart) == .arrived(.cart))
            for wanted in [ShopRoute.checkout, .profile] {
                #expect(try await window.show(wanted) == .redirected(to: .signIn(returnTo: wanted)))
                _ = try await window.show(.cart)
            }
            #expect(try await window.show(.checkout) == .redirected(to: .signIn(returnTo: .checkout)))
            try await window.signIn(as: "ada", for: .checkout)
            #expect(window.flow.routes == [.shop, .cart, .checkout])
            await window.act(.user(.signOut), on: try #require(window.context as? CheckoutContext))
            #expect(try await window.follow("shop://profile") == .redirected(to: .signIn(returnTo: .profile)))
            #expect(window.flow.routes == [.shop, .signIn(returnTo: .profile)])
            await window.close()
        }
    }

    @Test("A screen in the history is gone back to, one screen has a context, and a closed window has none")
    func history() async throws {
        try await withRun { run in
            let window = try window(run)
            for route in [ShopRoute.home, .product(3), .cart] { _ = try await window.show(route) }
            #expect(window.flow.routes == [.shop, .home, .product(3), .cart])
            _ = try await window.show(.home)
            #expect(window.flow.routes == [.shop, .home])
            #expect(run.ledger.mounts.counts.values.reduce(0) { $0 + $1.mounted - $1.unmounted } == 1)
            await window.close()
            #expect(!window.flow.isOpen)
            #expect(run.ledger.mounts.counts.values.allSatisfy { $0.mounted == $0.unmounted })
            #expect(run.ledger.report.alive.values.allSatisfy { $0 == 0 })
        }
    }

    @Test("A visitor sees the screen of a link with its price, the way back, and an unknown saved screen is not used")
    func visitor() async throws {
        try await withRun(["--open", "shop://product/7"]) { run in
            let text = try #require(run.visitor?.text)
            #expect(text.hasPrefix("shop > product 7, noodles\n| Price\n|   "))
            #expect(text.contains(", tax "))
        }
        try await withRun(["--screen", "checkout"]) { run in
            #expect(run.visitor?.text.hasPrefix("shop > sign-in (then checkout)\n| Signed in: no one") == true)
        }
        try await withRun { #expect($0.visitor?.text == nil) }
    }

    @Test("The history outlives the run, and one with which two launches ended the process is set aside")
    func restoration() async throws {
        let folder = try TestFolder()
        let state = folder.path + "/state"
        try await withRun(["--open", "shop://product/3", "--state-dir", state]) { _ in }
        try await withRun(["--screen", "cart", "--state-dir", state]) { run in
            #expect(run.visitor?.text.hasPrefix("shop > product 3, bread > cart\n") == true)
        }
        try await withRun(["--state-dir", state]) { run in
            #expect(run.visitor?.text.hasPrefix("shop > product 3, bread > cart\n") == true)
            #expect(run.notices.isEmpty)
        }
        // Each generation is used by two launches that do not become active.
        let storage = FileStorage(folder: state)
        for _ in 0..<4 { _ = try await StorageArchive(storage).load() }
        await storage.terminate()
        try await withRun(["--state-dir", state]) { run in
            #expect(run.visitor?.text.hasPrefix("shop\n") == true)
            #expect(run.notices.count == 1)
            #expect(run.notices.first?.contains("a saved screen is not used") == true)
        }
        try folder.remove()
    }
}
