// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomNavigation

/// Links that arrive before the application has been launched.
@Suite("Deep links during a launch", .timeLimit(.minutes(10)))
@MainActor
struct LinkLaunchTests {
    private enum PageRoute: Route, Codable {
        case home
        case page(Int)

        var identifier: String { self == .home ? "home" : "page" }
        static let samples: [PageRoute] = [.home, .page(0)]

        static func table() throws -> DeepLinkTable<PageRoute> {
            let page = try DeepLink<PageRoute>("app://page/:id") { captures in
                [.home, .page(try captures.require("id"))]
            } print: { route in
                if case .page(let id) = route { ["id": id] } else { nil }
            }
            return try DeepLinkTable([page])
        }
    }

    /// What a launch does.
    @MainActor
    private final class Hooks {
        let begun = OneShot<Void>()
        let released = OneShot<Void>()
        /// What the launch does before it waits.
        var duringLaunch: @MainActor () async throws -> Void = {}

        func launch() async throws {
            try await duringLaunch()
            begun.settle(())
            await released.value
        }
    }

    /// An application with a flow, whose launch waits for the test.
    @MainActor
    private final class LinkedApp {
        let time = ManualTime()
        let app: EditorApp
        let flow: NavigationFlow<PageRoute>
        let lifecycle: AppLifecycle?
        let hooks = Hooks()

        init(_ archive: (any StateArchive)?, hasLifecycle: Bool = true) throws {
            app = EditorApp(clock: .manual(time))
            flow = try app.orchestrator.navigation(PageRoute.home) { route in
                .show(EditorView.self, EditorContext.Script(name: "\(route)"))
            } render: { _ in
            }
            app.orchestrator.openLinks(with: try PageRoute.table(), on: flow)
            let hooks = hooks
            lifecycle =
                hasLifecycle ? try AppLifecycle(app.orchestrator, archive: archive) { try await hooks.launch() } : nil
            lifecycle?.preserve(flow)
        }

        var gate: LaunchGate { .of(app.orchestrator) }

        /// Opens a link in a task, and returns when the link waits or was opened.
        func open(_ page: Int) async -> Task<DeepLinkOutcome, any Error> {
            let count = gate.arrivals
            let task = Task { try await app.orchestrator.handleDeepLink("app://page/\(page)") }
            if !gate.isOpen { while gate.arrivals == count { await Task.yield() } }
            return task
        }
    }

    /// The archive of a run that ended on page 1.
    private func archive() async throws -> MemoryArchive {
        let archive = MemoryArchive()
        let first = try LinkedApp(archive)
        first.hooks.released.settle(())
        try await first.app.orchestrator.start()
        await first.lifecycle?.move(to: .active)
        try await first.flow.navigate(to: .page(1))
        await first.lifecycle?.move(to: .terminating)
        return archive
    }

    @Test("A link that arrives while a saved history is restored is shown at the end, and opened once")
    func duringRestoration() async throws {
        let second = try LinkedApp(try await archive())
        try await second.app.orchestrator.start()
        let launch = Task { await second.lifecycle?.move(to: .active) }
        await second.hooks.begun.value
        let link = await second.open(7)
        second.hooks.released.settle(())
        await launch.value
        #expect(try await link.value == .opened)
        #expect(second.flow.routes == [.home, .page(7)])
        await second.app.orchestrator.shutdown()
    }

    @Test("A link before start() is opened after it, with a life cycle and without one", arguments: [true, false])
    func beforeStart(hasLifecycle: Bool) async throws {
        let second = try LinkedApp(try await archive(), hasLifecycle: hasLifecycle)
        second.hooks.released.settle(())
        let link = await second.open(7)
        try await second.app.orchestrator.start()
        await second.lifecycle?.move(to: .active)
        #expect(try await link.value == .opened)
        #expect(second.flow.routes == [.home, .page(7)])
        await second.app.orchestrator.shutdown()
    }

    @Test("Of links at random moments of a launch the last one is shown, each replaced one is refused")
    func randomMoments() async throws {
        let seed = TestSeed.drawn()
        var generator = SeededGenerator(seed: seed)
        let archive = try await archive()
        for _ in 0..<max(3, TestScale.count(200)) {
            let app = try LinkedApp(MemoryArchive(await archive.image))
            var links: [Task<DeepLinkOutcome, any Error>] = []
            func mayOpen() async {
                for _ in 0..<generator.index(below: 3) { links.append(await app.open(10 + links.count)) }
            }
            await mayOpen()
            try await app.app.orchestrator.start()
            await mayOpen()
            let launch = Task { await app.lifecycle?.move(to: .active) }
            await app.hooks.begun.value
            await mayOpen()
            app.hooks.released.settle(())
            await launch.value
            for link in links.dropLast() {
                guard case .refused = try await link.value else {
                    Issue.record("a replaced link was opened; seed \(seed)")
                    return
                }
            }
            let expected: [PageRoute] = links.isEmpty ? [.home, .page(1)] : [.home, .page(9 + links.count)]
            if let last = links.last { #expect(try await last.value == .opened, "seed \(seed)") }
            #expect(app.flow.routes == expected, "seed \(seed)")
            await app.app.orchestrator.shutdown()
        }
    }

    @Test("A link that the launch itself awaits is an error, not a deadlock; an invalid one replaces none")
    func withinLaunch() async throws {
        let app = try LinkedApp(nil)
        try await app.app.orchestrator.start()
        let waiting = await app.open(7)
        var failure: (any Error)?
        app.hooks.duringLaunch = {
            do { try await app.app.orchestrator.handleDeepLink("app://page/8") } catch { failure = error }
        }
        app.hooks.released.settle(())
        await #expect(throws: NavigationError.self) { try await app.app.orchestrator.handleDeepLink("app://nowhere") }
        await app.lifecycle?.move(to: .active)
        #expect((failure as? NavigationError)?.code == .navigationWaitsForItself)
        #expect(try await waiting.value == .opened && app.flow.routes == [.home, .page(7)])
        await app.app.orchestrator.shutdown()
    }

    @Test("A waiting link ends with its caller, with the shutdown, and after 60 s")
    func ends() async throws {
        let app = try LinkedApp(nil)
        let cancelled = await app.open(1)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let late = await app.open(2)
        await app.time.waitForSleepers(1)
        app.time.advance(by: LaunchGate.limit)
        let error = await #expect(throws: NavigationError.self) { try await late.value }
        #expect(error?.message.contains("was not launched within 60") == true)
        try await app.app.orchestrator.start()
        let ended = await app.open(3)
        await app.app.orchestrator.shutdown()
        await #expect(throws: NavigationError.self) { try await ended.value }
        #expect(!app.flow.isOpen)
    }

    @Test("After the shutdown a link is refused at once; it waits again for the next start")
    func afterShutdown() async throws {
        let app = try LinkedApp(nil)
        try await app.app.orchestrator.start()
        await app.app.orchestrator.shutdown()
        let error = await #expect(throws: NavigationError.self) {
            try await app.flow.navigate(to: .page(5), from: .deepLink)
        }
        #expect(error?.message.contains("has been shut down") == true)
        #expect(app.gate.arrivals == 0)
    }

    @Test("A navigation with the source deepLink waits like a link")
    func navigation() async throws {
        let app = try LinkedApp(try await archive())
        try await app.app.orchestrator.start()
        let launch = Task { await app.lifecycle?.move(to: .active) }
        await app.hooks.begun.value
        let shown = Task { try await app.flow.navigate(to: .page(5), from: .deepLink) }
        while app.gate.arrivals == 0 { await Task.yield() }
        app.hooks.released.settle(())
        await launch.value
        #expect(try await shown.value == .arrived(.page(5)))
        #expect(app.flow.routes == [.home, .page(1), .page(5)])
        await app.app.orchestrator.shutdown()
    }
}
