// SPDX-License-Identifier: Apache-2.0

import AxiomMigration
import AxiomSyntax
import AxiomTestSupport
import Foundation
import Testing

@Suite("The analysis of applications without Axiom")
struct AnalysisTests {
    private func report(_ text: String, _ architecture: Architecture) -> [String] {
        let file = SourceText(path: "Sources/Shop.swift", bytes: Array(text.utf8))
        return Analysis([file], architecture: architecture).report.split(separator: "\n").map(String.init)
    }

    @Test("MVC: controllers, services, singletons and callbacks, each with what it becomes")
    func mvc() {
        let lines = report(
            """
            final class NetworkService {
                static let shared = NetworkService()
                func fetch(_ path: String, completion: @escaping (Int) -> Void) { URLSession.shared.dataTask() }
            }
            struct Product: Codable { var id: Int }
            class ProductViewController: UIViewController {
                weak var delegate: ProductDelegate?
                func load() { NetworkService.shared.fetch("/products") { _ in } }
            }
            """,
            .mvc
        )
        #expect(
            lines.contains(
                "  Sources/Shop.swift:1: NetworkService: a capability that is registered once; remove the static instance"
            )
        )
        #expect(
            lines.contains {
                $0.hasPrefix("  Sources/Shop.swift:6: ProductViewController: a presentation, and ProductContext")
            }
        )
        #expect(lines.contains("  Sources/Shop.swift:3: NetworkService.fetch: async throws, without a closure"))
        #expect(lines.contains { $0.contains("ProductViewController.delegate: an action") })
        #expect(lines.contains("  1. Make capabilities of what reaches a system: NetworkService"))
        #expect(lines.contains("  3. Make states of the values that clients keep: Product"))
        #expect(lines.last == "  7. Test each client and context with AxiomTesting")
    }

    @Test("MVVM: view models become contexts; those that use fewer others come first")
    func mvvm() {
        let lines = report(
            """
            final class CartViewModel: ObservableObject {
                let prices = PriceViewModel()
                func follow() { prices.$total.sink { _ in } }
            }
            final class PriceViewModel: ObservableObject { @Published var total = 0 }
            struct CartView: View { @StateObject var model = CartViewModel() }
            """,
            .mvvm
        )
        #expect(lines.contains { $0.contains("CartViewModel: CartContext, with CartClient and CartState") })
        #expect(lines.contains("  4. Make contexts of what coordinates a screen: PriceViewModel, CartViewModel"))
        #expect(lines.contains { $0.contains("CartViewModel: sink: observe in onAppear") })
        #expect(lines.contains("  5. Make presentations of views, each with one context: CartView"))
    }

    @Test("TCA: reducers become clients, dependencies capabilities")
    func tca() {
        let lines = report(
            """
            @Reducer struct CounterFeature { struct State { var count = 0 } }
            @DependencyClient struct NumberClient { var fetch: () async throws -> Int }
            """,
            .tca
        )
        #expect(lines.contains { $0.contains("CounterFeature: CounterClient with CounterState and CounterAction") })
        #expect(lines.contains { $0.contains("NumberClient: a capability; its test value") })
        #expect(lines.first?.hasSuffix("Guide: Axiom's Documentation/migrating.md#from-tca") == true)
    }

    @Test("The guide's own singleton becomes a capability, as the guide says")
    func guide() throws {
        let page = try String(
            contentsOf: Repository.root.appending(path: "Documentation/migrating.md"),
            encoding: .utf8
        )
        let section = try #require(page.range(of: "A view model before:")).upperBound
        let block = try #require(page[section...].firstMatch(of: /```swift\n([\s\S]*?)```/)).1
        let lines = report(String(block), .mvvm)
        #expect(
            lines.contains {
                $0.hasSuffix(" PriceService: a capability that is registered once; remove the static instance")
            },
            "\(lines)"
        )
        #expect(lines.contains("  1. Make capabilities of what reaches a system: PriceService"), "\(lines)")
        #expect(lines.contains("  2. Make clients of what decides and outlives a view"), "\(lines)")
        #expect(lines.contains("  4. Make contexts of what coordinates a screen: BasketViewModel"), "\(lines)")
    }

    @Test(
        "A singleton with a stored property that changes becomes a client, any other one a capability",
        arguments: [
            ("var count = 0", "a client"), ("private(set) var a = 0, b = 0", "a client"),
            ("var count = 0 { didSet { save() } }", "a client"), ("let limit = 1", "a capability"),
            ("var count: Int { 1 }", "a capability"), ("static var count = 0", "a capability"),
            ("var count = URLSession.shared", "a capability"),
        ]
    )
    func singletons(member: String, role: String) {
        let lines = report("final class Counter {\n    static let shared = Counter()\n    \(member)\n}", .mvvm)
        #expect(
            lines.contains(
                "  Sources/Shop.swift:1: Counter: \(role) that is registered once; remove the static instance"
            ),
            "\(lines)"
        )
        let step = role == "a client" ? "2. Make clients of what decides" : "1. Make capabilities of what reaches"
        #expect(lines.contains { $0.hasPrefix("  \(step)") && $0.hasSuffix(": Counter") }, "\(lines)")
    }

    @Test("An application of Axiom has no singletons, and the report is the same each time")
    func stable() throws {
        for architecture in Architecture.allCases {
            let files = try OldApp.r3.files
            let first = Analysis(files, architecture: architecture).report
            #expect(first == Analysis(files, architecture: architecture).report)
            #expect(!first.contains("Singletons"))
        }
    }
}
