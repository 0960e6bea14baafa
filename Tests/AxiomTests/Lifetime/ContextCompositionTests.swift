// SPDX-License-Identifier: Apache-2.0

import Observation
import Testing

@testable import Axiom

/// A context whose input is its label.
@Observable
private final class Leaf: Context {
    typealias Input = String

    @ObservationIgnored let identity: ComponentIdentity
    let label: String

    init(_ scope: borrowing ContextScope, _ label: String) {
        identity = scope.identity
        self.label = label
    }
}

@Observable
private final class Branch: Context {
    @ObservationIgnored let identity: ComponentIdentity
    let left: Leaf
    let right: Leaf

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        left = try scope.context(Leaf.self, "left")
        right = try scope.context(Leaf.self, "right")
    }
}

/// Passes its scope to another context, which it keeps as its input says.
@Observable
private final class Sharing: Context {
    enum Place: CaseIterable { case property, optional, array, elsewhere }
    typealias Input = Place

    @ObservationIgnored let identity: ComponentIdentity
    var property: any Context
    var optional: Acting?
    var array: [Acting] = []
    /// A context that is kept elsewhere.
    // axiom:ignore hidden-dependency The framework refuses such a context.
    @ObservationIgnored static var last: Acting?

    init(_ scope: borrowing ContextScope, _ place: Place) throws {
        identity = scope.identity
        property = try scope.context(Leaf.self, "own")
        // axiom:ignore scope-kept The framework refuses such a context.
        let other = Acting(scope)
        switch place {
        case .property: property = other
        case .optional: optional = other
        case .array: array = [other]
        case .elsewhere: Self.last = other
        }
    }
}

@Observable
private final class Acting: Context {
    enum ActionType: Action { case act }

    @ObservationIgnored let identity: ComponentIdentity
    private(set) var acted = 0

    init(_ scope: borrowing ContextScope) { identity = scope.identity }
    func handle(_ action: ActionType) { acted += 1 }
}

/// Counts the actions of another context, in whose name it acts.
private final class Counting<Base: Context>: Context {
    private let base: Base
    private(set) var count = 0

    init(_ base: Base) { self.base = base }

    nonisolated var identity: ComponentIdentity { base.identity }

    func handle(_ action: Base.ActionType) async throws -> Base.ActionType.Answer {
        count += 1
        return try await base.handle(action)
    }
}

@Observable
private final class Alpha: Context {
    @ObservationIgnored let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        _ = try scope.context(Beta.self)
    }
}

@Observable
private final class Beta: Context {
    @ObservationIgnored let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        _ = try scope.context(Alpha.self)
    }
}

/// A tree as deep as its input.
@Observable
private final class Comment: Context {
    typealias Input = Int

    @ObservationIgnored let identity: ComponentIdentity
    let depth: Int

    init(_ scope: borrowing ContextScope, depth: Int) throws {
        identity = scope.identity
        self.depth = depth
        if depth > 1 { _ = try scope.context(Comment.self, depth - 1) }
    }
}

/// Stores whichever identity it is given.
@Observable
private final class Impostor: Context {
    @ObservationIgnored let identity: ComponentIdentity

    init(_ identity: ComponentIdentity) { self.identity = identity }
}

@MainActor
@Suite("Contexts made of contexts", .timeLimit(.minutes(10)))
struct ContextCompositionTests {
    private let orchestrator = Orchestrator(limits: .endless)

    private func cycle(_ make: () throws -> any Context) throws -> CompositionError {
        let error = try #require(throws: CompositionError.self) { _ = try make() }
        #expect(error.code == ErrorCode.contextCycle)
        return error
    }

    @Test("A context that resolves the same type twice owns two instances, each with its input")
    func ownership() async throws {
        orchestrator.register(Leaf.self) { Leaf($0, $1) }
        orchestrator.register(Branch.self) { try Branch($0) }
        try await orchestrator.start()
        let branch = try orchestrator.makeContext(Branch.self)
        #expect(branch.left !== branch.right)
        #expect([branch.left.label, branch.right.label] == ["left", "right"])
        #expect(
            branch.downstreamContexts.map { $0.identity.id } == [branch.left.identity.id, branch.right.identity.id]
        )
        #expect(branch.left.upstreamContext === branch)
        #expect(branch.upstreamContext == nil)
    }

    @Test("The upstream context is held weakly, the downstream ones strongly")
    func upstreamIsWeak() async throws {
        orchestrator.register(Leaf.self) { Leaf($0, $1) }
        orchestrator.register(Branch.self) { try Branch($0) }
        try await orchestrator.start()
        var branch: Branch? = try orchestrator.makeContext(Branch.self)
        let leaf = try #require(branch?.left)
        weak let right = branch?.right
        branch = nil
        #expect(leaf.upstreamContext == nil)
        #expect(right == nil)
    }

    @Test("Contexts that resolve each other throw with the path of the cycle (rule 8)")
    func circle() async throws {
        orchestrator.register(Alpha.self) { try Alpha($0) }
        orchestrator.register(Beta.self) { try Beta($0) }
        try await orchestrator.start()
        #expect(try cycle { try orchestrator.makeContext(Alpha.self) }.message.contains("Alpha → Beta → Alpha"))
        #expect(try cycle { try orchestrator.makeContext(Beta.self) }.message.contains("Beta → Alpha → Beta"))
    }

    @Test("A context that contains its own type throws, unless it is registered as recursive")
    func recursion() async throws {
        orchestrator.register(Comment.self) { try Comment($0, depth: $1) }
        try await orchestrator.start()
        _ = try orchestrator.makeContext(Comment.self, 1)
        #expect(try cycle { try orchestrator.makeContext(Comment.self, 2) }.message.contains("Comment → Comment"))
    }

    @Test("A recursive context may be nested to the limit and no further")
    func depthLimit() async throws {
        orchestrator.register(Comment.self, recursive: true) { try Comment($0, depth: $1) }
        try await orchestrator.start()
        var depths: [Int] = []
        var next: (any Context)? = try orchestrator.makeContext(Comment.self, ResolutionPath.depthLimit)
        while let comment = next as? Comment {
            depths.append(comment.depth)
            next = comment.downstreamContexts.first
        }
        #expect(depths == Array((1...ResolutionPath.depthLimit).reversed()))
        let error = try #require(throws: CompositionError.self) {
            _ = try orchestrator.makeContext(Comment.self, ResolutionPath.depthLimit + 1)
        }
        #expect(error.code == .contextsTooDeep)
        #expect(error.message.hasPrefix("More than \(ResolutionPath.depthLimit) contexts contain each other"))
    }

    @Test("An unregistered context is an error that names it and the context that requires it")
    func missing() async throws {
        orchestrator.register(Branch.self) { try Branch($0) }
        try await orchestrator.start()
        let error = try #require(throws: CompositionError.self) { try orchestrator.makeContext(Branch.self) }
        #expect(error.code == ErrorCode.notRegistered)
        #expect(error.message.contains("context Branch"))
        #expect(error.message.contains("Leaf"))
    }

    @Test("A context that stores another's identity is refused, and so is one that was handed out before")
    func foreignIdentity() async throws {
        let first = Box<Impostor>()
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        orchestrator.register(Impostor.self) { scope in
            if let before = first.value { return before }
            first.put(Impostor(scope.identity))
            return first.value ?? Impostor(scope.identity)
        }
        try await orchestrator.start()
        _ = try orchestrator.makeContext(Impostor.self)
        let error = try #require(throws: CompositionError.self) { try orchestrator.makeContext(Impostor.self) }
        #expect(error.code == ErrorCode.foreignIdentity)
        #expect(error.message.contains("Impostor"))
    }

    @Test("A context that makes another one with its own scope is refused, and the error names both")
    func sharedScope() async throws {
        for place in Sharing.Place.allCases where place != .elsewhere {
            let orchestrator = Orchestrator()
            orchestrator.register(Leaf.self) { Leaf($0, $1) }
            orchestrator.register(Sharing.self) { try Sharing($0, $1) }
            try await orchestrator.start()
            for _ in 0..<2 {
                let error = try #require(throws: CompositionError.self) {
                    try orchestrator.makeContext(Sharing.self, place)
                }
                #expect(
                    error.code == .foreignIdentity
                        && error.message.contains("context Sharing passed its scope to Acting")
                )
                #expect(error.recoverySuggestion.contains("scope.context(Acting.self)"))
            }
            await orchestrator.shutdown()
        }
    }

    @Test("A context that was made with another's scope and hidden handles no actions, and its error names both")
    func hiddenSharedScope() async throws {
        orchestrator.register(Leaf.self) { Leaf($0, $1) }
        orchestrator.register(Sharing.self) { try Sharing($0, $1) }
        try await orchestrator.start()
        let owner = try orchestrator.makeContext(Sharing.self, .elsewhere)
        let other = try #require(Sharing.last)
        Sharing.last = nil
        await other.send(.act)
        #expect(other.acted == 0 && owner.errorBoundary.count == 1)
        #expect((owner.errorBoundary.current?.error as? CompositionError)?.code == .foreignIdentity)
    }

    @Test("A decorator, which stores the context that has the scope, sends actions in its name")
    func decorator() async throws {
        orchestrator.register(Acting.self) { Acting($0) }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(Acting.self)
        let decorator = Counting(context)
        await decorator.send(.act)
        await context.send(.act)
        #expect(context.acted == 2 && decorator.count == 1)
        #expect(context.errorBoundary.count == 0)
    }

    @Test("Contexts are made between start and shutdown only")
    func phases() async throws {
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        for phase in ["configuring", "running", "stopped"] {
            if phase == "running" { try await orchestrator.start() }
            if phase == "stopped" { await orchestrator.shutdown() }
            if phase == "running" {
                _ = try orchestrator.makeContext(PlainContext.self)
            } else {
                let error = try #require(throws: CompositionError.self) {
                    try orchestrator.makeContext(PlainContext.self)
                }
                #expect(error.code == ErrorCode.wrongPhase)
                #expect(error.message.contains(phase))
            }
        }
    }

    @Test("What was resolved is in the graph: who asked, and for what")
    func graph() async throws {
        orchestrator.register(Leaf.self) { Leaf($0, $1) }
        orchestrator.register(Branch.self) { try Branch($0) }
        try await orchestrator.start()
        _ = try orchestrator.makeContext(Branch.self)
        _ = try orchestrator.makeContext(Branch.self)
        let edges = orchestrator.graph.edges.map { "\($0.from.name) → \($0.to.name)" }
        #expect(edges == ["Orchestrator → Branch", "Branch → Leaf"])
    }
}
