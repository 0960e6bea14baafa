// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

private protocol Calendar: Sendable { var today: String { get } }

private final class Made: Calendar {
    let today = "Monday"
}

private struct Fixed: Calendar { let today: String }

private struct Report: Sendable { let text: String }
private struct Loop: Sendable {}
private struct Knot: Sendable {}

private actor Shop: Capability {
    nonisolated let identity: ComponentIdentity
    nonisolated let calendars: [any Calendar]
    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        calendars = [try scope.service((any Calendar).self), try scope.service((any Calendar).self)]
    }
}

private actor Till: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let shop: CapabilityRef<Shop>
    nonisolated let calendar: any Calendar
    nonisolated let report: Report
    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        shop = try scope.capability(Shop.self)
        calendar = try scope.service((any Calendar).self)
        report = try scope.service(Report.self)
    }
    func process(_ action: NoAction) async throws {}
}

@MainActor
@Suite("Services", .timeLimit(.minutes(10)))
struct ServiceTests {
    private let orchestrator = Orchestrator(limits: .endless)

    private func start(_ lifetime: ServiceLifetime) async throws -> Till {
        orchestrator.provide((any Calendar).self, lifetime) { Made() }
        orchestrator.provide(Report.self) { Report(text: "Report of \(try $0.service((any Calendar).self).today)") }
        return try await start()
    }

    private func start() async throws -> Till {
        let made = Box<Till>()
        orchestrator.register(Shop.self) { try Shop($0) }
        orchestrator.register(Till.self) {
            let till = try Till($0)
            made.put(till)
            return till
        }
        try await orchestrator.start()
        return try #require(made.value)
    }

    private func objects(_ till: Till) throws -> [ObjectIdentifier] {
        (try till.shop.current().calendars + [till.calendar]).map { ObjectIdentifier($0 as AnyObject) }
    }

    @Test("Capabilities, clients and services share a singleton (ORC-10)")
    func singleton() async throws {
        let till = try await start(.singleton)
        #expect(try Set(objects(till)).count == 1)
        #expect(till.report.text == "Report of Monday")
        await orchestrator.shutdown()
    }

    @Test("A transient service is made each time (ORC-10)")
    func transient() async throws {
        let till = try await start(.transient)
        #expect(try Set(objects(till)).count == 3)
        await orchestrator.shutdown()
    }

    @Test("The next run of the application makes its own singletons, and those of the last one end")
    func perRun() async throws {
        let made = Journal<WeakReference>()
        orchestrator.provide(Made.self) {
            let service = Made()
            made.write(WeakReference(service))
            return service
        }
        orchestrator.provide((any Calendar).self) { try $0.service(Made.self) }
        orchestrator.register(Shop.self) { try Shop($0) }
        for run in 1...2 {
            try await orchestrator.start()
            #expect(made.entries.count == run && made.entries.last?.object != nil)
            await orchestrator.shutdown()
            #expect(made.entries.last?.object == nil)
        }
    }

    @Test("A test replaces a service, for all of its users (ORC-10)")
    func overridden() async throws {
        orchestrator.override(service: (any Calendar).self, with: Fixed(today: "Friday"))
        orchestrator.provide(Report.self) { Report(text: try $0.service((any Calendar).self).today) }
        let till = try await start()
        #expect(till.report.text == "Friday" && till.calendar.today == "Friday")
        await orchestrator.shutdown()
    }

    @Test("A service that is not provided is an error of the start that names its user and the type (ORC-11)")
    func missing() async throws {
        orchestrator.register(Shop.self) { try Shop($0) }
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .notRegistered)
        #expect(error?.message.contains("The capability Shop requires the service") == true)
    }

    @Test("Services that require each other are an error that shows their path (C20)")
    func cycle() async throws {
        orchestrator.provide((any Calendar).self) { try $0.service(Loop.self) as? any Calendar ?? Made() }
        orchestrator.provide(Loop.self, .transient) {
            _ = try $0.service(Knot.self)
            return Loop()
        }
        orchestrator.provide(Knot.self) {
            _ = try $0.service(Loop.self)
            return Knot()
        }
        orchestrator.register(Shop.self) { try Shop($0) }
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .serviceCycle)
        #expect(error?.message == "Services require each other in a cycle: Loop → Knot → Loop.")
        #expect(orchestrator.validate().mistakes.map(\.code) == [.serviceCycle])
    }

    @Test("A service that is provided twice is a mistake, one that comes after the start is reported")
    func registration() async throws {
        orchestrator.provide(Loop.self) { Loop() }
        orchestrator.provide(Loop.self) { Loop() }
        #expect(orchestrator.validate().mistakes.map(\.code) == [.registeredTwice])
        let other = Orchestrator(limits: .endless)
        try await other.start()
        other.provide(Loop.self) { Loop() }
        await until { other.errorBoundary.current != nil }
        #expect((other.errorBoundary.current?.error as? CompositionError)?.code == .wrongPhase)
        await other.shutdown()
    }

    @Test("Threads that resolve a singleton at the same time get the same instance")
    func concurrent() async throws {
        let plan = ServicePlan(Made.self, .singleton) { _ in Made() }
        let registry = ServiceRegistry([plan.key: plan], orchestrator.flags)
        let threads = (0..<200).map { _ in
            Task.detached { ObjectIdentifier(try registry.resolve(Made.self, for: "The test")) }
        }
        var ids: Set<ObjectIdentifier> = []
        for thread in threads { ids.insert(try await thread.value) }
        #expect(ids.count == 1)
    }
}
