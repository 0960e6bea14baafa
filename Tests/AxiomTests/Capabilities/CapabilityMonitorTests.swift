// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@MainActor
@Suite("Sources of changes that are monitored", .timeLimit(.minutes(10)))
struct CapabilityMonitorTests {
    private let app = CameraApp()

    private func start() async throws {
        app.orchestrator.monitor(app.source, for: Camera.self)
        try await app.orchestrator.start()
        await app.source.listened()
    }

    /// Sends events, lets the debounce time pass, and waits until the camera was initialised so often.
    private func send(_ events: CapabilityEvent..., initialized count: Int) async {
        for event in events { app.source.send(event) }
        await app.pass()
        await app.control.journal.wait { $0.count { $0 == "initialized" } == count }
    }

    @Test("A revoked and a granted permission replaces the capability and its dependents, in order (CAP-08, CAP-11)")
    func permission() async throws {
        try await start()
        app.control.set { $0.permission = .denied }
        await send(.permission(.camera, .denied), initialized: 2)
        await app.control.journal.wait { $0.count == 5 }
        #expect(app.control.journal.entries == ["initialized", "analysis", "terminated", "initialized", "analysis"])
        #expect(try app.camera.degradationLevel == .unavailable)
        #expect(try app.camera.report.reason == "the permission camera is denied")
        try await app.analysis.reaches(.limited)
        app.control.set { $0.permission = .granted }
        await send(.permission(.camera, .granted), initialized: 3)
        try await app.analysis.reaches(.full)
        #expect(try app.camera.degradationLevel == .full)
    }

    @Test("A lost and a restored service replaces the capability; meanwhile it is minimal with the reason (CAP-10)")
    func service() async throws {
        try await start()
        // The pressure tells that the first event was carried out, and is not replaced by the next one.
        app.source.send(.service(.network, isUp: true, reason: ""), .pressure(.memory, .warning))
        await app.pass()
        await app.control.journal.wait(for: "relieved memory warning")
        await send(.service(.network, isUp: false, reason: "eth0 has no carrier"), initialized: 2)
        await until {
            (try? app.camera.report) == .init(level: .minimal, isAvailable: nil, reason: "eth0 has no carrier")
        }
        await send(.service(.network, isUp: true, reason: ""), initialized: 3)
        try await app.camera.reaches(.full)
    }

    @Test("The first event describes the state at the start: it changes the level, and replaces nothing (CAP-11)")
    func first() async throws {
        app.source.send(.service(.network, isUp: false, reason: "there is no route"))
        try await start()
        await app.pass()
        try await app.camera.reaches(.minimal)
        #expect(app.control.journal.entries == ["initialized", "analysis"])
    }

    @Test("A limited permission and pressure change the level and relieve the capability, and replace nothing (CAP-10)")
    func levelOnly() async throws {
        try await start()
        app.source.send(.permission(.camera, .limited))
        await app.pass()
        try await app.camera.reaches(.limited)
        app.source.send(.permission(.camera, .granted), .pressure(.memory, .critical))
        await app.pass()
        await app.control.journal.wait(for: "relieved memory critical")
        #expect(try app.camera.report.reason == "the pressure of the resource memory is critical")
        app.source.send(.pressure(.memory, .none))
        await app.pass()
        await app.control.journal.wait(for: "relieved memory none")
        #expect(try app.camera.degradationLevel == .full)
        #expect(app.control.count("initialized") == 1)
    }

    @Test("Events that undo each other within the debounce time have no effect (CAP-11)")
    func debounced() async throws {
        try await start()
        for _ in 0..<50 {
            app.source.send(.permission(.camera, .denied), .permission(.camera, .granted))
        }
        app.source.send(.pressure(.memory, .warning))
        await app.pass()
        await app.control.journal.wait(for: "relieved memory warning")
        #expect(app.control.count("initialized") == 1)
    }

    @Test("Events that never pause are carried out after ten times the debounce time (CAP-11)")
    func neverQuiet() async throws {
        try await start()
        app.source.send(.permission(.camera, .denied))
        await app.source.taken()
        // With a pause of 10 ms between events there is never one of 20 ms. The time stops at ten times 20 ms.
        for step in 0..<20 {
            #expect(app.control.count("initialized") == 1)
            app.source.send(.pressure(.power, step.isMultiple(of: 2) ? .warning : .none))
            await app.source.taken()
            app.time.advance(by: .milliseconds(10))
        }
        await app.control.journal.wait { $0.count { $0 == "initialized" } == 2 }
    }

    @Test("A source that fails is listened to again; each failure ends at the boundary, the last with a code (CAP-11)")
    func failing() async throws {
        try await start()
        for attempt in 1...5 {
            await app.source.listened(attempt)
            app.source.fail(SampleError("netlink \(attempt)"))
            if attempt < 5 {
                await app.time.waitForSleepers(1)
                app.time.advance(by: .seconds(20))
            }
        }
        await until { app.orchestrator.errorBoundary.count == 5 }
        let last = app.orchestrator.errorBoundary.history.last
        #expect((last?.error as? CapabilityError)?.code == .monitoringEnded)
        #expect(last?.path.first?.name == "Camera")
        #expect(app.source.listenings == 5)
    }

    @Test("A source that worked for a minute has all its attempts again (CAP-11)")
    func soundSource() async throws {
        try await start()
        for attempt in 1...12 {
            await app.source.listened(attempt)
            app.time.advance(by: .seconds(61))
            app.source.fail(SampleError("netlink \(attempt)"))
        }
        await app.source.listened(13)
        #expect(app.orchestrator.errorBoundary.history.allSatisfy { !($0.error is CapabilityError) })
    }

    @Test("Monitoring ends with the shutdown and begins again with the next start (CAP-11)")
    func lifetime() async throws {
        try await start()
        await app.orchestrator.shutdown()
        await app.source.journal.wait(for: "ended")
        try await app.orchestrator.start()
        await app.source.listened(2)
        await app.orchestrator.shutdown()
    }

    @Test("A source can be added while the application runs, and an unknown capability is an error (CAP-11)")
    func late() async throws {
        try await app.orchestrator.start()
        app.orchestrator.monitor(app.source, for: Camera.self, debounce: .zero)
        await app.source.listened()
        app.source.send(.permission(.camera, .denied))
        await app.control.journal.wait { $0.count { $0 == "initialized" } == 2 }
        app.orchestrator.monitor(app.source, for: Part<P9>.self)
        await until { app.orchestrator.errorBoundary.current?.error is CompositionError }
        await app.orchestrator.shutdown()
        let fresh = Orchestrator(limits: .endless)
        fresh.monitor(app.source, for: Part<P9>.self)
        let error = try await #require(throws: CompositionError.self) { try await fresh.start() }
        #expect(error.code == .notRegistered)
    }

    @Test("A capability that cannot be replaced ends its error at the boundary, and the monitor goes on (CAP-11)")
    func failedChange() async throws {
        try await start()
        app.control.set { $0.refusesToStart = true }
        app.source.send(.permission(.camera, .denied))
        await app.pass()
        await until { app.orchestrator.errorBoundary.count == 1 }
        #expect(app.orchestrator.errorBoundary.current?.origin.name == "Camera")
        app.control.set { $0.refusesToStart = false }
        await send(.permission(.camera, .granted), initialized: 2)
    }

    @Test(
        "A source without a capability concerns those that declare the permission, and all that can give back (CAP-10)"
    )
    func systemWide() async throws {
        app.orchestrator.monitor(app.source)
        try await app.orchestrator.start()
        await app.source.listened()
        // Not together with the permission: a capability that is just being replaced has nothing to give back.
        app.source.send(.pressure(.memory, .warning))
        await app.pass()
        await app.control.journal.wait(for: "relieved memory warning")
        app.control.set { $0.permission = .denied }
        app.source.send(
            .permission(.camera, .denied),
            .permission(.location, .denied),
            .service(.network, isUp: false, reason: "x")
        )
        await app.pass()
        await app.control.journal.wait(for: "terminated")
        await until { (try? app.camera.report.reason) == "the permission camera is denied" }
        await app.orchestrator.shutdown()
    }
}
