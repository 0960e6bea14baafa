// SPDX-License-Identifier: Apache-2.0

#if Tools
import AxiomMigration
import AxiomSyntax
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
        #expect(lines.contains("  2. Make clients of what decides and outlives a view: NetworkService"))
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
        #expect(lines.first?.hasSuffix("Documentation/migrating.md#from-tca") == true)
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
#endif
