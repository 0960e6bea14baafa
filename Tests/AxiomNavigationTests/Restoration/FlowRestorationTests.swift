// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Foundation
import Testing

@Suite("Restoration of a flow")
@MainActor
struct FlowRestorationTests {
    private enum PageRoute: Route, Codable {
        case home
        case page(Int)

        var identifier: String { self == .home ? "home" : "page" }
        static let samples: [PageRoute] = [.home, .page(0)]
    }

    /// An application whose flow shows an editor for each route.
    @MainActor
    private struct Pages {
        let app = EditorApp()
        let flow: NavigationFlow<PageRoute>
        let lifecycle: AppLifecycle
        let hooks = Hooks()

        /// What the editors do that are made from now on.
        @MainActor
        final class Hooks {
            var onRestore: EditorContext.Script.Hook = {}
        }

        init(_ archive: any StateArchive, liveScreens: Int = 10, historyLimit: Int = 50) async throws {
            var options = NavigationOptions()
            options.historyLimit = historyLimit
            options.liveScreens = liveScreens
            flow = try app.orchestrator.navigation(PageRoute.home, options) { [hooks] route in
                .show(EditorView.self, EditorContext.Script(name: "\(route)", onRestore: hooks.onRestore))
            } render: { _ in
            }
            lifecycle = try AppLifecycle(app.orchestrator, archive: archive)
            lifecycle.preserve(flow)
            try await app.orchestrator.start()
            await lifecycle.move(to: .active)
        }

        /// The contexts of the live screens, by index.
        var drafts: [Int: String] {
            let editors = flow.liveContexts.compactMap { live in
                (live.context as? EditorContext).map { (live.index, $0.draft) }
            }
            return Dictionary(uniqueKeysWithValues: editors)
        }

        func write(_ draft: String) { (flow.liveContexts.last?.context as? EditorContext)?.draft = draft }
    }

    @Test("The launch shows the first route of a flow (APP-03)")
    func firstRoute() async throws {
        let pages = try await Pages(MemoryArchive())
        #expect(pages.lifecycle.phase == .active && pages.flow.isOpen && pages.flow.routes == [.home])
    }

    @Test("The history comes back with the images of its screens, also of those that are not live (RES-01, RES-02)")
    func history() async throws {
        let archive = MemoryArchive()
        let first = try await Pages(archive, liveScreens: 2)
        first.write("at home")
        for page in 1...4 {
            try await first.flow.navigate(to: .page(page))
            first.write("page \(page)")
        }
        await first.lifecycle.move(to: .terminating)
        #expect(await archive.image?.contexts.isEmpty == true, "the stack has the images")

        let second = try await Pages(archive, liveScreens: 2)
        #expect(second.flow.routes == [.home, .page(1), .page(2), .page(3), .page(4)])
        #expect(second.drafts[4] == "page 4")
        try await second.flow.navigateBack(2)
        await second.app.orchestrator.quiet()
        #expect(second.drafts[2] == "page 2")
        try await second.flow.navigateToRoot()
        await second.app.orchestrator.quiet()
        #expect(second.drafts == [0: "at home"])
    }

    @Test("A screen that is not live keeps its image in the same run (RES-02)")
    func dehydration() async throws {
        let pages = try await Pages(MemoryArchive(), liveScreens: 1)
        pages.write("at home")
        for page in 1...3 { try await pages.flow.navigate(to: .page(page)) }
        #expect(pages.drafts.keys.sorted() == [3])
        try await pages.flow.navigateToRoot()
        await pages.app.orchestrator.quiet()
        #expect(pages.drafts == [0: "at home"])
    }

    @Test("A screen that ends before it has its image keeps that image (RES-02)", .timeLimit(.minutes(10)))
    func pendingImage() async throws {
        let archive = MemoryArchive()
        let first = try await Pages(archive, liveScreens: 1)
        first.write("at home")
        try await first.flow.navigate(to: .page(1))
        await first.lifecycle.move(to: .terminating)

        let second = try await Pages(archive, liveScreens: 1)
        let log = second.app.log
        second.hooks.onRestore = {
            log.write("restore")
            await log.wait(for: "released")
        }
        try await second.flow.navigateToRoot()
        await log.wait(for: "restore")
        #expect(second.drafts == [0: ""])
        await second.lifecycle.move(to: .background)
        let third = try await Pages(archive, liveScreens: 1)
        #expect(third.drafts == [0: "at home"])
        log.write("released")
    }

    @Test("A route that no longer exists is dropped with all above it, and the rest is shown (RES-01, RES-03)")
    func droppedRoute() async throws {
        let archive = MemoryArchive()
        let first = try await Pages(archive)
        for page in 1...3 { try await first.flow.navigate(to: .page(page)) }
        await first.lifecycle.move(to: .background)
        var image = try #require(await archive.image)
        image.stacks["main"]?[2] = Data(#"{"route":{"gone":{}}}"#.utf8)
        let second = try await Pages(MemoryArchive(image))
        #expect(second.flow.routes == [.home, .page(1)] && second.lifecycle.phase == .active)
        let error = second.app.orchestrator.errorBoundary.current?.error as? LifecycleError
        #expect(error?.code == .routesDropped)

        image.stacks["main"] = [Data("]".utf8)]
        let third = try await Pages(MemoryArchive(image))
        #expect(third.flow.routes == [.home] && third.flow.isOpen && third.lifecycle.phase == .active)
    }

    @Test("A history above the limit of this version loses its oldest routes above the root (RES-01, RES-03)")
    func longerHistory() async throws {
        let archive = MemoryArchive()
        let first = try await Pages(archive)
        for page in 1...5 {
            try await first.flow.navigate(to: .page(page))
            first.write("page \(page)")
        }
        await first.lifecycle.move(to: .background)
        let image = try #require(await archive.image)
        let second = try await Pages(MemoryArchive(image), historyLimit: 3)
        #expect(second.flow.routes == [.home, .page(4), .page(5)] && second.drafts[2] == "page 5")
        let error = try #require(second.app.orchestrator.errorBoundary.current?.error as? LifecycleError)
        #expect(error.code == .routesDropped)
        #expect(error.message.contains("3 of 6") && error.message.contains("historyLimit is 3"))
        let third = try await Pages(MemoryArchive(image), historyLimit: 1)
        #expect(third.flow.routes == [.page(5)])
    }
}
