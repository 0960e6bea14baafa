// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The screens of one flow, which follow its stack.
@MainActor
final class ScreenTable<R: Route> {
    /// Receives each output of a screen, which has the type of the flow's outputs.
    private typealias Receiver = @MainActor (Any) -> Void

    private struct Live {
        let screen: any OpenScreen
        var output: Any?
    }

    private let make: @MainActor (R, @escaping Receiver) throws -> any OpenScreen
    private let render: @MainActor ([Any]) -> Void
    private var live: [UInt64: Live] = [:]
    private var images: [UInt64: ScreenImage] = [:]
    private var visible: [UInt64] = []
    /// Creates the images; nil if screens are created again from their routes alone.
    var imaging: (any ScreenImaging)?

    init<Output>(
        _ orchestrator: Orchestrator,
        screen: @escaping @MainActor (R) throws -> Screen<Output>,
        render: @escaping @MainActor ([Output]) -> Void
    ) {
        make = { route, receive in try screen(route).make(orchestrator) { receive($0) } }
        self.render = { render($0.compactMap { $0 as? Output }) }
    }

    /// Carries out one step. Only `open` throws.
    func apply(_ effect: StackEffect<R>) async throws {
        switch effect {
        case .open(let entry): try await open(entry)
        case .cover(let id): await live[id]?.screen.cover()
        case .uncover(let id): await live[id]?.screen.uncover()
        case .close(let id):
            images[id] = nil
            await end(id)
        case .dehydrate(let id):
            images[id] = context(of: id).flatMap { imaging?.image(of: $0) }
            await end(id)
        }
    }

    /// Reverts a revocable step: uncovers the screen, or ends it. The screen's image stays.
    func revoke(_ effect: StackEffect<R>) async {
        switch effect {
        case .cover(let id): await live[id]?.screen.uncover()
        case .open(let entry): await end(entry.id)
        case .close, .uncover, .dehydrate: break
        }
    }

    private func open(_ entry: StackEntry<R>) async throws {
        let opened = try make(entry.route) { [weak self] in self?.received($0, from: entry.id) }
        live[entry.id] = Live(screen: opened)
        do {
            try await opened.open { [weak self] context in
                guard let self, let image = images[entry.id] else { return }
                imaging?.restore(image, to: context)
            }
        } catch {
            live[entry.id] = nil
            throw error
        }
    }

    private func end(_ id: UInt64) async { await live.removeValue(forKey: id)?.screen.close() }

    private func received(_ output: Any, from id: UInt64) {
        live[id]?.output = output
        if visible.contains(id) { renderVisible() }
    }

    /// Renders these screens, and each of them again when its output changes. The lowest first.
    func show(_ visible: [UInt64]) {
        self.visible = visible
        renderVisible()
    }

    private func renderVisible() { render(visible.compactMap { live[$0]?.output }) }

    /// Passes the image to the screen with this number each time it is opened; nil for none.
    func keep(_ image: ScreenImage?, for id: UInt64) { images[id] = image }

    /// The image of a screen that is not live; nil if it has none.
    func image(of id: UInt64) -> ScreenImage? { images[id] }

    /// The context of a live screen.
    func context(of id: UInt64) -> (any Context)? { live[id]?.screen.context }

    /// Returns when no `onAppear()` of the live screens is under way.
    func endAppearances() async {
        for (_, live) in live { await live.screen.endAppearance() }
    }

    /// Forgets all screens, which have been unmounted.
    func removeAll() { (live, images, visible) = ([:], [:], []) }
}
