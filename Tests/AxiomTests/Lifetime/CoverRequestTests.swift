// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// What the requests to a host lead to, in the order in which they begin.
@MainActor
private final class HostModel {
    private(set) var life: ContextVisibility.Life?

    func begin(_ request: Int) {
        switch request {
        case 0: if life == nil { life = .visible }
        case 1, 2, 3: if life != nil { life = .covered }
        case 4, 5: if life != nil { life = .visible }
        default: life = nil
        }
    }
}

@MainActor
@Suite("Requests to cover and uncover a presentation", .timeLimit(.minutes(10)))
struct CoverRequestTests {
    private let journal = Journal<String>()
    private let begun = Gate()
    private let gate = Gate()
    /// Stands still: no limit expires.
    private let clock = TimeSource.manual(ManualTime())

    /// A script that records each notification.
    private func script() -> ScriptContext.Script {
        let journal = journal
        var script = ScriptContext.Script()
        script.onAppear = { _ in journal.write("appear") }
        script.onDisappear = { _ in journal.write("disappear") }
        return script
    }

    private func host(
        _ script: ScriptContext.Script
    ) async throws -> (Orchestrator, PresentationHost<ScriptPresentation>) {
        let orchestrator = Orchestrator.scripted(script, clock: clock)
        try await orchestrator.start()
        return (orchestrator, PresentationHost(ScriptPresentation.self, orchestrator) { _ in })
    }

    @Test("A cover that is requested after an uncover is not overtaken by it (CTX-08)", arguments: 0..<8)
    func coverAfterUncover(turns: Int) async throws {
        let (_, host) = try await host(script())
        try await host.mount()
        await host.cover()
        let uncover = Task { await host.uncover() }
        for _ in 0..<turns { await Task.yield() }
        let cover = Task { await host.cover() }
        await uncover.value
        await cover.value
        #expect(host.context?.runtime.life == .covered)
        await host.unmount()
        #expect(journal.entries.count.isMultiple(of: 2))
    }

    @Test("A context that unmounts or uncovers its presentation while it is covered does not wait for itself (CTX-08)")
    func requestsWhileCovering() async throws {
        let (box, journal) = (Box<PresentationHost<ScriptPresentation>>(), journal)
        var script = script()
        script.onDisappear = { context in
            journal.write("disappear")
            if context.value == 1 { await box.value?.uncover() } else { await box.value?.unmount() }
            journal.write("requested")
        }
        let (_, host) = try await host(script)
        box.put(host)
        try await host.mount()
        host.context?.value = 1
        await host.cover()
        await journal.wait { $0.count == 4 }
        #expect(journal.entries == ["appear", "disappear", "requested", "appear"])
        host.context?.value = 2
        await host.cover()
        await host.unmount()
        #expect(journal.entries.suffix(2) == ["disappear", "requested"])
        #expect(host.context == nil)
    }

    @Test("A context that uncovers its presentation from an earlier onAppear() does not wait for itself (CTX-08)")
    func requestWhileAppearing() async throws {
        let (box, journal, begun, gate) = (Box<PresentationHost<ScriptPresentation>>(), journal, begun, gate)
        var script = script()
        script.onAppear = { context in
            context.value += 1
            journal.write("appear \(context.value)")
            guard context.value == 1 else { return }
            begun.open()
            await gate.wait()
            await box.value?.uncover()
            journal.write("returned")
        }
        let (_, host) = try await host(script)
        box.put(host)
        let mount = Task { try await host.mount() }
        await begun.wait()
        await host.cover()
        gate.open()
        try await mount.value
        #expect(journal.entries == ["appear 1", "disappear", "appear 2", "returned"])
        #expect(host.context?.runtime.life == .visible)
    }

    @Test(
        "Random requests, each without waiting for the others, leave the last one and alternate the calls",
        arguments: 0..<100
    )
    func randomRequests(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let journal = journal
        var script = script()
        script.onAppear = { _ in
            journal.write("appear")
            for _ in 0..<3 { await Task.yield() }
        }
        script.onDisappear = { _ in
            journal.write("disappear")
            await Task.yield()
        }
        let (orchestrator, host) = try await host(script)
        var requests: [Task<Void, Never>] = []
        let model = HostModel()
        for _ in 0..<12 {
            let request = Int.random(in: 0..<7, using: &random)
            for _ in 0..<Int.random(in: 0..<6, using: &random) { await Task.yield() }
            requests.append(
                Task {
                    model.begin(request)
                    switch request {
                    case 0: try? await host.mount()
                    case 1, 2, 3: await host.cover()
                    case 4, 5: await host.uncover()
                    default: await host.unmount()
                    }
                }
            )
        }
        for request in requests { await request.value }
        #expect(host.context?.runtime.life == model.life, "seed \(seed): \(journal.entries)")
        await orchestrator.shutdown()
        let calls = journal.entries
        for (index, call) in calls.enumerated() {
            #expect(call == (index.isMultiple(of: 2) ? "appear" : "disappear"), "seed \(seed): \(calls)")
        }
        #expect(calls.count.isMultiple(of: 2), "seed \(seed): \(calls)")
        #expect(host.context == nil)
    }
}
