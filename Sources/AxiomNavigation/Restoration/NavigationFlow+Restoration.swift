// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A route of a saved stack, and the image of the context that showed it.
private struct SavedRoute<R: Codable>: Codable {
    let route: R
    let image: ContextImage?
}

extension NavigationFlow: RestorableFlow where R: Codable {
    /// The name of the flow.
    public var restorationName: String { name }

    /// The routes of the history, each with the image of its screen: also of screens that are not live.
    ///
    /// - Throws: The error of a route that cannot be encoded.
    public func encodedStack() throws -> [Data] {
        let images = images
        return try RouteStack.encode(
            routes.enumerated().map { index, route in
                let image = images.indices.contains(index) ? images[index] : nil
                return SavedRoute(route: route, image: image.flatMap(ContextImage.init))
            }
        )
    }

    /// Resets the flow to the routes of an earlier run, and waits until the screens that this creates have their images.
    ///
    /// - Throws: ``LifecycleError`` with the code ``ErrorCode/routesDropped``, after the routes below were restored; and
    ///   as ``reset(to:from:)``.
    public func restoreStack(_ entries: [Data]) async throws {
        var (saved, dropped): ([SavedRoute<R>], (any Error)?) = RouteStack.decode(entries, from: name)
        let limit = max(1, options.historyLimit)
        if saved.count > limit {
            // As if the routes had been shown one after the other with this limit.
            let excess = saved.count - limit
            let root = limit == 1 ? [] : saved.prefix(1)
            saved = Array(root + saved.suffix(limit - root.count))
            dropped = dropped ?? LifecycleError.routesDropped(excess, of: entries.count, from: name, limit: limit)
        }
        if !saved.isEmpty {
            let images = saved.map { $0.image.flatMap(ScreenImage.init) }
            let outcome = try await reset(to: saved.map(\.route), images: images, from: .restoration)
            if case .refused(let reason) = outcome {
                throw LifecycleError.routesRefused(entries.count, from: name, because: reason)
            }
            await (imaging as? ContextImaging)?.finish()
        }
        if let dropped { throw dropped }
    }

    /// Shows the root, unless the flow is open.
    ///
    /// - Throws: As ``open()``.
    public func showFirstRoute() async throws { try await open() }

    /// The contexts of the live screens.
    public var contextsOfStack: [any Context] { liveContexts.map(\.context) }
}

/// A flow that keeps images of screens that are not live.
@MainActor
protocol ImagedFlow: AnyObject {
    var imaging: (any ScreenImaging)? { get set }
}

extension NavigationFlow: ImagedFlow {}

/// Makes and restores the images of the screens of all flows.
@MainActor
final class ContextImaging: ScreenImaging {
    /// The restorations that have not ended, by the number of the context.
    private var restorations: [UInt64: (image: ScreenImage, task: Task<Void, Never>)] = [:]
    /// Runs one restoration within its limit, inside the boundary of the context.
    private let run: RestorationRun

    init(_ run: @escaping RestorationRun) { self.run = run }

    func image(of context: any Context) -> ScreenImage? {
        guard let context = context as? any RestorableContext else { return nil }
        // The state of the context is not complete yet.
        if let pending = restorations[context.identity.id] { return pending.image }
        do {
            return try ScreenImage(context.unencodedImage.encode())
        } catch {
            Task.onMainActor { await context.contain { throw error } }
            return nil
        }
    }

    /// Begins the restoration, which may suspend. It is not awaited here, because the screen is rendered at once.
    func restore(_ image: ScreenImage, to context: any Context) {
        guard let context = context as? any RestorableContext, let saved = ContextImage(image) else { return }
        let (id, run) = (context.identity.id, run)
        let task = Task.onMainActor { [weak self, weak context] in
            if let context { await run(context) { [weak context] in try await context?.takeOver(saved) } }
            self?.restorations[id] = nil
        }
        restorations[id] = (image, task)
    }

    /// Waits for the restorations that have begun. Each has a limit.
    func finish() async {
        for restoration in restorations.values { await restoration.task.value }
    }
}

extension ScreenImage {
    fileprivate init?(_ image: ContextImage) {
        guard let data = try? JSONEncoder().encode(image) else { return nil }
        self.init(bytes: Array(data))
    }
}

extension ContextImage {
    fileprivate init?(_ image: ScreenImage) {
        guard let own = try? JSONDecoder().decode(ContextImage.self, from: Data(image.bytes)) else { return nil }
        self = own
    }
}
