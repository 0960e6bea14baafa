// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

extension Registry {
    /// Reads all metrics. May be called from any thread, also by several at once.
    ///
    /// Each series is consistent in itself; two series are read one after the other, so that what happens in between
    /// may show in one of them only. Asynchronous collectors are not asked: see ``collect(deadline:)``.
    public func collect() -> Snapshot {
        finish(collectNow())
    }

    /// Reads all metrics, those of asynchronous collectors too, and is back soon after the deadline at the latest.
    ///
    /// A collector that has not answered by then is cancelled; its families are missing and ``Snapshot/problems`` says
    /// so. It is not asked again before it has ended. The deadline binds asynchronous collectors only: nothing can stop
    /// a callback or a ``Collector`` that does not return.
    ///
    /// - Parameter deadline: On the time line of the registry's clock. What a scrape has left of the time that
    ///   Prometheus allows (`X-Prometheus-Scrape-Timeout-Seconds`), less the time of the answer.
    public func collect(deadline: Instant) async -> Snapshot {
        let sources = state.withLock { $0.asyncCollectors }
        guard !sources.isEmpty else { return collect() }
        let gathering = AsyncGathering(sources)
        let outcomes = await gathering.run(until: deadline, context.clock)
        var page = collectNow()
        for (source, outcome) in zip(sources, outcomes) { page.add(outcome, of: source) }
        return finish(page)
    }

    /// Whether a page may have to wait: without asynchronous collectors ``collect()`` reads all that there is.
    package var hasAsyncCollectors: Bool {
        state.withLock { !$0.asyncCollectors.isEmpty }
    }

    /// Reads the registered families of these names, in their order: nil for a name that is not registered. Neither
    /// callbacks nor collectors are asked, so that who wants a few totals often pays for no others.
    package func collect(families names: [String]) -> [FamilySnapshot?] {
        let families = state.withLock { state in names.map { state.families[ByteName($0)] } }
        return families.map { $0?.collect() }
    }

    /// How many series the registered families have, together, and how many look-ups found one full.
    package var seriesCounts: (series: Int, refused: UInt64) {
        let families = state.withLock { Array($0.families.values) }
        return families.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.refusals) }
    }

    /// All but the asynchronous collectors' families.
    private func collectNow() -> PageBuilder {
        let state = state.withLock { $0 }
        var page = PageBuilder(claims: state.claims, context: context)
        let families = state.families.values.map { $0.collect() }
        for family in families { page.add(family) }
        if state.showsItself { page.addOwnMetrics(of: families, ownDefinitions) }
        for callback in state.callbacks.values { page.add(callback) }
        for collector in state.collectors { page.add(collector) }
        return page
    }

    /// Counts and reports what is missing from the page.
    private func finish(_ page: consuming PageBuilder) -> Snapshot {
        problems.record(page.problems, at: context.clock.now)
        if state.withLock({ $0.showsItself }) { page.addProblemCounts(problems.counts, ownDefinitions) }
        return page.finish()
    }
}
