// SPDX-License-Identifier: Apache-2.0

public import Observation

/// How much of an application's capabilities works, for a coordinated response: `orchestrator.degradation`. Observable.
///
/// Empty unless the application runs. Levels follow a report as soon as the main actor is free.
@MainActor
@Observable
public final class SystemDegradation {
    /// The report of each capability.
    public private(set) var capabilities: [ComponentDescriptor: CapabilityReport] = [:]

    /// The worst level of all capabilities; ``DegradationLevel/full`` if there are none.
    public private(set) var worst = DegradationLevel.full

    init() {}

    func update(_ next: [ComponentDescriptor: CapabilityReport]) {
        guard next != capabilities else { return }
        capabilities = next
        let level = next.values.map(\.level).max() ?? .full
        if level != worst { worst = level }
    }
}

extension Orchestrator {
    /// Follows the levels of the capabilities, and the permissions that the user decides on.
    func follow(_ run: Run) {
        run.capabilities.levelsChanged = { [weak capabilities = run.capabilities, degradation] in
            guard let capabilities, !capabilities.isStopping else { return }
            degradation.update(
                Dictionary(uniqueKeysWithValues: capabilities.order.map { ($0.descriptor, $0.condition) })
            )
        }
        for node in run.capabilities.nodes {
            let component = node.descriptor
            node.observePermissions { @MainActor [weak self, weak run] events in
                guard let self, let run else { return }
                await react(to: events, .capabilities([component]), run)
            }
        }
    }
}
