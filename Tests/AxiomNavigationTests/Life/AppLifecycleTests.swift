// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Testing

@Suite("The life of an application")
@MainActor
struct AppLifecycleTests {
    private struct Refused: Error {}

    @Test("The launch shows the first screen once, then the application is active (APP-01, APP-03)")
    func launch() async throws {
        let app = EditorApp()
        try await app.orchestrator.start()
        let lifecycle = try AppLifecycle(app.orchestrator) {
            app.log.write("launch")
            try await app.show()
        }
        #expect(lifecycle.phase == .launching && lifecycle.isFirstLaunch)
        await lifecycle.move(to: .active)
        #expect(lifecycle.phase == .active && !lifecycle.isFirstLaunch && !lifecycle.isRestored)
        await lifecycle.move(to: .background)
        await lifecycle.move(to: .active)
        #expect(app.log.entries == ["launch"] && app.editor != nil)
        await lifecycle.move(to: .launching)
        #expect(lifecycle.phase == .active)
    }

    @Test("A launch that fails leaves the phase and its error, and can be repeated (APP-03)")
    func failedLaunch() async throws {
        let app = EditorApp()
        try await app.orchestrator.start()
        let lifecycle = try AppLifecycle(app.orchestrator) {
            app.log.write("launch")
            if app.log.entries.count == 1 { throw Refused() }
        }
        await lifecycle.move(to: .background)
        #expect(lifecycle.phase == .launching && app.orchestrator.errorBoundary.current?.error is Refused)
        await lifecycle.move(to: .active)
        #expect(lifecycle.phase == .active && app.log.entries.count == 2)
    }

    @Test(
        "Contexts hear of the background only there, also after a jump, and of the foreground on return (APP-01, APP-05)"
    )
    func notifications() async throws {
        let app = EditorApp()
        try await app.orchestrator.start()
        let lifecycle = try AppLifecycle(app.orchestrator) { try await app.show(app.script()) }
        await lifecycle.move(to: .active)
        await lifecycle.move(to: .inactive)
        #expect(app.log.entries.isEmpty)
        await lifecycle.move(to: .active)
        await lifecycle.move(to: .background)
        #expect(app.log.entries == ["background"])
        await lifecycle.move(to: .inactive)
        await lifecycle.move(to: .active)
        #expect(app.log.entries == ["background", "foreground"])
    }

    #if Instrumented
    @Test("The phase is observable and a signal with one value, and each step has a duration (APP-01)")
    func phases() async throws {
        let journal = LifeSignalJournal()
        let app = EditorApp(instrumentation: journal)
        try await app.orchestrator.start()
        let lifecycle = try AppLifecycle(app.orchestrator)
        await lifecycle.move(to: .background)
        #expect(journal["axiom_lifecycle_phase launching"] == [1, 0, 0, 0])
        #expect(journal["axiom_lifecycle_phase background"] == [0, 0, 0, 1])
        await lifecycle.move(to: .terminating)
        for phase in AppPhase.allCases {
            let values = journal["axiom_lifecycle_transition_duration_seconds \(phase.rawValue)"]
            #expect(values.count == (phase == .launching ? 0 : 1))
        }
    }
    #endif

    @Test("A newer request cancels the tasks of the one under way and wins (APP-02)", .timeLimit(.minutes(10)))
    func newerWins() async throws {
        let app = EditorApp(clock: .manual(ManualTime()))
        try await app.orchestrator.start()
        var script = app.script()
        script.onBackground = { [log = app.log] in
            log.write("background")
            await withTaskCancellationHandler {
                await log.wait(for: "cancelled")
            } onCancel: {
                Task { @MainActor in log.write("cancelled") }
            }
        }
        let archive = MemoryArchive()
        let lifecycle = try AppLifecycle(app.orchestrator, archive: archive) { [script] in try await app.show(script) }
        await lifecycle.move(to: .active)
        let older = Task { await lifecycle.move(to: .background) }
        await app.log.wait(for: "background")
        await lifecycle.move(to: .active)
        #expect(lifecycle.phase == .active && lifecycle.overdueSteps.isEmpty)
        #expect(app.log.entries == ["background", "cancelled", "foreground"])
        #expect(await archive.saves == 0, "the step was cut before the state was saved")
        await older.value
    }

    @Test("The background saves the state and gives memory back; a full disk is an error, and not the end (APP-04)")
    func background() async throws {
        let journal = LifeSignalJournal()
        let app = EditorApp(instrumentation: journal)
        let cache = ReliefCounter()
        app.orchestrator.relieve(with: cache)
        try await app.orchestrator.start()
        let archive = MemoryArchive()
        let lifecycle = try AppLifecycle(app.orchestrator, archive: archive) { try await app.show() }
        await lifecycle.move(to: .active)
        app.editor?.draft = "Dear"
        await lifecycle.move(to: .background)
        #expect(await archive.image?.contexts.keys.sorted() == ["EditorContext"])
        #expect(cache.pressures == [.warning])
        await archive.fill()
        await lifecycle.move(to: .active)
        await lifecycle.move(to: .background)
        #expect(lifecycle.phase == .background && cache.pressures == [.warning, .none, .warning])
        #expect(app.orchestrator.errorBoundary.current?.error is MemoryArchive.Full)
        #if Instrumented
        #expect(journal["axiom_state_image_bytes"] == [100])
        #expect(journal["axiom_state_image_total save success"] == [1])
        #expect(journal["axiom_state_image_total save failure"] == [1])
        #endif
    }

    @Test("On return the capabilities are checked again, and the image is not loaded again (APP-05, CAP-09)")
    func foreground() async throws {
        let app = EditorApp()
        let availability = AvailabilityCounter()
        app.orchestrator.register(Camera.self) { Camera($0, availability) }
        try await app.orchestrator.start()
        let archive = MemoryArchive()
        let lifecycle = try AppLifecycle(app.orchestrator, archive: archive) { try await app.show(app.script()) }
        await lifecycle.move(to: .active)
        await lifecycle.move(to: .background)
        let checks = availability.checks
        await lifecycle.move(to: .active)
        #expect(availability.checks == checks + 1)
        #expect(app.log.entries == ["background", "foreground"])
        #expect(await archive.loads == 1)
    }

    @Test("A call from within a step returns at once, and the change follows (APP-02)", .timeLimit(.minutes(10)))
    func reentrant() async throws {
        let app = EditorApp()
        try await app.orchestrator.start()
        var script = app.script()
        script.onBackground = { [log = app.log] in
            await log.lifecycle?.move(to: .inactive)
            log.write("background")
        }
        let made = try AppLifecycle(app.orchestrator) { [script] in try await app.show(script) }
        app.log.lifecycle = made
        await made.move(to: .background)
        #expect(made.phase == .inactive && app.log.entries == ["background", "foreground"])
        app.log.lifecycle = nil
    }

    @Test("The end is final: it saves the state and shuts the orchestrator down (APP-06)")
    func termination() async throws {
        let app = EditorApp()
        try await app.orchestrator.start()
        let archive = MemoryArchive()
        let lifecycle = try AppLifecycle(app.orchestrator, archive: archive) { try await app.show(app.script()) }
        await lifecycle.move(to: .active)
        await lifecycle.move(to: .terminating)
        #expect(lifecycle.phase == .terminating && !app.orchestrator.isRunning && app.log.entries == ["background"])
        #expect(await archive.saves == 1)
        await lifecycle.move(to: .active)
        #expect(lifecycle.phase == .terminating)
    }
}

/// Keeps the pressures that it receives.
final class ReliefCounter: PressureRelieving {
    private let received = Lock<[PressureLevel]>([])

    var pressures: [PressureLevel] { received.withLock { $0 } }

    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async -> Int64 {
        received.withLock { $0.append(pressure) }
        return 0
    }
}

/// Counts how often the capability of a test is checked.
private final class AvailabilityCounter: Sendable {
    private let value = Lock(0)

    var checks: Int { value.withLock { $0 } }
    func check() -> Bool {
        value.withLock {
            $0 += 1
            return true
        }
    }
}

/// A capability whose checks a test counts.
private actor Camera: Capability {
    nonisolated let identity: ComponentIdentity
    private let availability: AvailabilityCounter

    init(_ scope: borrowing CapabilityScope, _ availability: AvailabilityCounter) {
        identity = scope.identity
        self.availability = availability
    }

    var isAvailable: Bool { availability.check() }
}
