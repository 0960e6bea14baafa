// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// 1,000 types: a number has three digits, each of which is one of ten types.
private enum Decimal {
    protocol Digit: SendableMetatype { static var text: String { get } }
    enum D0: Digit { static let text = "0" }
    enum D1: Digit { static let text = "1" }
    enum D2: Digit { static let text = "2" }
    enum D3: Digit { static let text = "3" }
    enum D4: Digit { static let text = "4" }
    enum D5: Digit { static let text = "5" }
    enum D6: Digit { static let text = "6" }
    enum D7: Digit { static let text = "7" }
    enum D8: Digit { static let text = "8" }
    enum D9: Digit { static let text = "9" }
    enum Number<A: Digit, B: Digit, C: Digit>: Numbered { static var text: String { C.text + B.text + A.text } }

    static let digits: [any Digit.Type] = [
        D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
    ]

    static func type(_ number: Int) -> any Numbered.Type {
        func open<A: Digit, B: Digit, C: Digit>(_: A.Type, _: B.Type, _: C.Type) -> any Numbered.Type {
            Number<A, B, C>.self
        }
        let (a, b): (any Digit.Type, any Digit.Type) = (digits[number % 10], digits[number / 10 % 10])
        let c: any Digit.Type = digits[number / 100]
        return open(a, b, c)
    }
}

private protocol Numbered: SendableMetatype { static var text: String { get } }

/// Several types ask for one name: those whose numbers end with the same two digits.
private struct Shown<Number: Numbered>: Presentation {
    static var componentName: String { "Shown\(Number.text.suffix(2))" }
    let context: PlainContext
    var body: Int { 0 }
}

/// The registrations as searches in lists would keep them.
private struct Lists {
    struct Plan {
        var request: ComponentNames.Request
        var state: (type: ObjectIdentifier, name: String)?
    }

    var plans: [Plan] = []
    var mistakes: [CompositionError] = []

    mutating func add(
        _ request: ComponentNames.Request,
        state: (type: ObjectIdentifier, name: String)?,
        replacing: Bool
    ) {
        if let state,
            let other = plans.first(where: { $0.state?.type == state.type && $0.request.type != request.type })
        {
            let names = "\(request.preferred) and \(other.request.preferred)"
            mistakes.append(
                CompositionError(
                    .stateOwnedTwice,
                    "\(names) both own the state \(state.name).",
                    "Give each client a state type of its own, or let one client own it."
                )
            )
        }
        guard let index = plans.firstIndex(where: { $0.request.key == request.key }) else {
            plans.append(Plan(request: request, state: state))
            return
        }
        if replacing {
            plans[index] = Plan(request: request, state: state)
        } else {
            mistakes.append(.registeredTwice(plans[index].request.preferred, request.preferred))
        }
    }
}

@MainActor
@Suite("Several hundred registrations", .timeLimit(.minutes(10)))
struct ManyComponentsTests {
    private func request(_ number: Int, as key: Int? = nil) -> ComponentNames.Request {
        func open<N: Numbered>(_ type: N.Type, _ key: ObjectIdentifier?) -> ComponentNames.Request {
            ComponentNames.Request(type, as: key, preferred: "C\(N.text)")
        }
        return open(Decimal.type(number), key.map { ObjectIdentifier(Decimal.type($0)) })
    }

    private func plan(_ request: ComponentNames.Request, _ state: Int?) -> Blueprint.ClientPlan {
        Blueprint.ClientPlan(
            type: request,
            state: state.map { (ObjectIdentifier(Decimal.type($0)), "S\($0)") },
            make: { _, _ in throw SampleError("not made") },
            fail: { _, _, _ in }
        )
    }

    @Test("Order, replacements and mistakes of clients are those of searches in lists", arguments: 0..<20)
    func clients(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let types = Int.random(in: 50...800, using: &random)
        var (blueprint, lists) = (Blueprint(), Lists())
        for _ in 0..<600 {
            let request = request(Int.random(in: 0..<types, using: &random))
            let state = Int.random(in: 0..<4, using: &random) == 0 ? nil : Int.random(in: 0..<types, using: &random)
            let replacing = Int.random(in: 0..<3, using: &random) == 0
            let plan = plan(request, state)
            blueprint.add(plan, replacing: replacing)
            lists.add(request, state: plan.state, replacing: replacing)
        }
        #expect(blueprint.clients.map(\.type.key) == lists.plans.map(\.request.key), "seed \(seed)")
        #expect(blueprint.clients.map(\.state?.name) == lists.plans.map(\.state?.name), "seed \(seed)")
        #expect(blueprint.mistakes == lists.mistakes, "seed \(seed)")
        #expect(Set(lists.mistakes.map(\.code)) == [.registeredTwice, .stateOwnedTwice], "seed \(seed)")
    }

    @Test("A capability is found by the type under which it is resolved, whatever its own", arguments: 0..<20)
    func capabilities(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (blueprint, lists) = (Blueprint(), Lists())
        for _ in 0..<600 {
            let (own, key) = (Int.random(in: 0..<300, using: &random), Int.random(in: 0..<300, using: &random))
            let (request, replacing) = (request(own, as: key), Bool.random(using: &random))
            let plan = Blueprint.CapabilityPlan(type: request) { component, port, _ in
                preconditionFailure("\(component) is not built by \(port)")
            }
            blueprint.add(plan, replacing: replacing)
            lists.add(request, state: nil, replacing: replacing)
        }
        #expect(blueprint.capabilities.map(\.type.key) == lists.plans.map(\.request.key), "seed \(seed)")
        #expect(blueprint.capabilities.map(\.type.type) == lists.plans.map(\.request.type), "seed \(seed)")
        #expect(blueprint.mistakes == lists.mistakes, "seed \(seed)")
        let keys = lists.plans.flatMap { [$0.request.key, $0.request.type] }
        #expect(blueprint.capabilityTypes == Set(keys), "seed \(seed)")
    }

    @Test("One type may be a capability, a client and a context: the lists do not mix")
    func kinds() {
        var blueprint = Blueprint()
        for number in 0..<300 {
            blueprint.add(plan(request(number), number), replacing: false)
            blueprint.add(
                Blueprint.ContextPlan(type: request(299 - number), install: { _, _, _ in }, makeWithoutInput: nil),
                replacing: false
            )
        }
        #expect(blueprint.mistakes.isEmpty)
        #expect(blueprint.clients.map(\.type.preferred) == blueprint.contexts.map(\.type.preferred).reversed())
        let mistake = CompositionError(.invalidName, "a", "b")
        for _ in 0..<3 { blueprint.note(mistake) }
        #expect(blueprint.mistakes == [mistake])
    }

    @Test("Hundreds of presentations and clients have different names, given in the order of their first use")
    func names() {
        var blueprint = Blueprint()
        for number in 0..<500 {
            // Every fifth client has the name that some presentations ask for.
            let name = number % 5 == 0 ? "Shown\(number / 5)" : "C\(number)"
            func open<N: Numbered>(_ type: N.Type) -> ComponentNames.Request {
                ComponentNames.Request(type, preferred: name)
            }
            blueprint.add(plan(open(Decimal.type(number)), nil), replacing: false)
        }
        var table = NameTable(blueprint)
        var taken = Set(blueprint.clients.map { table.descriptor(of: $0.type, .client).name })
        #expect(taken.count == 500)
        for number in 0..<300 {
            func open<N: Numbered>(_ type: N.Type) {
                let wanted = Shown<N>.componentName
                let name = taken.contains(wanted) ? ComponentNames.qualifiedName(of: Shown<N>.self) : wanted
                let (component, isNew) = table.presentation(Shown<N>.self)
                #expect(isNew && component.name == name && component.kind == .presentation)
                #expect(taken.insert(component.name).inserted)
                #expect(table.presentation(Shown<N>.self) == (component, false))
            }
            open(Decimal.type(number))
        }
    }
}

@Suite("The queue of initialisations")
struct InitializationQueueTests {
    private static func component(_ index: Int) -> ComponentDescriptor {
        ComponentDescriptor(kind: .capability, name: "C\(index)")
    }

    /// Edges point to lower numbers, but for a few, which may close cycles. Some lead out of the queue.
    private func graph(_ count: Int, _ random: inout SeededGenerator) -> ComponentGraph {
        var graph = ComponentGraph()
        for index in 0..<count {
            graph.add(Self.component(index))
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                let isRising = Int.random(in: 0..<100, using: &random) == 0
                let other =
                    isRising ? Int.random(in: index..<count, using: &random) : Int.random(in: 0...index, using: &random)
                if other != index || isRising {
                    graph.add(ComponentDependency(from: Self.component(index), to: Self.component(other)))
                }
            }
        }
        return graph
    }

    @Test(
        "A component begins when its dependencies in the queue are finished, in the order of the queue",
        arguments: 0..<50
    )
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let graph = graph(300, &random)
        var waiting = graph.nodes.shuffled(using: &random).dropLast(20)
        var (queue, unfinished) = (InitializationQueue(order: Array(waiting), graph: graph), Set(waiting))
        var underWay: [ComponentDescriptor] = []
        repeat {
            let ready = waiting.filter { graph.dependencies(of: $0).allSatisfy { !unfinished.contains($0) } }
            #expect(queue.takeReady() == Array(ready), "seed \(seed)")
            waiting.removeAll { ready.contains($0) }
            underWay += ready
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let index = underWay.indices.randomElement(using: &random) else { break }
                let finished = underWay.remove(at: index)
                unfinished.remove(finished)
                queue.finish(finished)
            }
        } while !underWay.isEmpty
            || waiting.contains { graph.dependencies(of: $0).allSatisfy { !unfinished.contains($0) } }
        #expect(queue.stuck == Array(waiting), "seed \(seed)")
        queue.close()
        #expect(queue.stuck.isEmpty && queue.takeReady().isEmpty)
    }

    @Test("The dependents of several components are those of each", arguments: 0..<50)
    func dependents(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let graph = graph(300, &random)
        let named = Set(graph.nodes.shuffled(using: &random).prefix(Int.random(in: 0..<5, using: &random)))
        let expected = named.reduce(into: Set()) { $0.formUnion(graph.dependents(of: $1)) }
        #expect(graph.dependents(of: named) == expected, "seed \(seed)")
        #expect(graph.capabilities(dependingOn: named) == expected, "seed \(seed)")
    }
}
