// SPDX-License-Identifier: Apache-2.0

package import Axiom

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
}

extension NavigationFlow {
    /// Lets `prefetcher` load the data of a route that is about to be shown, and of routes that are likely next.
    ///
    /// A flow has one prefetcher at most, and a prefetcher belongs to one flow. It begins when
    /// middleware has passed a request on, and after each arrival, ways back included. It never delays a transition.
    public func prefetch(with prefetcher: Prefetcher<R>) {
        prefetcher.bind(flow: options.metricsName ?? name) { orchestrator.signal($0, $1) }
        self.prefetcher = prefetcher
        // Not an action of the user: the predictor learns only where the next transition starts.
        if isOpen { prefetcher.arrived(at: currentRoute, source: .restoration) }
    }

    /// Loads what is likely next, after a transition.
    func prefetch(after outcome: NavigationOutcome<R>, from source: NavigationSource) {
        switch outcome {
        case .arrived(let route), .redirected(to: let route): prefetcher?.arrived(at: route, source: source)
        case .refused, .unchanged: break
        }
    }
}
