// SPDX-License-Identifier: Apache-2.0

extension Orchestrator {
    /// Passes the pressure of a resource to everything that can give it back: each capability and each client that is
    /// ``PressureRelieving``, and the objects of ``relieve(with:)``, all at the same time. The events of
    /// ``monitor(_:debounce:)`` do the same.
    ///
    /// An object that does not return within ``WaitLimits/relief`` is no longer awaited, and its error ends at
    /// ``errorBoundary``. Does nothing unless the application runs.
    ///
    /// - Returns: The bytes given back.
    @discardableResult
    public func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async -> Int64 {
        guard case .running(let run) = life else { return 0 }
        run.pressures[resource] = pressure
        for node in run.capabilities.order { _ = node.absorb([.pressure(resource, pressure)]) }
        return await relieve(resource, pressure, run.capabilities.order, andOthers: true, run)
    }

    /// Adds an object, such as a cache that several clients share, to those that ``relieve(_:_:)`` reaches. Held weakly.
    public func relieve(with object: any PressureRelieving) {
        relieving.removeAll { $0.object == nil || $0.object === object }
        relieving.append(WeakRelieving(object: object))
    }

    /// - Parameters:
    ///   - nodes: The capabilities to relieve.
    ///   - others: Whether to relieve clients and other objects as well.
    func relieve(
        _ resource: SystemResource,
        _ pressure: PressureLevel,
        _ nodes: [any CapabilityNode],
        andOthers others: Bool,
        _ run: Run
    ) async -> Int64 {
        await withTaskGroup(of: Int64.self) { group in
            for node in nodes {
                let component = node.descriptor
                group.addTask { await self.relieve(component) { try await node.relieve(resource, pressure) } }
            }
            for (component, object) in others ? reliefOfOthers(run) : [] {
                group.addTask {
                    await self.relieve(component) {
                        try await withLimit(self.port.limit(.relieve, of: component)) {
                            await object.relieve(resource, pressure)
                        }
                    }
                }
            }
            var total: Int64 = 0
            for await bytes in group { total = total.addingReportingOverflow(max(0, bytes)).partialValue }
            return total
        }
    }

    private func reliefOfOthers(_ run: Run) -> [(ComponentDescriptor, any PressureRelieving)] {
        let clients = run.clients.compactMap { registered in
            (registered.client as? any PressureRelieving).map { (registered.component, $0) }
        }
        return clients + relieving.compactMap(\.object).map { (identity.descriptor, $0) }
    }

    private func relieve(
        _ component: ComponentDescriptor,
        _ body: @MainActor @Sendable () async throws -> Int64
    ) async -> Int64 {
        do {
            return try await body()
        } catch {
            await end(error, in: component)
            return 0
        }
    }
}

/// An object that gives resources back, not kept alive.
struct WeakRelieving {
    weak var object: (any PressureRelieving)?
}

extension Orchestrator {
    /// Checks all capabilities again: availability, level and permissions, all at the same time. Replaces each
    /// capability whose availability or permission changed, and each one without a working instance, together with its
    /// dependents. Failures end at ``errorBoundary``. Does nothing unless the application runs.
    ///
    /// ``enterForeground()`` calls it: while the application was in the background, the user may have changed the
    /// settings of the system.
    public func refreshAll() async {
        guard case .running(let run) = life else { return }
        let found = await withTaskGroup(of: (ComponentDescriptor, CapabilityChange)?.self) { group in
            for node in run.capabilities.order {
                let component = node.descriptor
                group.addTask { await node.refresh().map { (component, $0) } }
            }
            var changes: [CapabilityChange: Set<ComponentDescriptor>] = [:]
            for await case let (component, change)? in group { changes[change, default: []].insert(component) }
            return changes
        }
        run.capabilities.spreadDegradation()
        await withDiscardingTaskGroup { group in
            for (change, components) in found {
                group.addTask { try? await self.carryOut(change, of: components, run, isNested: false) }
            }
        }
    }

    /// Asks everything that can give memory back to do so, because the application enters the background or returns
    /// from it. The pressure that sources of events reported stays recorded as it is, and is never understated.
    @discardableResult
    package func relieveMemory(inBackground: Bool) async -> Int64 {
        guard case .running(let run) = life else { return 0 }
        let known = run.pressures[.memory] ?? PressureLevel.none
        let pressure = inBackground ? max(known, .warning) : known
        return await relieve(.memory, pressure, run.capabilities.order, andOthers: true, run)
    }
}
