// SPDX-License-Identifier: Apache-2.0

/// A request handler that calls the client which ``ClientTemplate`` writes.
struct HandlerTemplate: ComponentTemplate {
    let base: ComponentName

    var name: String { "\(base)Handler" }

    var registration: String? {
        "orchestrator.register(\(name).self, limits: RequestLimits(inFlight: 100, waiting: 100)) { try \(name)($0) }"
    }

    private var variable: String { base.variable }

    var source: String {
        """
        import Axiom

        /// What a caller may ask. Metrics show the case.
        enum \(base)Request: Action {
            /// All items.
            typealias Answer = [String]

            case add(String)
            case list

            func validate() throws(ValidationError) {
                if case .add(let item) = self, item.count > 20 { throw .actionRefused("an item has at most 20 characters") }
            }
        }

        /// Answers requests, many at once. It keeps nothing that changes: that is the state of the client.
        final class \(name): RequestHandler {
            let identity: ComponentIdentity
            private let \(variable): ClientOf<\(base)Client>

            init(_ scope: borrowing HandlerScope) throws {
                identity = scope.identity
                \(variable) = try scope.client(\(base)Client.self)
            }

            func handle(_ request: \(base)Request, in work: borrowing WorkScope) async throws -> [String] {
                if case .add(let item) = request { try await \(variable).process(.add(item)) }
                return await \(variable).state.items
            }

            static func timeLimit(of request: \(base)Request) -> Duration? { .seconds(5) }
        }

        """
    }

    func test(of module: String) -> String {
        """
        import Axiom
        import AxiomTesting
        import Testing

        @testable import \(module)

        @MainActor
        @Suite("\(name)", .timeLimit(.minutes(1)))
        struct \(name)Tests {
            @Test("Adds items, and answers with all of them")
            func answers() async throws {
                let app = TestOrchestrator()
                let endpoint = \(base)Service.register(in: app.orchestrator)
                try await app.start()
                #expect(try await endpoint.request(.add("first")) == ["first"])
                #expect(try await endpoint.request(.list) == ["first"])
                await app.finish()
            }
        }

        """
    }
}
