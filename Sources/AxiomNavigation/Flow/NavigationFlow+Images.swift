// SPDX-License-Identifier: Apache-2.0

public import Axiom

// ``AppLifecycle`` saves and restores what these members return.

extension NavigationFlow {
    /// The contexts of the live screens, with the indices of their routes, the root first.
    package var liveContexts: [(index: Int, route: R, context: any Context)] {
        stack.entries.enumerated().compactMap { index, entry in
            screens.context(of: entry.id).map { (index, entry.route, $0) }
        }
    }

    /// Returns when no `onAppear()` of the live screens is under way. For callers that count the work of contexts.
    package func endAppearances() async { await screens.endAppearances() }

    /// Makes the images of screens that end and may be made again. None by default: a screen is made from its route.
    package var imaging: (any ScreenImaging)? {
        get { screens.imaging }
        set { screens.imaging = newValue }
    }

    /// The image of each route of the history: that of a live screen as it is now, and that of another one as it was
    /// kept. Nil for a screen without one.
    package var images: [ScreenImage?] {
        stack.entries.map { entry in
            guard let context = screens.context(of: entry.id) else { return screens.image(of: entry.id) }
            return imaging?.image(of: context)
        }
    }

    /// Replaces the history as ``reset(to:from:)``, and gives each new screen its image when it is made.
    ///
    /// - Parameter images: By the index of the route; missing ones are nil. They are dropped if middleware redirects.
    @discardableResult
    package func reset(
        to routes: [R],
        images: [ScreenImage?],
        from source: NavigationSource = .restoration
    ) async throws -> NavigationOutcome<R> {
        try await perform(.reset(routes, images), from: source)
    }

    /// Lets `prefetcher` load what a route requires while its screen is made.
    ///
    /// A flow has one prefetcher at most, and a prefetcher belongs to one flow. It begins when middleware has passed a
    /// request on, and never delays a transition.
    ///
    /// - Throws: `NavigationError` that lists each requirement of a sample without a loader.
    public func prefetch(with prefetcher: Prefetcher) throws(NavigationError) {
        let problems = prefetcher.problems(R.samples)
        guard problems.isEmpty else { throw .prefetch(problems.joined(separator: "; ")) }
        let identifiers = Set(R.samples.filter { !$0.metadata.prefetch.isEmpty }.map(\.identifier))
        prefetcher.bind(flow: options.metricsName ?? name, identifiers: identifiers) { orchestrator.signal($0, $1) }
        self.prefetcher = prefetcher
    }
}
