// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The gates of all clients and capabilities.
final class FaultGates: Sendable {
    /// Guarded by its lock, which is taken when a component is registered and for an action of a developer.
    private let gates = Lock<[ComponentDescriptor: FaultGate]>([:])

    /// The gate of a component, the same one each time.
    func gate(of component: ComponentDescriptor) -> FaultGate {
        gates.withLock { gates in
            if let known = gates[component] { return known }
            let made = FaultGate(seed: .random(in: 0 ... .max))
            gates[component] = made
            return made
        }
    }

    /// The gate of a registered component; nil if there is none.
    func known(_ kind: ComponentKind, _ name: String) -> FaultGate? {
        gates.withLock { $0[ComponentDescriptor(kind: kind, name: name)] }
    }
}
