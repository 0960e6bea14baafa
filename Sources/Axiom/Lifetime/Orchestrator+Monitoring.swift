// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Orchestrator {
    /// Carries out the events of a source for one capability while the application runs.
    ///
    /// ```swift
    /// orchestrator.monitor(CameraPermission(), for: Camera.self)
    /// ```
    /// A permission that is granted or revoked, and a service that goes away or comes back, replaces the capability
    /// together with its dependents (rule 13). A permission that changes between granted and limited changes its level.
    /// The pressure of a resource is passed to a ``PressureRelieving``, and limits the level while it is critical. The
    /// first event of a permission or a service changes only the level: the capability was initialised in that state.
    ///
    /// May be called before the start and while the application runs; the monitoring ends with ``shutdown()`` and begins
    /// again with the next start. Nothing waits for a change: its failures end at ``errorBoundary``. So does each failure
    /// of the source, which is then listened to again, after 5 attempts no more: then the error has the code
    /// ``ErrorCode/monitoringEnded``. A source that worked for a minute has 5 attempts again.
    ///
    /// - Parameters:
    ///   - source: The source of events.
    ///   - type: The capability's own type, or the type under which it was registered. `start()` throws if it is not
    ///     registered.
    ///   - debounce: How long there has to be no event before the last ones are carried out; at most ten times as long
    ///     after the first one.
    public func monitor<S: ChangeSource, C>(
        _ source: S,
        for type: C.Type,
        debounce: Duration = .milliseconds(20)
    ) {
        add(MonitorPlan(source, of: type, debounce: debounce))
    }

    /// Carries out the events of a source for all capabilities: a permission concerns each ``SystemCapability`` that
    /// declares it, and the pressure of a resource everything that ``relieve(_:_:)`` reaches. Events of services have no
    /// effect. The rest is as for ``monitor(_:for:debounce:)``.
    public func monitor<S: ChangeSource>(_ source: S, debounce: Duration = .milliseconds(20)) {
        add(MonitorPlan(source, of: nil, debounce: debounce))
    }

    private func add(_ plan: MonitorPlan) {
        guard case .running(let run) = life else {
            blueprint.monitors.append(plan)
            return
        }
        if let mistake = plan.mistake(registered: blueprint.capabilityTypes) {
            Task.onMainActor { await end(mistake, in: identity.descriptor) }
            return
        }
        blueprint.monitors.append(plan)
        run.monitors.append(plan.begin(self, run))
    }
}

/// A source to monitor in each run.
@MainActor
struct MonitorPlan {
    private let type: ObjectIdentifier?
    private let typeName: String
    private let make: @MainActor (Orchestrator, Orchestrator.Run, MonitorTarget) -> CapabilityMonitor

    init<S: ChangeSource>(_ source: S, of type: Any.Type?, debounce: Duration) {
        self.type = type.map { ObjectIdentifier($0) }
        typeName = type.map { "\($0)" } ?? ""
        let name = String(describing: S.self)
        make = { orchestrator, run, target in
            let (clock, component) = (orchestrator.port.clock, target.first ?? orchestrator.identity.descriptor)
            return CapabilityMonitor(source, debounce: debounce, clock: clock) { [weak orchestrator] error, isLast in
                let error = isLast ? CapabilityError.monitoringEnded(component, name, cause: error) : error
                await orchestrator?.end(error, in: component)
            } react: { [weak orchestrator, weak run] events in
                guard let orchestrator, let run else { return }
                await orchestrator.react(to: events, target, run)
            }
        }
    }

    /// The error of a type that is not registered.
    func mistake(registered types: Set<ObjectIdentifier>) -> CompositionError? {
        guard let type, !types.contains(type) else { return nil }
        return CompositionError(
            .notRegistered,
            "A source is monitored for the capability \(typeName), which is not registered.",
            "Name the type that was given to register(…), or the protocol it was registered as."
        )
    }

    func begin(_ orchestrator: Orchestrator, _ run: Orchestrator.Run) -> CapabilityMonitor {
        make(orchestrator, run, type.map { .capabilities(run.names.capabilities($0)) } ?? .all)
    }
}

/// The capabilities that the events of a source concern.
enum MonitorTarget: Sendable {
    case capabilities([ComponentDescriptor])
    case all

    var first: ComponentDescriptor? {
        if case .capabilities(let components) = self { components.first } else { nil }
    }

    /// The events that concern a capability.
    func events(
        _ events: [CapabilityEvent],
        for component: ComponentDescriptor,
        _ declared: Set<Permission>
    )
        -> [CapabilityEvent]
    {
        switch self {
        case .capabilities(let components): components.contains(component) ? events : []
        case .all:
            events.filter { event in
                switch event {
                case .permission(let permission, _): declared.contains(permission)
                case .service: false
                case .pressure: true
                }
            }
        }
    }
}

extension Orchestrator {
    /// Records events, and carries out what they lead to: replacements and relief at the same time. A capability that is
    /// just being replaced is not relieved, since its new instance holds nothing yet.
    func react(to events: [CapabilityEvent], _ target: MonitorTarget, _ run: Run) async {
        guard case .running(let current) = life, current === run else { return }
        var changes: [CapabilityChange: Set<ComponentDescriptor>] = [:]
        var relief: [SystemResource: PressureLevel] = [:]
        var relieved: [any CapabilityNode] = []
        for node in run.capabilities.order {
            let reaction = node.absorb(target.events(events, for: node.descriptor, node.permissions))
            if let change = reaction.change { changes[change, default: []].insert(node.descriptor) }
            if !reaction.relief.isEmpty { relieved.append(node) }
            relief.merge(reaction.relief) { $1 }
        }
        if case .all = target {
            relief = [:]
            for case .pressure(let resource, let level) in events where run.pressures[resource] ?? .none != level {
                run.pressures[resource] = level
                relief[resource] = level
            }
        }
        let isForAll = target.first == nil
        await withDiscardingTaskGroup { group in
            for (change, components) in changes {
                group.addTask { try? await self.carryOut(change, of: components, run, isNested: false) }
            }
            for (resource, level) in relief {
                let nodes = relieved
                group.addTask { _ = await self.relieve(resource, level, nodes, andOthers: isForAll, run) }
            }
        }
    }
}
