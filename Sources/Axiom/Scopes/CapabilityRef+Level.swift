// SPDX-License-Identifier: Apache-2.0

extension CapabilityRef {
    /// How much of the capability works now: the worst of its own level, the level that its dependencies allow (see
    /// ``CapabilityRequirement``), and the level that permissions, services and resources allow. Its own level is its
    /// last report or, without one, the level that was read last. ``DegradationLevel/unavailable`` while there is no
    /// working instance. Costs one lock.
    public var degradationLevel: DegradationLevel {
        slot.degradationLevel
    }

    /// The level, the known availability, and the reason. Costs one lock.
    public var report: CapabilityReport {
        slot.report
    }

    /// The level now, and after every change until the application is shut down. While the capability is being
    /// replaced, it is ``DegradationLevel/unavailable``.
    public var levels: CapabilityLevels {
        CapabilityLevels(slot.levels)
    }

    /// Throws if the capability works less than an operation requires.
    ///
    /// - Parameter level: The worst level at which the operation is possible.
    /// - Throws: ``CapabilityError`` with the code ``ErrorCode/capabilityDegraded``, the level and the reason;
    ///   ``ErrorCode/capabilityUnavailable`` if there is no working instance; ``AuthorizationError`` if a permission is
    ///   missing.
    public func require(_ level: DegradationLevel) throws {
        _ = try current()
        let report = slot.report
        guard report.level > level else { return }
        let name = slot.component.name
        let error = CapabilityError.degraded(name, report.level, required: level, because: report.reason)
        ErrorTrail.noteFailure(error, from: slot.component)
        throw error
    }

    /// Writes the level into a client's state, now and after every change, so that contexts can adjust to it: they see
    /// the client's state and no capability (rule 2).
    ///
    /// Returns when the application is shut down or the task is cancelled. A client calls it in a task that it begins in
    /// ``StatelessClient/activate()`` and cancels in ``StatelessClient/deactivate()``.
    public func follow<S>(in store: StateStore<S>, _ path: any WritableKeyPath<S, DegradationLevel> & Sendable) async {
        for await level in levels {
            store.update { $0[keyPath: path] = level }
        }
    }
}
