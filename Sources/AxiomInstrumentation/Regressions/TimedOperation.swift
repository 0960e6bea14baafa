// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomProfile

/// One action of one component, as a recorded and judged operation.
struct TimedOperation: Hashable, Sendable {
    /// The name in profiles, the same in every process: `process/CartClient/addItem`.
    let name: String
    let component: String
    let action: String

    init(_ component: ComponentDescriptor, _ action: String) {
        // Clients process actions, contexts receive them. Both may have an action of that name, but no name is both.
        let verb = component.kind == .client ? "process" : "send"
        name = "\(verb)/\(component.name)/\(action)"
        self.component = component.name
        self.action = action
    }

    /// The operation of a profile. This application need not have its component.
    init(_ profile: LiveProfile) {
        name = profile.operation
        component = profile.group
        action = profile.operation.split(separator: "/").last.map(String.init) ?? profile.operation
    }
}
