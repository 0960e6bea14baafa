// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

extension AppLifecycle {
    /// Carries out one step of the line.
    func take(_ step: LifecycleMachine.Step) async -> LifecycleMachine.Ending {
        switch (step.from, step.to) {
        case (.launching, .active): return await takeLaunch()
        case (_, .background): await enterBackground()
        case (.background, .inactive): await enterForeground()
        // Its limits are those of the shutdown.
        case (_, .terminating): await orchestrator.shutdown()
        default: break
        }
        return Task.isCancelled ? .cut : .done
    }

    /// The contexts have half of the grace time, so that at least half is left for the state.
    private func enterBackground() async {
        let (clock, orchestrator) = (orchestrator.clock, orchestrator)
        let deadline = clock.now.advanced(by: grace)
        await attempt(.background, grace / 2) { await orchestrator.enterBackground() }
        guard !Task.isCancelled else { return }
        await attempt(.save, deadline.rest(clock)) { try await self.save() }
        guard !Task.isCancelled else { return }
        await attempt(.release, deadline.rest(clock)) { await orchestrator.relieveMemory(inBackground: true) }
    }

    private func enterForeground() async {
        let orchestrator = orchestrator
        await attempt(.foreground, grace) {
            await orchestrator.enterForeground()
            await orchestrator.relieveMemory(inBackground: false)
        }
    }

    /// Saves the stacks of the flows and the images of the contexts. The background calls it; call it also before work
    /// that may end the process.
    ///
    /// - Throws: The error of the archive.
    public func save() async throws {
        guard let archive, !isFirstLaunch else { return }
        var image = AppImage(appVersion: archive.appVersion, savedAt: orchestrator.clock.secondsSinceEpoch)
        for flow in flows {
            do {
                image.stacks[flow.restorationName] = try flow.encodedStack()
            } catch {
                await orchestrator.report(error)
            }
        }
        image.contexts = await MountedImages(orchestrator, except: flows).encoded()
        do {
            signals.saved(bytes: try await archive.save(image))
        } catch {
            signals.saveFailed()
            throw error
        }
    }

    // MARK: Launch

    private func takeLaunch() async -> LifecycleMachine.Ending {
        let image = await load()
        do {
            try Task.checkCancellation()
            try await launch()
            await restoreStacks(image)
            for flow in flows { try await flow.showFirstRoute() }
            try Task.checkCancellation()
        } catch {
            guard !Task.isCancelled else { return .cut }
            await orchestrator.report(error)
            return .failed
        }
        if let image { await MountedImages(orchestrator, except: flows).restore(image.contexts, runRestoration) }
        guard !Task.isCancelled else { return .cut }
        if let archive { await attempt(.confirm, grace) { try await archive.launched() } }
        return .done
    }

    /// Loads the image once in a process: the archive counts each load as a launch.
    private func load() async -> AppImage? {
        guard let archive else { return nil }
        if let loaded { return loaded.image }
        do {
            let state = try await within(grace, .load) { try await archive.load() }
            found(state)
            signals.loaded(state.image == nil ? .none : .success)
            signals.loaded(.setAside, state.setAside.count)
            for image in state.setAside { await orchestrator.report(LifecycleError.setAside(image)) }
            return state.image
        } catch {
            guard !Task.isCancelled else { return nil }
            signals.loaded(.failure)
            await orchestrator.report(error)
            return nil
        }
    }

    /// Restored before the contexts, because stacks mount contexts. They have no limit of their own: the screens that
    /// they show have theirs.
    private func restoreStacks(_ image: AppImage?) async {
        for flow in flows where !Task.isCancelled {
            guard let entries = image?.stacks[flow.restorationName] else { continue }
            do {
                try await flow.restoreStack(entries)
            } catch {
                if !Task.isCancelled { await orchestrator.report(error) }
            }
        }
    }

    /// Runs the restoration of one context within the grace time, inside its boundary.
    var runRestoration: RestorationRun {
        { [weak self] context, body in
            await context.contain {
                guard let self else { return try await body() }
                try await self.within(self.grace, .restore, body)
            }
        }
    }
}

extension Instant {
    /// The time until this instant, at least zero.
    fileprivate func rest(_ clock: TimeSource) -> Duration {
        max(.zero, clock.now.duration(to: self))
    }
}
