// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Foundation
import Testing

@Suite("The grace time of a change of phase")
@MainActor
struct GraceTests {
    @Test(
        "A grace time that is not longer than zero is refused by its name (APP-01)",
        arguments: [Duration.zero, .seconds(-1)]
    )
    func invalid(_ grace: Duration) {
        let error = #expect(throws: CompositionError.self) { try AppLifecycle(Orchestrator(), grace: grace) }
        #expect(error?.code == .invalidLimit && error?.message.contains("AppLifecycle(grace:)") == true)
    }

    @Test(
        "A context that hangs is cut and counted by name after half of the time, and the state is saved (APP-04)",
        .timeLimit(.minutes(10))
    )
    func hangingContext() async throws {
        let (time, journal) = (ManualTime(), LifeSignalJournal())
        let app = EditorApp(clock: .manual(time), instrumentation: journal)
        try await app.orchestrator.start()
        var script = app.script()
        script.onBackground = { [log = app.log] in
            log.write("background")
            await log.wait(for: "released")
        }
        let archive = MemoryArchive()
        let lifecycle = try AppLifecycle(app.orchestrator, archive: archive, grace: .seconds(4)) { [script] in
            try await app.show(script)
        }
        await lifecycle.move(to: .active)
        let move = Task { await lifecycle.move(to: .background) }
        await app.log.wait(for: "background")
        // The limit of the context itself, and that of the step.
        await time.waitForSleepers(2)
        time.advance(by: .seconds(2))
        await move.value
        #expect(lifecycle.phase == .background && lifecycle.overdueSteps == [.background: 1])
        #if Instrumented
        #expect(journal["axiom_lifecycle_overdue_total background"] == [1])
        #endif
        let error = try #require(app.orchestrator.errorBoundary.current?.error as? LifecycleError)
        #expect(error.code == .phaseStepOverdue && error.message.contains("background"))
        #expect(await archive.saves == 1)
        app.log.write("released")
    }

    @Test("An archive that hangs is cut and named, and memory is given back (APP-04)", .timeLimit(.minutes(10)))
    func hangingArchive() async throws {
        let time = ManualTime()
        let app = EditorApp(clock: .manual(time))
        try await app.orchestrator.start()
        let archive = HangingArchive(app.log)
        let lifecycle = try AppLifecycle(app.orchestrator, archive: archive, grace: .seconds(4))
        await lifecycle.move(to: .active)
        let move = Task { await lifecycle.move(to: .background) }
        await app.log.wait(for: "save")
        await time.waitForSleepers(1)
        time.advance(by: .seconds(4))
        await move.value
        #expect(lifecycle.overdueSteps[.save] == 1)
        app.log.write("released")
    }

    @Test(
        "A context that does not take its image in time is cut, and the launch continues (RES-02)",
        .timeLimit(.minutes(10))
    )
    func hangingRestoration() async throws {
        let time = ManualTime()
        let app = EditorApp(clock: .manual(time))
        try await app.orchestrator.start()
        var script = app.script()
        script.onRestore = { [log = app.log] in
            log.write("restore")
            await log.wait(for: "released")
        }
        var image = AppImage(appVersion: Version(1, 0, 0), savedAt: 1)
        image.contexts["EditorContext"] = ContextImage(version: 1, data: Data(#"{"draft":"late"}"#.utf8))
        let lifecycle = try AppLifecycle(app.orchestrator, archive: MemoryArchive(image)) { [script] in
            try await app.show(script)
        }
        let launch = Task { await lifecycle.move(to: .active) }
        await app.log.wait(for: "restore")
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5))
        await launch.value
        #expect(lifecycle.phase == .active && lifecycle.overdueSteps == [.restore: 1])
        #expect((app.editor?.errorBoundary.current?.error as? LifecycleError)?.code == .phaseStepOverdue)
        app.log.write("released")
    }

    @Test("A launch that is to end is cut, and leaves the saved state alone (APP-02, RES-01)", .timeLimit(.minutes(10)))
    func cutLaunch() async throws {
        let app = EditorApp()
        try await app.orchestrator.start()
        let archive = MemoryArchive(AppImage(appVersion: Version(1, 0, 0), savedAt: 7))
        let lifecycle = try AppLifecycle(app.orchestrator, archive: archive) { [log = app.log] in
            log.write("launch")
            while !Task.isCancelled { await Task.yield() }
        }
        let launch = Task { await lifecycle.move(to: .active) }
        await app.log.wait(for: "launch")
        await lifecycle.move(to: .terminating)
        await launch.value
        #expect(lifecycle.phase == .terminating && lifecycle.isFirstLaunch)
        #expect(await archive.saves == 0)
        #expect(await archive.confirmations == 0)
    }
}

/// An archive whose saves do not end before the test allows it.
private struct HangingArchive: StateArchive {
    let log: LifeLog
    let appVersion = Version(1, 0, 0)

    init(_ log: LifeLog) { self.log = log }

    func save(_ image: AppImage) async throws -> Int {
        await log.write("save")
        await log.wait(for: "released")
        return 0
    }

    func load() async throws -> LoadedState { LoadedState(image: nil) }
    func launched() async throws {}
    func discard() async throws {}
}
