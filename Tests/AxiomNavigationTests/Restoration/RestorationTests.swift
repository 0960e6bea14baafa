// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Foundation
import Observation
import Testing

/// A context that leaves the name and the version of its image to the framework.
@Observable
private final class DraftContext: RestorableContext {
    @ObservationIgnored let identity: ComponentIdentity
    var image = ""
    @ObservationIgnored private(set) var restoredVersion: Int?

    init(_ scope: borrowing ContextScope) { identity = scope.identity }

    func restore(_ image: String, version: Int) { (self.image, restoredVersion) = (image, version) }
}

private struct DraftView: Presentation {
    let context: DraftContext
    var body: String { context.image }
}

@Suite("Restoration")
@MainActor
struct RestorationTests {
    private struct Refused: Error {}

    /// Launches an application with an archive and an editor for each script.
    private func launch(
        _ archive: any StateArchive,
        _ flows: [any RestorableFlow] = [],
        _ scripts: [EditorContext.Script] = [EditorContext.Script()]
    ) async throws -> (app: EditorApp, lifecycle: AppLifecycle) {
        let app = EditorApp()
        try await app.orchestrator.start()
        let lifecycle = try AppLifecycle(app.orchestrator, archive: archive) {
            for script in scripts { try await app.show(script) }
        }
        for flow in flows { lifecycle.preserve(flow) }
        await lifecycle.move(to: .active)
        return (app, lifecycle)
    }

    @Test("A context gets back what it had, in the next run (RES-02)")
    func contexts() async throws {
        let archive = MemoryArchive()
        let first = try await launch(archive)
        first.app.editor?.draft = "Dear"
        first.app.editor?.line = 7
        await first.lifecycle.move(to: .terminating)

        let second = try await launch(archive)
        #expect(second.lifecycle.isRestored)
        #expect(second.app.editor?.draft == "Dear" && second.app.editor?.line == 7)
        #expect(second.app.editor?.restoredVersion == 2)
        #expect(await archive.confirmations == 2)
    }

    @Test("Without a name and a version, an image has the name of the type and the version 1 (RES-02, RES-03)")
    func defaults() async throws {
        let archive = MemoryArchive()
        for run in 1...2 {
            let orchestrator = Orchestrator(clock: .manual(ManualTime()), limits: .endless)
            orchestrator.register(DraftContext.self) { DraftContext($0) }
            try await orchestrator.start()
            let host = PresentationHost(DraftView.self, orchestrator) { _ in }
            let lifecycle = try AppLifecycle(orchestrator, archive: archive) { try await host.mount() }
            await lifecycle.move(to: .active)
            let context = try #require(host.context)
            #expect(context.image == (run == 1 ? "" : "Dear") && context.restoredVersion == (run == 1 ? nil : 1))
            context.image = "Dear"
            await lifecycle.move(to: .terminating)
        }
        let images = try #require(await archive.image?.contexts)
        #expect(images.mapValues(\.version) == ["DraftContext": 1])
    }

    @Test("Contexts of one type are distinguished by name, then by their order (RES-02)")
    func names() async throws {
        let archive = MemoryArchive()
        let scripts = ["a", "b", "b"].map { EditorContext.Script(name: $0) }
        let first = try await launch(archive, [], scripts)
        for (index, host) in first.app.hosts.enumerated() { host.context?.draft = "\(index)" }
        await first.lifecycle.move(to: .terminating)
        let keys = await archive.image?.contexts.keys.sorted()
        #expect(keys == ["EditorContext/a", "EditorContext/b", "EditorContext/b#2"])

        let second = try await launch(archive, [], [scripts[1], scripts[0], scripts[2]])
        #expect(second.app.hosts.map { $0.context?.draft } == ["1", "0", "2"])
    }

    @Test("A name that looks like a copy of another one has an image of its own (RES-02)")
    func namesLikeCopies() async throws {
        let archive = MemoryArchive()
        let scripts = ["b", "b", "b#2"].map { EditorContext.Script(name: $0) }
        let first = try await launch(archive, [], scripts)
        for (index, host) in first.app.hosts.enumerated() { host.context?.draft = "\(index)" }
        await first.lifecycle.move(to: .terminating)
        let second = try await launch(archive, [], scripts)
        #expect(second.app.hosts.map { $0.context?.draft } == ["0", "1", "2"])
    }

    @Test("An image of an earlier version is restored with its version, one of a newer version is not (RES-03)")
    func versions() async throws {
        let old = ContextImage(version: 1, data: Data(#"{"draft":"old"}"#.utf8))
        let new = ContextImage(version: 3, data: Data(#"{"draft":"new"}"#.utf8))
        var image = AppImage(appVersion: Version(1, 0, 0), savedAt: 1)
        image.contexts = ["EditorContext/old": old, "EditorContext/new": new]
        let scripts = [EditorContext.Script(name: "old"), EditorContext.Script(name: "new")]
        let (app, lifecycle) = try await launch(MemoryArchive(image), [], scripts)
        #expect(lifecycle.phase == .active)
        #expect(app.hosts[0].context?.draft == "old" && app.hosts[0].context?.restoredVersion == 1)
        #expect(app.hosts[1].context?.draft == "")
        let error = try #require(app.hosts[1].context?.errorBoundary.current?.error as? LifecycleError)
        #expect(error.code == .contextNotRestored && error.message.contains("version 3"))
    }

    @Test("What a context cannot read or refuses ends at its own boundary, and the others are restored (RES-03)")
    func failures() async throws {
        let image = ContextImage(version: 2, data: Data(#"{"draft":"text"}"#.utf8))
        var saved = AppImage(appVersion: Version(1, 0, 0), savedAt: 1)
        saved.contexts = [
            "EditorContext/a": image, "EditorContext/b": ContextImage(version: 2, data: Data("]".utf8)),
            "EditorContext/c": image,
        ]
        var scripts = ["a", "b", "c"].map { EditorContext.Script(name: $0) }
        scripts[0].onRestore = { throw Refused() }
        let (app, lifecycle) = try await launch(MemoryArchive(saved), [], scripts)
        let contexts = app.hosts.compactMap(\.context)
        #expect(lifecycle.phase == .active && contexts.map(\.draft) == ["", "", "text"])
        #expect(contexts[0].errorBoundary.current?.error is Refused)
        #expect((contexts[1].errorBoundary.current?.error as? LifecycleError)?.code == .contextNotRestored)
        #expect(app.orchestrator.errorBoundary.count == 0)
    }

    @Test("The stacks of flows are restored; a second flow of one name replaces the first (RES-01)")
    func stacks() async throws {
        let archive = MemoryArchive()
        let flow = TextFlow("shop")
        let first = try await launch(archive, [TextFlow("shop"), flow])
        flow.stack = ["home", "list", "item 7"]
        await first.lifecycle.move(to: .terminating)

        let next = TextFlow("shop")
        _ = try await launch(archive, [next, TextFlow("help")])
        #expect(next.stack == ["home", "list", "item 7"])
    }

    @Test("A route that cannot be read any more is dropped with all above it, and that is an error (RES-01, RES-03)")
    func droppedRoutes() async throws {
        var image = AppImage(appVersion: Version(1, 0, 0), savedAt: 1)
        image.stacks = ["shop": [#""home""#, #""list""#, "{}", #""item""#].map { Data($0.utf8) }]
        let flow = TextFlow("shop")
        let (app, lifecycle) = try await launch(MemoryArchive(image), [flow])
        #expect(flow.stack == ["home", "list"] && lifecycle.phase == .active)
        let error = try #require(app.orchestrator.errorBoundary.current?.error as? LifecycleError)
        #expect(error.code == .routesDropped && error.message.contains("2 of 4"))
    }

    @Test("A stack that cannot be encoded is left out, and the rest is saved (RES-01)")
    func failedStack() async throws {
        let archive = MemoryArchive()
        let (broken, sound) = (TextFlow("broken"), TextFlow("sound"))
        let (app, lifecycle) = try await launch(archive, [broken, sound])
        broken.failure = Refused()
        await lifecycle.move(to: .background)
        #expect(await archive.image?.stacks.keys.sorted() == ["sound"])
        #expect(app.orchestrator.errorBoundary.current?.error is Refused)
    }

    @Test("An image with which two launches fail is set aside, and the third launch begins without it (RES-03)")
    func launchLoop() async throws {
        let archive = StorageArchive(MemoryStorage())
        try await archive.save(AppImage(appVersion: Version(0, 0, 0), savedAt: 1))
        for _ in 0..<2 {
            let app = EditorApp()
            try await app.orchestrator.start()
            let lifecycle = try AppLifecycle(app.orchestrator, archive: archive) { throw Refused() }
            await lifecycle.move(to: .active)
            #expect(lifecycle.phase == .launching && lifecycle.isRestored)
        }
        let (app, lifecycle) = try await launch(archive)
        #expect(lifecycle.phase == .active && !lifecycle.isRestored)
        #expect(lifecycle.setAside.map(\.reason) == [.launchFailed])
        let error = try #require(app.orchestrator.errorBoundary.current?.error as? LifecycleError)
        #expect(error.code == .imageSetAside && error.message.contains("state/aside/"))
    }

    @Test("A launch that is tried again in the same process counts once, and keeps the image (RES-03, APP-03)")
    func launchTriedAgain() async throws {
        let archive = StorageArchive(MemoryStorage())
        let first = try await launch(archive)
        first.app.editor?.draft = "Dear"
        await first.lifecycle.move(to: .terminating)

        let app = EditorApp()
        try await app.orchestrator.start()
        var failures = 5
        let lifecycle = try AppLifecycle(app.orchestrator, archive: archive) {
            failures -= 1
            if failures > 0 { throw Refused() }
            try await app.show(EditorContext.Script())
        }
        while failures > 0 { await lifecycle.move(to: .active) }
        #expect(lifecycle.phase == .active && lifecycle.isRestored && lifecycle.setAside.isEmpty)
        #expect(app.editor?.draft == "Dear")
    }
}
