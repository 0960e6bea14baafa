// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Observation
import Testing

@testable import Axiom

private struct Hidden {}

/// Generic over what it stands for, so that its full name holds other names.
struct Holder<Value> {}

enum North {
    struct Station {}
}

enum South {
    struct Station {}
}

private protocol NameTag: Sendable {
    static var name: String { get }
}

private enum Nameless: NameTag { static let name = "" }
private enum Longest: NameTag { static let name = String(repeating: "ä", count: 128) }
private enum TooLong: NameTag { static let name = String(repeating: "ä", count: 128) + "x" }

private actor Tagged<Tag: NameTag>: StatelessClient, Component {
    static var componentName: String { Tag.name }
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope) { identity = scope.identity }
    func process(_ action: NoAction) async throws {}
}

/// Is isolated to the main actor, as every context is, and overrides its name.
private final class TaggedContext: Context, Observable {
    nonisolated static let componentName = "Renamed"
    let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) { identity = scope.identity }
}

private struct NamelessPresentation: Presentation {
    static let componentName = ""
    let context: TaggedContext
    var body: Int { 0 }
}

@MainActor
@Suite("The names that components give themselves", .timeLimit(.minutes(10)))
struct ComponentNameRuleTests {
    private let orchestrator = Orchestrator(limits: .endless)

    @Test("An empty name and one of more than 256 bytes are refused at the start, each with its type")
    func refused() async throws {
        orchestrator.register(Tagged<Nameless>.self) { Tagged($0) }
        orchestrator.register(Tagged<TooLong>.self) { Tagged($0) }
        let error = try #require(await #expect(throws: CompositionError.self) { try await orchestrator.start() })
        #expect(error.code == .severalMistakes)
        #expect(error.message.contains("The name of AxiomTests.Tagged<AxiomTests.Nameless> is blank."))
        #expect(error.message.contains("The name of AxiomTests.Tagged<AxiomTests.TooLong> is 257 bytes long."))
        #expect(error.message.utf8.count < 500)
        #expect(error.recoverySuggestion.contains("1 to 256 bytes"))
    }

    @Test("A name of 256 bytes is taken, and a context on the main actor can give itself one")
    func taken() async throws {
        orchestrator.register(Tagged<Longest>.self) { Tagged($0) }
        orchestrator.register(TaggedContext.self) { TaggedContext($0) }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(TaggedContext.self)
        #expect(context.identity.descriptor.name == "Renamed")
        #expect(orchestrator.graph.nodes.contains { $0.name == Longest.name })
    }

    @Test("A presentation without a name is refused when it is mounted")
    func presentation() async throws {
        orchestrator.register(TaggedContext.self) { TaggedContext($0) }
        try await orchestrator.start()
        let host = PresentationHost(NamelessPresentation.self, orchestrator) { _ in }
        let error = await #expect(throws: CompositionError.self) { try await host.mount() }
        #expect(error?.code == .invalidName)
    }
}

@Suite("Component names", .timeLimit(.minutes(10)))
struct ComponentNamesTests {
    private func names(_ requests: ComponentNames.Request...) -> [String?] {
        var names = ComponentNames()
        for request in requests { names.add(request) }
        let resolved = names.resolved()
        return requests.map { resolved[$0.key] }
    }

    private func request<C>(_ type: C.Type, _ preferred: String? = nil) -> ComponentNames.Request {
        ComponentNames.Request(type, preferred: preferred ?? String(describing: type))
    }

    @Test("A name that only one type requests has no module")
    func unqualified() {
        #expect(names(request(North.Station.self), request(Hidden.self)) == ["Station", "Hidden"])
    }

    @Test("Types that share a name are all qualified, the first as well")
    func qualifiedOnClash() {
        let found = names(request(North.Station.self), request(South.Station.self), request(Hidden.self))
        #expect(found == ["AxiomTests.North.Station", "AxiomTests.South.Station", "Hidden"])
    }

    @Test("Private and local types are named without run-time addresses")
    func withoutAddresses() {
        struct Local {}
        for name in [
            ComponentNames.qualifiedName(of: Hidden.self), ComponentNames.qualifiedName(of: Local.self),
            ComponentNames.qualifiedName(of: Holder<Hidden>.self),
            ComponentNames.qualifiedName(of: Holder<(Hidden, Local)>.self),
        ] {
            #expect(!name.contains("unknown context"), "\(name)")
            #expect(!name.contains("$"), "\(name)")
        }
        #expect(ComponentNames.qualifiedName(of: Hidden.self) == "AxiomTests.Hidden")
        #expect(ComponentNames.qualifiedName(of: Local.self) == "AxiomTests.ComponentNamesTests.Local")
        #expect(ComponentNames.qualifiedName(of: Holder<Hidden>.self) == "AxiomTests.Holder<AxiomTests.Hidden>")
        #expect(
            ComponentNames.qualifiedName(of: Holder<(Int, String)>.self)
                == "AxiomTests.Holder<(Swift.Int, Swift.String)>"
        )
    }

    @Test("Types that share even the qualified name are numbered in the order of registration")
    func numbered() {
        func first() -> ComponentNames.Request {
            struct Local {}
            return request(Local.self)
        }
        func second() -> ComponentNames.Request {
            struct Local {}
            return request(Local.self)
        }
        func third() -> ComponentNames.Request {
            struct Local {}
            return request(Local.self)
        }
        #expect(
            names(first(), second(), third()) == ["", "#2", "#3"].map { "AxiomTests.ComponentNamesTests.Local" + $0 }
        )
    }

    @Test("However names are chosen, no two are equal", arguments: 0..<50)
    func unique(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pool = ["A", "A#2", "AxiomTests.Hidden", "AxiomTests.North.Station", "B"]
        let types: [any Any.Type] = [Hidden.self, North.Station.self, South.Station.self, Int.self, String.self]
        let requests = types.shuffled(using: &random).map { type in
            ComponentNames.Request(type, preferred: pool.randomElement(using: &random) ?? "")
        }
        var names = ComponentNames()
        for request in requests { names.add(request) }
        let resolved = names.resolved()
        #expect(resolved.count == types.count)
        #expect(Set(resolved.values).count == types.count, "\(resolved)")
    }
}
