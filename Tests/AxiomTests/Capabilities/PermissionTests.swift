// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Observation
import Testing

@testable import Axiom

@MainActor
@Suite("Permissions of capabilities", .timeLimit(.minutes(10)))
struct PermissionTests {
    private let app = CameraApp()

    private func codeOfUse() async -> ErrorCode? {
        do {
            _ = try await app.camera.call { await $0.read() }
            return nil
        } catch {
            return ErrorCode(of: error)
        }
    }

    @Test("Each use is authorized: without the permission it throws and does not reach the capability (CAP-22, CAP-31)")
    func pointOfUse() async throws {
        app.control.set { $0.permission = .undetermined }
        app.orchestrator.monitor(app.source, for: Camera.self)
        try await app.orchestrator.start()
        await app.source.listened()
        #expect(await codeOfUse() == .permissionNotRequested)
        #expect(try app.camera.permissionStatus(.camera) == .undetermined)
        app.control.set { $0.permission = .granted }
        app.source.send(.permission(.camera, .granted))
        await app.pass()
        await app.control.journal.wait { $0.count { $0 == "initialized" } == 2 }
        try await app.camera.reaches(.full)
        #expect(await codeOfUse() == nil)
        app.control.set { $0.permission = .denied }
        app.source.send(.permission(.camera, .denied))
        await app.pass()
        await app.control.journal.wait { $0.count { $0 == "initialized" } == 3 }
        await until { (try? app.camera.current()) == nil }
        while await codeOfUse() != .permissionDenied { await Task.yield() }
        await app.orchestrator.shutdown()
    }

    @Test("The error of a use without permission shows the capability on its path (ERR-06, CAP-31)")
    func path() async throws {
        app.control.set { $0.permission = .denied }
        app.orchestrator.register(TallyClient.self) { TallyClient($0) }
        app.orchestrator.register(ScriptContext.self) { try ScriptContext($0) }
        try await app.orchestrator.start()
        let context = try app.orchestrator.makeContext(ScriptContext.self)
        let ref = try app.camera
        await context.send(ScriptAction { _ in _ = try await ref.call { await $0.read() } })
        await context.send(ScriptAction { _ in try ref.require(.full) })
        let paths = context.errorBoundary.history.map { $0.path.map(\.name) }
        #expect(paths == [["Camera", "ScriptContext"], ["Camera", "ScriptContext"]])
    }

    @Test("The use of a revoked permission has a cached answer, then one notification with the remedy (CAP-19)")
    func notification() async throws {
        app.orchestrator.register(TallyClient.self) { TallyClient($0) }
        app.orchestrator.register(RecoveringContext.self) { try RecoveringContext($0) }
        try await app.orchestrator.start()
        let context = try app.orchestrator.makeContext(RecoveringContext.self)
        context.choose = { _ in .notify(options: [.retry(), .dismiss()]) }
        let (ref, answers) = (try app.camera, Journal<String>())
        let cache = CapabilityCache<Int>(maximumAge: .seconds(60))
        let use = RecoveringAction { _ in
            switch try await ref.answer(orCached: cache, { await $0.read() }) {
            case .fresh: answers.write("fresh")
            case .cached: answers.write("cached")
            case .empty: try ref.require(.limited)
            }
        }
        await context.send(use)
        app.control.set { $0.permission = .denied }
        await app.orchestrator.refreshAll()
        await context.send(use)
        #expect(answers.entries == ["fresh", "cached"] && context.errorBoundary.count == 0)
        app.time.advance(by: .seconds(61))
        await context.send(use)
        let notification = try #require(context.errorBoundary.notifications.first)
        #expect(context.errorBoundary.notifications.count == 1 && context.errorBoundary.current == nil)
        #expect(notification.message == "The capability Camera needs the permission camera, which is denied.")
        let remedy: String = try #require(notification.error as? AuthorizationError).recoverySuggestion
        #expect(remedy.hasPrefix("Allow it in the settings of the system"))
        app.control.set { $0.permission = .granted }
        await app.orchestrator.refreshAll()
        await context.errorBoundary.choose(notification.options[0], for: notification)
        #expect(answers.entries == ["fresh", "cached", "fresh"] && context.errorBoundary.notifications.isEmpty)
    }

    @Test("Concurrent requests share one request; a granted one replaces the capability before it returns (CAP-26)")
    func request() async throws {
        app.control.set { $0.permission = .undetermined }
        try await app.orchestrator.start()
        let ref = try app.camera
        let requests = (0..<10).map { _ in Task { try await ref.requestPermission(.camera) } }
        await app.control.journal.wait(for: "requested")
        requests[3].cancel()
        await #expect(throws: CancellationError.self) { try await requests[3].value }
        app.control.gate.open()
        for (index, request) in requests.enumerated() where index != 3 { #expect(try await request.value == .granted) }
        #expect(app.control.count("requested") == 1)
        #expect(app.control.count("initialized") == 2)
        #expect(await codeOfUse() == nil)
        #expect(try await ref.requestPermission(.camera) == .granted)
        #expect(app.control.count("requested") == 1)
    }

    @Test("A refused request leaves the capability as it is, and its use says that it was refused (CAP-26)")
    func refused() async throws {
        app.control.set { ($0.permission, $0.decision) = (.undetermined, .denied) }
        app.control.gate.open()
        try await app.orchestrator.start()
        #expect(try await app.camera.requestPermission(.camera) == .denied)
        #expect(app.control.count("initialized") == 1)
        #expect(await codeOfUse() == .permissionDenied)
    }

    @Test("A permission that the capability does not declare cannot be requested (CAP-26)")
    func undeclared() async throws {
        try await app.orchestrator.start()
        await #expect(throws: CapabilityError.self) { try await app.camera.requestPermission(.location) }
        await #expect(throws: CapabilityError.self) { try await app.analysis.requestPermission(.camera) }
        #expect(try app.camera.permissionStatus(.location) == nil)
        await app.orchestrator.shutdown()
        await #expect(throws: CapabilityError.self) { try await app.camera.requestPermission(.camera) }
    }

    @Test("On return from the background everything is checked again, and what changed is replaced (CAP-09)")
    func refresh() async throws {
        try await app.orchestrator.start()
        #expect(try await app.camera.isAvailable)
        await app.orchestrator.enterBackground()
        app.control.set { $0.permission = .denied }
        await app.orchestrator.enterForeground()
        #expect(app.control.count("initialized") == 2 && app.control.count("analysis") == 2)
        #expect(await codeOfUse() == .permissionDenied)
        app.control.set { $0.permission = .granted }
        await app.orchestrator.refreshAll()
        #expect(await codeOfUse() == nil)
        #expect(app.control.count("initialized") == 3)
        await app.orchestrator.refreshAll()
        #expect(app.control.count("initialized") == 3)
    }

    @Test("A check again replaces a capability whose availability changed, and one that could not start (CAP-09)")
    func refreshAvailability() async throws {
        app.control.set { $0.refusesToStart = true }
        try await app.orchestrator.start()
        app.control.set { $0.refusesToStart = false }
        await app.orchestrator.refreshAll()
        #expect(app.control.count("initialized") == 1)
        #expect(try await app.camera.isAvailable)
        app.control.set { $0.isAvailable = false }
        await app.orchestrator.refreshAll()
        #expect(app.control.count("initialized") == 2)
        #expect(try await app.camera.isAvailable == false)
        await app.orchestrator.shutdown()
        await app.orchestrator.refreshAll()
        #expect(app.control.count("initialized") == 2)
    }

    @Test("The orchestrator knows the worst level and each level, and forgets them at shutdown (CAP-17)")
    func degradation() async throws {
        let degradation = app.orchestrator.degradation
        #expect(degradation.worst == .full && degradation.capabilities.isEmpty)
        try await app.orchestrator.start()
        #expect(degradation.worst == .full && degradation.capabilities.count == 2)
        let changes = Journal<Bool>()
        withObservationTracking {
            _ = degradation.worst
        } onChange: {
            changes.write(true)
        }
        app.control.statuses.value?.report(.minimal, because: "it is dark")
        await until { degradation.worst == .minimal }
        #expect(changes.entries == [true])
        let camera = ComponentDescriptor(kind: .capability, name: "Camera")
        let analysis = ComponentDescriptor(kind: .capability, name: "Analysis")
        #expect(degradation.capabilities[camera]?.reason == "it is dark")
        #expect(degradation.capabilities[analysis]?.level == .limited)
        await app.orchestrator.shutdown()
        #expect(degradation.worst == .full && degradation.capabilities.isEmpty)
    }

    @Test("With the option set, a capability that depends on another one is a violation, otherwise not (CAP-30)")
    func leaves() throws {
        let graph = app.orchestrator.validate().graph
        let violation = try #require(ArchitectureValidator.validate(graph, .capabilitiesAreLeaves).first)
        #expect(violation.rule == .capabilityDependencies && violation.path == ["Analysis", "Camera"])
        #expect(ArchitectureValidator.validate(graph).allSatisfy { $0.rule != .capabilityDependencies })
    }
}
