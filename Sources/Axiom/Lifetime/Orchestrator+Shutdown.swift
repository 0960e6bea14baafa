// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Orchestrator {
    /// Ends the application in the reverse order: refuses requests and waits for those that run, unmounts the presentations,
    /// deactivates the clients, saves their persistent states, terminates the capabilities. Does nothing if it does not run.
    /// Afterwards it can be started again.
    ///
    /// Cancels a start that is under way and ends what it started; waits for a shutdown that is under way. Continues
    /// even if the calling task is cancelled. A call from within the start or the shutdown itself, such as from a
    /// `deactivate()`, an `onDisappear()` or a recovery strategy, would wait for itself: it returns at once, and the
    /// start or shutdown continues. The same applies to each task that such code begins, unless it is detached, and to a
    /// call from a request, for which the shutdown waits.
    ///
    /// Each step has a limit, and so has the whole; see ``WaitLimits``. A step that exceeds its limit is cancelled and
    /// no longer awaited, and ``errorBoundary`` keeps a ``LifecycleError`` that names it. When the limit of the whole
    /// has expired, each remaining step is called, and cancelled at once.
    public func shutdown() async {
        if case .starting(_, let start) = life {
            start.task.cancel()
            guard (try? await Turns.wait(for: start.turn, { _ = await start.task.result })) != nil else { return }
        }
        switch life {
        case .configuring, .starting, .stopped: return
        case .running(let run): await stop(run)
        case .stopping where OperationContext.current.request != nil: return
        case .stopping(_, let shutdown):
            // A shutdown that waits for the caller continues when this returns.
            try? await Turns.wait(for: shutdown.turn) { _ = await shutdown.task.result }
        }
    }

    private func stop(_ run: Run) async {
        let turn = Turns.begin(TurnSubject(.shutdown, of: identity.descriptor), clock: port.clock)
        let task = Task<Void, any Error>.onMainActor {
            await Turns.run(turn) { await takeDown(run, because: "the application was shut down") }
        }
        life = .stopping(run, Transition(turn: turn, task: task))
        if OperationContext.current.request == nil { _ = await task.result }
    }

    /// Ends all components of the run, and sets the phase to stopped.
    func takeDown(_ run: Run, because reason: String) async {
        let deadline = port.clock.now.advanced(by: port.limits.shutdown)
        for part in extensions.all { part.runWillEnd() }
        for monitor in run.monitors { monitor.end() }
        run.monitors = []
        await drainEndpoints(of: run, by: deadline)
        for host in mounts.hosts.reversed() {
            await end(.unmount, of: host.component, by: deadline) { await host.unmount() }
        }
        for part in extensions.all { part.runEnded() }
        run.isEnding = true
        let unsaved = unsavedParts
        clients.removeAll()
        while let running = run.clients.popLast() {
            if let hooks = run.hooks.removeValue(forKey: running.component) {
                await end(.unobserve, of: running.component, by: deadline) { await hooks.close() }
            }
            await end(.deactivate, of: running.component, by: deadline) { await running.client?.deactivate() }
        }
        await saveFinally(unsaved, by: deadline)
        await end(.shutdown, of: identity.descriptor, by: deadline) {
            for failure in await run.capabilities.stop(reason: reason) {
                self.countIfOverdue(failure.error, failure.component)
                await self.end(failure)
            }
        }
        contexts.removeAll()
        for plan in blueprint.handlers { plan.endpoint.release() }
        port.watchdog?.stop()
        degradation.update([:])
        life = .stopped
        port.shutDown()
    }

    /// Deactivates a client outside of a shutdown, within its limit. A client that exceeds it is reported.
    func deactivate(_ client: any StatelessClient, _ component: ComponentDescriptor) async {
        do {
            try await withLimit(port.limit(.deactivate, of: component)) { await client.deactivate() }
        } catch {
            await end(error, in: component)
        }
    }

    /// Runs one step of a shutdown within its limit. A step that exceeds it is reported.
    func end(
        _ operation: TurnOperation,
        of component: ComponentDescriptor,
        by deadline: Instant,
        _ step: @escaping @MainActor @Sendable () async throws -> Void
    ) async {
        do {
            try await withLimit(port.limit(operation, of: component).within(shutdownUntil: deadline), step)
        } catch {
            countIfOverdue(error, component)
            await end(error, in: component)
        }
    }

    private func countIfOverdue(_ error: any Error, _ component: ComponentDescriptor) {
        guard (error as? LifecycleError)?.code == .limitExpired else { return }
        port.reportShutdownOverdue(component)
    }

    /// A part of a client that has changes to save.
    typealias Unsaved = (component: ComponentDescriptor, part: any UnsavedPart)

    /// The parts of all clients of the run, those of clients that failed to start included.
    var unsavedParts: [Unsaved] {
        clients.clients.flatMap { client in client.stores.unsavedParts.map { (client.component, $0) } }
    }

    /// Saves the changes of all parts at the same time, because the application enters the background. A part that
    /// exceeds its limit is reported and no longer awaited.
    func save(_ parts: [Unsaved]) async {
        await withDiscardingTaskGroup { group in
            for (component, part) in parts {
                group.addTask {
                    do {
                        try await withLimit(concurrently: self.port.limit(.save, of: component)) { await part.save() }
                    } catch {
                        await self.end(error, in: component)
                    }
                }
            }
        }
    }

    /// Saves the changes of all parts for the last time, at the same time.
    func saveFinally(_ parts: [Unsaved], by deadline: Instant) async {
        await withDiscardingTaskGroup { group in
            for (component, part) in parts {
                let step: @MainActor @Sendable () async -> Void = {
                    await self.end(.save, of: component, by: deadline) { try await part.saveFinally() }
                }
                group.addTask(operation: step)
            }
        }
    }
}
