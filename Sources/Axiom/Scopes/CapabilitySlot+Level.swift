// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension CapabilitySlot {
    /// Callers that get an availability without a check.
    struct Answered: Sendable {
        let answer: Bool
        let waiters: [CapabilityAvailability.Waiter]

        init(_ answer: Bool, _ waiters: [CapabilityAvailability.Waiter]) {
            (self.answer, self.waiters) = (answer, waiters)
        }

        static var none: Answered { Answered(false, []) }

        func settle() {
            for waiter in waiters { waiter.settle(.success(answer)) }
        }
    }

    /// Why there is no instance for callers while a developer has taken the capability away.
    static var absence: String { "it was taken away in the dashboard" }

    /// How much of the capability works, given its dependencies.
    var degradationLevel: DegradationLevel {
        isTakenAway ? .unavailable : state.withLock { $0.level.present }
    }

    /// The capability's own level; ``DegradationLevel/unavailable`` while there is no instance, and while it is taken away.
    var ownLevel: DegradationLevel { isTakenAway ? .unavailable : state.withLock { $0.level.own } }

    /// The level that dependents inherit.
    var passedOnLevel: DegradationLevel {
        isTakenAway ? .unavailable : state.withLock { $0.level.passedOn }
    }

    /// The level, the availability and the reason.
    var report: CapabilityReport {
        if isTakenAway { return CapabilityReport(level: .unavailable, isAvailable: false, reason: Self.absence) }
        return state.withLock { $0.report }
    }

    /// Sets the level that the capabilities below allow.
    func setInherited(_ level: DegradationLevel) { changeLevel { $0.level.inherited = level } }

    /// Sets the level that permissions, services and resources allow, and the error of a use that is not permitted.
    func setConditions(_ conditions: CapabilityConditions) {
        let refusal = conditions.refusal(of: component.name)
        changeLevel { state in
            state.level.allowed = conditions.level
            state.conditions = conditions
            state.refusal = refusal
            state.permissions = conditions.permissions.filter { conditions.declared.contains($0.key) }
        }
    }

    /// Records the report of an instance.
    func report(_ report: CapabilityReport, by instance: UInt64) {
        let answered = changeLevel { state -> Answered in
            let last = state.level.occupantReport
            state.level.reported(report, by: instance)
            guard state.level.occupantReport == report else { return .none }
            if let isAvailable = report.isAvailable {
                return Answered(isAvailable, state.availability.reported(isAvailable))
            }
            if last?.isAvailable == false { state.availability.invalidate() }
            return .none
        }
        answered.settle()
    }

    /// Records a level that was read from an instance.
    func note(said level: DegradationLevel, by instance: UInt64) {
        changeLevel { $0.level.said(level, by: instance) }
    }

    func observeLevel(_ observer: @escaping @Sendable () -> Void) {
        if faults !== FaultGate.none {
            faults.onPresenceChange { [weak self] in
                self?.changeLevel { _ in }
                observer()
            }
        }
        state.withLock { $0.levelChanged = observer }
    }

    /// Ends the subscriptions to the level: no instance follows.
    func endLevels() { levels.finish() }

    /// Changes the state, and publishes the level if it changed. Levels are put in order under the lock, which also decides
    /// whether the capability is taken away: otherwise a change that began before could be published after that.
    ///
    /// The observer is called only for a change that an instance or the system reported. The code that replaces an
    /// instance updates the levels of its dependents itself.
    @discardableResult
    func changeLevel<R: Sendable>(_ change: @Sendable (inout State) -> R) -> R {
        // An absence whose time is over ends here. Its observer changes the level, so this must not run under the lock.
        _ = isTakenAway
        let (result, observer) = state.withLock { state in
            let (before, instance) = (state.level.passedOn, state.level.occupant)
            let result = change(&state)
            let now = clock.now
            let level = faults.isAbsent(at: now) ? .unavailable : state.level.present
            if state.present?.level != level {
                state.present = (level, now)
                state.unpublished.append(level)
            }
            let isSame = instance == state.level.occupant
            let observer = isSame && state.level.passedOn != before ? state.levelChanged : nil
            return (result, observer)
        }
        publishLevels()
        observer?()
        return result
    }

    /// Publishes the levels, one thread at a time, and outside of the lock: a resumed task takes locks of the runtime, and
    /// a handler of its cancellation, which runs under them, may use the capability.
    private func publishLevels() {
        guard state.withLock({ $0.beginPublishing() }) else { return }
        while let level = state.withLock({ $0.nextPublished() }) { levels.publish(level) }
    }

    /// The level, its begin and its reason, and the conditions.
    var reading: CapabilityReading {
        let absence = isTakenAway ? report : nil
        return state.withLock { state in
            let report = absence ?? state.report
            var isIdle = false
            if case .absent(_, let cause) = state.occupant { isIdle = cause == nil && absence == nil }
            return CapabilityReading(
                level: report.level,
                since: state.present?.since,
                reason: report.reason,
                isIdle: isIdle,
                isInherited: absence == nil && state.level.passedOn < state.level.inherited,
                conditions: state.conditions.texts
            )
        }
    }
}

extension CapabilitySlotState {
    fileprivate var report: CapabilityReport {
        let reason: String
        switch occupant {
        case .working: reason = level.reason
        case .absent(let absence, _): reason = absence
        }
        let isAvailable = occupant.capability == nil ? false : availability.known
        return CapabilityReport(level: level.present, isAvailable: isAvailable, reason: reason)
    }
}

extension CapabilitySlot {
    /// Calls `observer` when a request changed the status of a permission, and awaits it.
    func observePermissions(_ observer: @escaping @Sendable ([CapabilityEvent]) async -> Void) {
        state.withLock { $0.permissionChanged = observer }
    }

    func permissionStatus(_ permission: Permission) -> PermissionStatus? {
        state.withLock { $0.permissions[permission] }
    }

    /// Requests a permission, once for all callers that request it at the same time.
    func requestPermission(_ permission: Permission) async throws -> PermissionStatus {
        guard let occupant else { throw CapabilityError.unavailable(component.name, because: report.reason) }
        guard let system = occupant as? any SystemCapability, type(of: system).permissions.contains(permission) else {
            let reason = "it does not declare the permission \(permission.rawValue) in `permissions`"
            throw CapabilityError.unavailable(component.name, because: reason)
        }
        return try await requests.value(for: permission) { [self] in
            let before = await system.permissionStatus(permission)
            if before == .granted { return before }
            let after = try await system.requestPermission(permission)
            let observer = state.withLock { $0.permissionChanged }
            // The status before may be newer than the one that the orchestrator knows.
            await observer?([.permission(permission, before)])
            await observer?([.permission(permission, after)])
            return after
        }
    }
}
