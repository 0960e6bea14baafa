// SPDX-License-Identifier: Apache-2.0

/// A file beside those of the demo, with shapes that rules judge and that an example does not need: an action with names that
/// are written by hand, a capability that uses another one, and a request handler.
enum RarerShapes {
    static let path = "Sources/axiom-demo/Features/Rarer.swift"
    static let text = """
        internal import Axiom
        internal import Foundation

        /// The actions of a scanner.
        enum ScanAction: Action {
            case start(Int)
            case stop

            static let caseNames = ["start", "stop"]

            var caseIndex: Int {
                switch self {
                case .start: 0
                case .stop: 1
                }
            }
        }

        /// The last responses of the shop's server.
        actor ResponseCache: Capability {
            nonisolated let identity: ComponentIdentity
            private let network: CapabilityRef<any Network>
            private var kept: [String: Data] = [:]

            init(_ scope: borrowing CapabilityScope) throws {
                identity = scope.identity
                network = try scope.capability((any Network).self)
            }

            func fetch(_ path: String) async throws -> Data {
                if let body = kept[path] { return body }
                let body = try await network.call { try await $0.send(NetworkRequest(method: "GET", path: path)) }
                kept[path] = body
                return body
            }
        }

        /// Answers the requests of a scanner.
        final class ScanHandler: RequestHandler {
            let identity: ComponentIdentity
            private let cart: any Client<CartState, CartAction>

            init(_ scope: borrowing HandlerScope) throws {
                identity = scope.identity
                cart = try scope.client(CartClient.self)
            }

            func handle(_ request: ScanAction, in work: borrowing WorkScope) async throws {
                switch request {
                case .start(let number): try await cart.process(.add(article: "scanned", quantity: number))
                case .stop: try await cart.process(.clear)
                }
            }
        }

        """
}
