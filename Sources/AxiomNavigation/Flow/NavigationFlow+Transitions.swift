// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// A request to a flow.
enum FlowRequest<R: Route>: Sendable {
    case open
    case show(R)
    case replace(R)
    case back(Int)
    /// Back to the route with this number, counted from 1, if it is still the same route when the request has its turn.
    case backTo(depth: Int, R)
    case root
    /// The history, and the images of its screens by index.
    case reset([R], [ScreenImage?])
}

extension NavigationFlow {
    /// Carries out a request in its turn, and records it.
    func perform(_ request: FlowRequest<R>, from source: NavigationSource) async throws -> NavigationOutcome<R> {
        if source == .deepLink, let reason = try await LaunchGate.of(orchestrator).wait(for: name) {
            return .refused(reason: reason)
        }
        let start = orchestrator.clock.now
        let measured = signals.transition(of: request, current: currentRoute)
        do {
            let outcome = try await takeTurn(request, from: source, measured)
            measured.ended(outcome.name, since: start, at: orchestrator.clock.now)
            return outcome
        } catch {
            let isCancelled = ActionOutcome(ofError: error) == .cancelled
            measured.ended(isCancelled ? "cancelled" : "failed", since: start, at: orchestrator.clock.now)
            throw error
        }
    }

    private func takeTurn(
        _ request: FlowRequest<R>,
        from source: NavigationSource,
        _ measured: MeasuredTransition
    ) async throws -> NavigationOutcome<R> {
        try expectRunning()
        let turn: TurnID
        switch try await queue.enter() {
        case .refused(let reason): return .refused(reason: reason)
        case .turn(let admitted): turn = admitted
        }
        isTransitioning = true
        defer {
            queue.leave()
            isTransitioning = queue.isBusy
        }
        return try await Turns.run(turn) {
            try Task.checkCancellation()
            try expectRunning()
            turnGeneration = generation
            return try await carryOut(request, from: source, measured)
        }
    }

    /// Ends all screens, as when a window is closed. The history is lost; the flow can be opened again.
    ///
    /// It takes its turn after the transition under way, continues even if the caller is cancelled, and is not counted as a
    /// transition. Does nothing if the flow is not open.
    ///
    /// - Throws: ``NavigationError`` if a transition waits for the caller, or the flow ends before its turn.
    public func close() async throws {
        let task = Task.onMainActor {
            guard case .turn(let turn) = try await queue.enter(isOptional: false) else { return }
            isTransitioning = true
            defer {
                queue.leave()
                isTransitioning = queue.isBusy
            }
            await Turns.run(turn) { await endScreens() }
        }
        try await task.value
    }

    /// The newest screen ends first. Screens that are not live have images, which end too.
    private func endScreens() async {
        let ended = stack.entries.reversed()
        prefetcher?.clear()
        commit(NavigationStack(options))
        for entry in ended { try? await screens.apply(.close(entry.id)) }
    }

    private func expectRunning() throws {
        guard orchestrator.isRunning else { throw NavigationError.flowEnded(name, "the application does not run") }
    }

    private func carryOut(
        _ request: FlowRequest<R>,
        from source: NavigationSource,
        _ measured: MeasuredTransition
    ) async throws -> NavigationOutcome<R> {
        switch request {
        case .open where isOpen: return .unchanged
        case .open: return try await pass(.reset([root]), from: source, measured)
        case .show(let route) where isOpen: return try await pass(.show(route), from: source, measured)
        case .replace(let route) where isOpen: return try await pass(.replace(route), from: source, measured)
        case .show(let route), .replace(let route):
            let routes = route == root || route.metadata.transition == .replace ? [route] : [root, route]
            return try await pass(.reset(routes), from: source, measured)
        case .reset(let routes, let images):
            pendingImages = images
            defer { pendingImages = [] }
            guard !routes.isEmpty else { throw NavigationError.emptyHistory }
            return try await pass(.reset(routes), from: source, measured)
        case .back(let count): return try await transition(.back(count), measured)
        case .backTo(let depth, let route):
            let index = depth &- 1
            guard stack.entries.indices.contains(index), stack.entries[index].route == route else { return .unchanged }
            return try await transition(.back(stack.entries.count - depth), measured)
        case .root: return try await transition(.root, measured)
        }
    }

    /// Passes the request through the middleware, again for each route to which it is redirected.
    private func pass(
        _ requested: RequestedRoutes<R>,
        from source: NavigationSource,
        _ measured: MeasuredTransition
    ) async throws -> NavigationOutcome<R> {
        var (requested, source, redirects) = (requested, source, [R]())
        while true {
            let began = orchestrator.clock.now
            let passage = Passage(requested, in: self, source, redirects) { [self] change in
                measured.observe(.middleware, since: began, at: orchestrator.clock.now)
                return try await transition(change, measured)
            }
            let outcome = try await passage.run()
            guard case .redirected(let target) = outcome else {
                return redirects.isEmpty ? outcome : outcome.afterRedirection(current: currentRoute)
            }
            try Task.checkCancellation()
            let next = passage.redirected(to: target)
            redirects.append(next.from)
            try check(redirects, target)
            signals.redirected(from: next.from.identifier, to: target.identifier)
            (requested, source, pendingImages) = (next.requested, .redirect, [])
        }
    }

    /// Throws if a request that was redirected from `redirects` must not be redirected to `target`.
    private func check(_ redirects: [R], _ target: R) throws {
        let path = (redirects + [target]).map { "\($0)" }
        if redirects.contains(target) { throw NavigationError.redirectCircle(path) }
        if redirects.count > options.redirectLimit {
            throw NavigationError.tooManyRedirects(path, limit: options.redirectLimit)
        }
    }

    /// Changes the stack, and makes the screens follow. From here on a cancellation of the caller changes nothing.
    private func transition(
        _ change: StackChange<R>,
        _ measured: MeasuredTransition
    ) async throws -> NavigationOutcome<R> {
        try Task.checkCancellation()
        try expectSameRun()
        let (next, effects): (NavigationStack<R>, [StackEffect<R>])
        do {
            (next, effects) = try stack.applying(change)
        } catch {
            if error.code == .routeInHistory { return .refused(reason: error.message) }
            throw error
        }
        guard !effects.isEmpty else { return .unchanged }
        if let top = next.entries.last { prefetcher?.approaching(top.route, isNew: effects.contains(.open(top))) }
        // A task of its own is not cancelled with the caller.
        let task = Task.onMainActor { try await replaceScreens(effects, next, measured) }
        try await task.value
        return .arrived(currentRoute)
    }

    private func replaceScreens(
        _ effects: [StackEffect<R>],
        _ next: NavigationStack<R>,
        _ measured: MeasuredTransition
    ) async throws {
        try expectSameRun()
        let began = orchestrator.clock.now
        let images = zip(next.entries, pendingImages).filter { entry, _ in !stack.entries.contains(entry) }
        for (entry, image) in images { screens.keep(image, for: entry.id) }
        let final = effects.firstIndex { !$0.isRevocable } ?? effects.endIndex
        do {
            try await open(effects[..<final])
        } catch {
            for (entry, _) in images { screens.keep(nil, for: entry.id) }
            try expectSameRun()
            throw error
        }
        measured.observe(.create, since: began, at: orchestrator.clock.now)
        commit(next)
        for case .open(let entry) in effects[..<final] { screens.keep(nil, for: entry.id) }
        for effect in effects[final...] { try await screens.apply(effect) }
    }

    /// Throws if the application was shut down since the turn began, even if it was started again.
    private func expectSameRun() throws {
        guard turnGeneration == generation, orchestrator.isRunning else {
            throw NavigationError.flowEnded(name, "the application was shut down during the transition")
        }
    }

    /// Carries out the effects that can be revoked, and revokes them if a screen cannot be opened.
    private func open(_ effects: ArraySlice<StackEffect<R>>) async throws {
        var done: [StackEffect<R>] = []
        do {
            for effect in effects {
                try await screens.apply(effect)
                done.append(effect)
                try expectSameRun()
            }
        } catch {
            for effect in done.reversed() { await screens.revoke(effect) }
            throw error
        }
    }
}

extension StackEffect {
    /// Whether the effect can be taken back. Effects that cannot never fail.
    fileprivate var isRevocable: Bool {
        switch self {
        case .cover, .open: true
        case .close, .uncover, .dehydrate: false
        }
    }
}
