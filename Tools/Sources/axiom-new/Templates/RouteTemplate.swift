// SPDX-License-Identifier: Apache-2.0

/// The routes of a flow, with their deep links.
struct RouteTemplate: ComponentTemplate {
    let base: ComponentName

    var name: String { "\(base)Route" }
    var products: [String] { ["Axiom", "AxiomNavigation"] }
    var registration: String? { nil }

    private var scheme: String { base.text.lowercased() }

    var source: String {
        """
        import AxiomNavigation

        /// Where the flow can go.
        public enum \(name): Route {
            case home
            case detail(Int)

            /// The name of the route, which metrics and saved histories have.
            public var identifier: String {
                switch self {
                case .home: "home"
                case .detail: "detail"
                }
            }

            /// A route of each case, for the checks of the links.
            public static let samples: [\(name)] = [.home, .detail(1)]

            /// The deep links. Open one with `orchestrator.handleDeepLink("\(scheme)://detail/7")`.
            public static func links() throws -> DeepLinkTable<\(name)> {
                let home = try DeepLink<\(name)>("\(scheme)://home") { _ in
                    [.home]
                } print: {
                    $0 == .home ? [:] : nil
                }
                let detail = try DeepLink<\(name)>("\(scheme)://detail/:id") { captures in
                    [.home, .detail(try captures.require("id"))]
                } print: { route in
                    guard case .detail(let id) = route else { return nil }
                    return ["id": id]
                }
                return try DeepLinkTable([home, detail], samples: samples)
            }
        }

        """
    }

    func test(of module: String) -> String {
        """
        import AxiomNavigation
        import Testing

        @testable import \(module)

        @Suite("\(name)")
        struct \(name)Tests {
            @Test("The routes are valid")
            func valid() throws {
                try RouteValidator.validate(\(name).self)
            }

            @Test("A link leads to the stack of its route, and the route prints its link")
            func links() throws {
                let links = try \(name).links()
                #expect(try links.routes(for: "\(scheme)://detail/7") == [.home, .detail(7)])
                #expect(links.text(for: .detail(7)) == "\(scheme)://detail/7")
            }
        }

        """
    }
}
