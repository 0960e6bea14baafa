// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

extension Orchestrator {
    /// The time source of lifetimes, latencies and limits. What belongs to the application and measures or waits takes it
    /// too, so that a manual time of a test applies to all of it.
    public nonisolated var clock: TimeSource { port.clock }

    /// The orchestrator as a component, for errors and turns.
    package var component: ComponentDescriptor { identity.descriptor }

    /// Adds a part of another module. It may be added at any time, also while the application runs.
    ///
    /// - Throws: ``CompositionError`` with all mistakes of the part if the application runs. Otherwise `start()` throws
    ///   them together with all others.
    package func add(_ part: any OrchestratorExtension, under key: Any.Type) throws(CompositionError) {
        if life.run != nil, let mistake = CompositionError.combining(part.mistakes(contexts: blueprint.contextTypes)) {
            throw mistake
        }
        extensions.add(part, under: key)
    }
}

extension ExtensionTable {
    /// The mistakes of all parts.
    func mistakes(in blueprint: Blueprint) -> [CompositionError] {
        let contexts = blueprint.contextTypes
        return all.flatMap { $0.mistakes(contexts: contexts) }
    }
}

extension Blueprint {
    /// The registered types of contexts.
    fileprivate var contextTypes: Set<ObjectIdentifier> { Set(contexts.map(\.type.type)) }
}
