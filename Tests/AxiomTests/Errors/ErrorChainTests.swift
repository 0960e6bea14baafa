// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@Suite("The chain of an error's causes", .timeLimit(.minutes(10)))
struct ErrorChainTests {
    private struct Level: AxiomError {
        let number: Int
        var inner: (any Error)?
        var origin: ComponentDescriptor?
        var code: ErrorCode { ErrorCode(rawValue: "LEVEL_\(number)") }
        var message: String { "Level \(number)." }
        var recoverySuggestion: String { "Wait." }
        var cause: (any Error)? { inner }
    }

    private final class Node: AxiomError {
        let next = Lock<Node?>(nil)
        var code: ErrorCode { "NODE" }
        var message: String { "A node." }
        var recoverySuggestion: String { "Wait." }
        var cause: (any Error)? { next.withLock { $0 } }
    }

    /// An error with `depth` errors in its chain.
    private func level(_ depth: Int) -> any Error {
        (1...depth).reversed().reduce(nil as Level?) { Level(number: $1, inner: $0) } ?? SampleError("none")
    }

    private func codes(_ chain: ErrorChain?) -> [String]? {
        chain?.links.map { ErrorCode(of: $0.error).rawValue }
    }

    @Test("An error without a cause has no chain")
    func one() {
        #expect(ErrorChain(level(1)) == nil)
        #expect(ErrorChain(SampleError("plain")) == nil)
    }

    @Test("A chain has all errors up to eight, the deepest one last, and tells whether there are more")
    func depths() throws {
        for depth in [2, 3, 8, 9, 20] {
            let chain = try #require(ErrorChain(level(depth)))
            #expect(codes(chain) == (1...min(depth, 8)).map { "LEVEL_\($0)" })
            #expect(chain.isCut == (depth > 8))
        }
        let foreign = try #require(ErrorChain(Level(number: 1, inner: SampleError("root"))))
        #expect(codes(foreign) == ["LEVEL_1", "SampleError"] && !foreign.isCut)
    }

    @Test("An error that is its own cause, directly or not, is in the chain once", arguments: 1...3)
    func cycle(length: Int) throws {
        let nodes = (0..<length).map { _ in Node() }
        for (index, node) in nodes.enumerated() {
            node.next.withLock { $0 = nodes[(index + 1) % length] }
        }
        defer { for node in nodes { node.next.withLock { $0 = nil } } }
        let chain = try #require(ErrorChain(nodes[0]))
        #expect(chain.links.map { $0.error as? Node === nodes[0] } == (0..<length).map { $0 == 0 })
        #expect(chain.isCut)
    }

    @Test("Each error has the component that it names, or else the one that noted it first on the trail")
    func components() throws {
        let vault = ComponentDescriptor(kind: .capability, name: "Vault")
        let gateway = ComponentDescriptor(kind: .capability, name: "Gateway")
        let client = ComponentDescriptor(kind: .client, name: "SearchClient")
        let disk = ComponentDescriptor(kind: .capability, name: "Disk")
        let trail = ErrorTrail()
        let key: any Error = Level(number: 4, inner: Level(number: 5, origin: disk))
        for component in [vault, gateway] { trail.note(key, from: component) }
        let refused = Level(number: 2, inner: Level(number: 3, inner: key))
        trail.note(refused, from: gateway)
        let failed = Level(number: 1, inner: refused)
        trail.note(failed, from: client)
        let chain = try #require(trail.chain(of: failed))
        #expect(chain.links.map(\.component) == [client, gateway, nil, vault, disk])
        #expect(trail.chain(of: SampleError("plain")) == nil)
    }
}
