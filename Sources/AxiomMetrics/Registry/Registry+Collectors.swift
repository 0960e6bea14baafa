// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Registry {
    /// Adds a collector, which every collection calls.
    @discardableResult
    public func register(_ collector: some Collector) -> CollectorRegistration {
        state.withLock { state in
            let registration = state.nextRegistration()
            state.collectors.append(CollectorSource(registration, collector))
            return registration
        }
    }

    /// Adds an asynchronous collector, which every collection with a deadline calls: see ``collect(deadline:)``.
    @discardableResult
    public func register(_ collector: some AsyncCollector) -> CollectorRegistration {
        state.withLock { state in
            let registration = state.nextRegistration()
            state.asyncCollectors.append(AsyncSource(registration, collector))
            return registration
        }
    }

    /// Sets the source of exemplars for histograms of this registry, in place of another one. Collections for a format with
    /// exemplars call it once.
    package func register(exemplars source: some ExemplarSource) {
        state.withLock { $0.exemplarSource = source }
    }

    /// Removes a collector. Collections in progress may still call it.
    ///
    /// - Returns: Whether it was registered.
    @discardableResult
    public func unregister(_ registration: CollectorRegistration) -> Bool {
        state.withLock { state in
            let before = state.collectors.count + state.asyncCollectors.count
            state.collectors.removeAll { $0.id == registration }
            state.asyncCollectors.removeAll { $0.id == registration }
            return state.collectors.count + state.asyncCollectors.count < before
        }
    }

    /// Removes a family or a callback and releases its names. Values recorded into its instruments afterwards are not shown.
    ///
    /// - Parameter name: The family's name, as it was registered.
    /// - Returns: Whether it was registered.
    @discardableResult
    public func unregister(_ name: String) -> Bool {
        state.withLock { state in
            let isFamily = state.families.removeValue(forKey: ByteName(name)) != nil
            let isCallback = state.callbacks.removeValue(forKey: ByteName(name)) != nil
            state.claims.release(name)
            return isFamily || isCallback
        }
    }
}

extension Registry.State {
    fileprivate mutating func nextRegistration() -> CollectorRegistration {
        lastRegistration += 1
        return CollectorRegistration(id: lastRegistration)
    }
}

extension Registry {
    /// Registers a gauge whose value is read at every collection.
    ///
    /// - Parameters:
    ///   - name: Ends in the base unit, if there is one.
    ///   - help: What is measured, in a sentence. Shown on the page.
    ///   - read: Returns the current value. Runs on the collecting thread, concurrently for concurrent collections, and must
    ///     not wait. If it throws, the metric is missing from that page, and ``Snapshot/problems`` reports the error.
    /// - Throws: ``MetricsError`` if the name or the help is invalid, or the name is taken.
    public func gaugeCallback(
        _ name: String,
        help: String,
        file: String = #fileID,
        line: Int = #line,
        _ read: @escaping @Sendable () throws -> Double
    ) throws(MetricsError) {
        try add(name, .gauge, help, file, line, read)
    }

    /// Registers a counter whose total is read at every collection.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - read: Returns the current total, which is never negative and never decreases. Runs as that of
    ///     ``gaugeCallback(_:help:file:line:_:)``.
    /// - Throws: ``MetricsError`` if the name or the help is invalid, or the name is taken.
    public func counterCallback(
        _ name: String,
        help: String,
        file: String = #fileID,
        line: Int = #line,
        _ read: @escaping @Sendable () throws -> Double
    ) throws(MetricsError) {
        try add(name, .counter, help, file, line, read)
    }

    private func add(
        _ name: String,
        _ kind: MetricKind,
        _ help: String,
        _ file: String,
        _ line: Int,
        _ read: @escaping @Sendable () throws -> Double
    ) throws(MetricsError) {
        do throws(MetricsError) {
            let definition = try MetricDefinition(name, kind, .callback, help: help)
            try state.withLock { state throws(MetricsError) in
                try state.claims.claim(definition)
                state.callbacks[ByteName(name)] = Callback(definition: definition, read: read)
            }
        } catch {
            throw error.at(file, line)
        }
    }
}
