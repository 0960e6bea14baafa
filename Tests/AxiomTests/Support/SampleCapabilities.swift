// SPDX-License-Identifier: Apache-2.0

import Axiom

/// Tells one ``Part`` from another: capabilities are found by their type.
protocol PartTag: Sendable {
    static var index: Int { get }
}

enum P0: PartTag { static let index = 0 }
enum P1: PartTag { static let index = 1 }
enum P2: PartTag { static let index = 2 }
enum P3: PartTag { static let index = 3 }
enum P4: PartTag { static let index = 4 }
enum P5: PartTag { static let index = 5 }
enum P6: PartTag { static let index = 6 }
enum P7: PartTag { static let index = 7 }
enum P8: PartTag { static let index = 8 }
enum P9: PartTag { static let index = 9 }

let partTags: [any PartTag.Type] = [
    P0.self, P1.self, P2.self, P3.self, P4.self, P5.self, P6.self, P7.self, P8.self, P9.self,
]

/// A capability of a machine that a test puts together: it writes its life into a journal.
actor Part<Tag: PartTag>: Capability {
    static var componentName: String { "P\(Tag.index)" }

    nonisolated let identity: ComponentIdentity
    private let machine: PartMachine

    init(_ scope: borrowing CapabilityScope, _ machine: PartMachine) throws {
        identity = scope.identity
        self.machine = machine
        for index in machine.dependencies[Tag.index, default: []] { try Self.resolve(partTags[index], scope) }
    }

    private static func resolve<Other: PartTag>(_ tag: Other.Type, _ scope: borrowing CapabilityScope) throws {
        _ = try scope.capability(Part<Other>.self)
    }

    func initialize() async throws {
        machine.journal.write("begin P\(Tag.index)")
        try await machine.onInitialize(Tag.index)
        machine.journal.write("initialized P\(Tag.index)")
    }

    func terminate() async {
        machine.journal.write("terminated P\(Tag.index)")
    }
}

/// Ten capabilities at most, with configurable dependencies.
struct PartMachine: Sendable {
    let journal = Journal<String>()
    /// What each part depends on, by index.
    var dependencies: [Int: [Int]] = [:]
    var onInitialize: @Sendable (Int) async throws -> Void = { _ in }

    @MainActor
    func register(_ indices: some Sequence<Int>, in orchestrator: Orchestrator, optional: Set<Int> = []) {
        for index in indices {
            register(partTags[index], in: orchestrator, optional.contains(index) ? .optional : .required)
        }
    }

    @MainActor
    private func register<Tag: PartTag>(
        _ tag: Tag.Type,
        in orchestrator: Orchestrator,
        _ requirement: CapabilityRequirement
    ) {
        orchestrator.register(Part<Tag>.self, requirement: requirement) { try Part<Tag>($0, self) }
    }

    /// The indices of those that did `what`, in order.
    func order(of what: String) -> [Int] {
        journal.entries.compactMap { entry in
            entry.hasPrefix("\(what) P") ? entry.last.flatMap(\.wholeNumberValue) : nil
        }
    }
}

/// Keeps a reference to a capability, so that a test can ask it.
actor Keeper<C: Sendable>: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let ref: CapabilityRef<C>

    init(_ scope: borrowing ClientScope, _ type: C.Type, _ hand: (CapabilityRef<C>) -> Void) throws {
        identity = scope.identity
        ref = try scope.capability(type)
        hand(ref)
    }

    func process(_ action: NoAction) async throws {}
}

/// A place that a factory puts something into.
final class Box<Value: Sendable>: Sendable {
    private let journal = Journal<Value>()

    var value: Value? { journal.entries.last }
    var all: [Value] { journal.entries }

    func put(_ value: Value) { journal.write(value) }
}
