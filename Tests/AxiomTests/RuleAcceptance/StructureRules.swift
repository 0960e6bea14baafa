// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Observation
import Testing

@testable import Axiom

/// Tells one context of a chain from another.
@Observable
private final class Link<Tag: PartTag>: Context {
    nonisolated static var componentName: String { "Link\(Tag.index)" }
    @ObservationIgnored let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope, _ below: [Int: [Int]]) throws {
        identity = scope.identity
        for index in below[Tag.index, default: []] { try Self.resolve(partTags[index], scope) }
    }

    private static func resolve<Other: PartTag>(_ tag: Other.Type, _ scope: borrowing ContextScope) throws {
        _ = try scope.context(Link<Other>.self)
    }
}

/// Tells ten more contexts from the others.
@Observable
private final class Leaf<Tag: PartTag>: Context {
    nonisolated static var componentName: String { "Leaf\(Tag.index)" }
    @ObservationIgnored let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        _ = try scope.context(Link<P0>.self)
    }
}

/// Fails at the level that a test names.
private actor FailingCapability: Capability {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
    func fail(_ number: Int) throws { throw SampleError("capability \(number)") }
}

private enum FaultAction: Action {
    case capability(Int)
    case client(Int)
    case context(Int)
}

private actor FaultClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let capability: CapabilityRef<FailingCapability>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        capability = try scope.capability(FailingCapability.self)
    }

    func process(_ action: FaultAction) async throws {
        switch action {
        case .capability(let number): try await capability.call { try await $0.fail(number) }
        case .client(let number), .context(let number): throw SampleError("client \(number)")
        }
    }
}

@Observable
private final class FaultContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored private let client: any StatelessClient<FaultAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(FaultClient.self)
    }

    func handle(_ action: FaultAction) async throws {
        if case .context(let number) = action { throw SampleError("context \(number)") }
        try await client.process(action)
    }
}

@MainActor
@Suite("Rule acceptance: structure", .timeLimit(.minutes(10)))
struct StructureRules {
    @Test(
        "Rule 4, view to context: a hundred presentations have a hundred contexts of their own, each with one owner (RUL-04)"
    )
    func viewToContext() async throws {
        let orchestrator = Orchestrator.scripted()
        try await orchestrator.start()
        var hosts: [PresentationHost<ScriptPresentation>] = []
        for _ in 0..<100 {
            let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
            try await host.mount()
            hosts.append(host)
        }
        let contexts = hosts.compactMap(\.context)
        #expect(Set(contexts.map(ObjectIdentifier.init)).count == 100)
        let inspection = orchestrator.inspect()
        #expect(inspection.rootContexts.map(\.id) == contexts.map(\.identity.id))
        #expect(inspection.rootContexts.allSatisfy { $0.presentation == "ScriptPresentation" })
        let shown = orchestrator.graph.edges.filter { $0.from.kind == .presentation }
        #expect(shown.map(\.to.name) == ["ScriptContext"], "a presentation type has one context type")
        for host in hosts { await host.unmount() }
        #expect(orchestrator.rootContexts.isEmpty)
        await orchestrator.shutdown()
    }

    @Test(
        "Rule 5, unidirectional flow: each dependency of a hundred components leads down, and each reverse is a violation (RUL-05)"
    )
    func unidirectional() async throws {
        var machine = PartMachine()
        machine.dependencies = [1: [0], 2: [0, 1], 9: [8]]
        let orchestrator = Orchestrator.scripted()
        machine.register(0..<10, in: orchestrator)
        orchestrator.register(FailingCapability.self) { FailingCapability($0) }
        orchestrator.register(FaultClient.self) { try FaultClient($0) }
        orchestrator.register(FaultContext.self) { try FaultContext($0) }
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        try await host.mount()
        _ = try orchestrator.makeContext(FaultContext.self)
        let options = ArchitectureValidator.Options(checksErrorHandling: false)
        #expect(ArchitectureValidator.validate(orchestrator.graph, options).isEmpty)
        let edges = orchestrator.graph.edges.filter { $0.from.kind != .orchestrator && $0.from.kind != $0.to.kind }
        #expect(edges.count >= 4)
        for edge in edges {
            var reversed = ComponentGraph()
            reversed.add(ComponentDependency(from: edge.to, to: edge.from))
            #expect(ArchitectureValidator.validate(reversed, options).count == 1, "\(edge)")
        }
        await host.unmount()
        await orchestrator.shutdown()
    }

    /// What each module of the framework may import besides the toolchain's modules. An import never leads up.
    private nonisolated static let imports: [String: Set<String>] = [
        "Axiom": ["AxiomBase", "AxiomResilience", "CAxiomSupport"],
        "AxiomNavigation": ["Axiom", "AxiomBase", "AxiomResilience"],
        "AxiomStorage": ["Axiom", "AxiomBase", "AxiomResilience", "CSQLite", "DequeModule", "HeapModule"],
        "AxiomSystem": ["Axiom", "AxiomBase", "CAxiomSupport"],
        "AxiomConfiguration": ["Axiom", "AxiomBase", "Configuration", "Yams"],
        "AxiomUI": ["Axiom", "AxiomBase", "AxiomNavigation"],
    ]
    private static let toolchain: Set<String> = [
        "Foundation", "FoundationEssentials", "Synchronization", "Observation", "Dispatch", "Glibc", "Musl", "Darwin",
        "Android",
    ]

    /// The classification of the imports of an application belongs to the verifier. Here: the imports of the framework.
    @Test(
        "Rule 5, unidirectional flow: every import of the framework's modules is a module below, of the toolchain or a dependency (RUL-05)",
        arguments: imports.keys.sorted()
    )
    func imports(of module: String) throws {
        let known = try #require(Self.imports[module]).union(Self.toolchain)
        let folder = Repository.root.appending(path: "Sources/\(module)").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var count = 0
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard let match = line.prefixMatch(of: #/(?:[@\w]+ )*import (?:[a-z]+ )?(\w+)/#) else { continue }
                count += 1
                #expect(known.contains(String(match.1)), "\(file.lastPathComponent): \(line)")
            }
        }
        #expect(count > 0)
    }

    @Test(
        "Rule 8, context composition: twenty contexts without a cycle are made, and a cycle is found with its path (RUL-08)"
    )
    func contextGraph() async throws {
        let acyclic = Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, $0 < 9 ? [$0 + 1] : []) })
        let orchestrator = Orchestrator(limits: .endless)
        Self.register(partTags, acyclic, orchestrator)
        try await orchestrator.start()
        for tag in partTags { try Self.makeLeaf(tag, orchestrator) }
        #expect(orchestrator.graph.nodes.count { $0.kind == .context } == 20)
        #expect(ArchitectureValidator.validate(orchestrator.graph).isEmpty)
        await orchestrator.shutdown()

        let cyclic = acyclic.merging([9: [0]]) { $1 }
        let other = Orchestrator(limits: .endless)
        Self.register(partTags, cyclic, other)
        try await other.start()
        var caught: CompositionError?
        do {
            _ = try other.makeContext(Link<P0>.self)
        } catch {
            caught = error as? CompositionError
        }
        let path = ((0..<10).map { "Link\($0)" } + ["Link0"]).joined(separator: " → ")
        #expect(caught?.code == .contextCycle && caught?.message.contains(path) == true)
        await other.shutdown()
    }

    private static func register(_ tags: [any PartTag.Type], _ below: [Int: [Int]], _ orchestrator: Orchestrator) {
        for tag in tags { register(tag, below, orchestrator) }
    }

    private static func register<Tag: PartTag>(_ tag: Tag.Type, _ below: [Int: [Int]], _ orchestrator: Orchestrator) {
        orchestrator.register(Link<Tag>.self) { try Link<Tag>($0, below) }
        orchestrator.register(Leaf<Tag>.self) { try Leaf<Tag>($0) }
    }

    private static func makeLeaf<Tag: PartTag>(_ tag: Tag.Type, _ orchestrator: Orchestrator) throws {
        _ = try orchestrator.makeContext(Leaf<Tag>.self)
    }

    @Test(
        "Rule 19, error boundaries: of a thousand errors at three levels each is captured once (RUL-19)"
    )
    func boundaries() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(FailingCapability.self) { FailingCapability($0) }
        orchestrator.register(FaultClient.self) { try FaultClient($0) }
        orchestrator.register(FaultContext.self) { try FaultContext($0) }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(FaultContext.self)
        var captured: [Int] = []
        for number in 0..<1_000 {
            let action: FaultAction = [.capability(number), .client(number), .context(number)][number % 3]
            await context.send(action)
            let entry = try #require(context.errorBoundary.history.last)
            let text = (entry.error as? SampleError)?.description ?? ""
            captured.append(text.split(separator: " ").last.flatMap { Int($0) } ?? -1)
            let levels = [["capability", "client", "context"], ["client", "context"], ["context"]][number % 3]
            #expect(entry.path.map(\.kind.rawValue) == levels, "\(number)")
        }
        #expect(captured == Array(0..<1_000))
        #expect(context.errorBoundary.count == 1_000)
        #expect(orchestrator.errorBoundary.count == 0, "an error ends once")
        await orchestrator.shutdown()
    }
}
