// SPDX-License-Identifier: Apache-2.0

/// A file beside those of the demo, with shapes that rules judge and that an example does not need: an action with names that
/// are written by hand, and a capability that uses another one.
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

        """
}
