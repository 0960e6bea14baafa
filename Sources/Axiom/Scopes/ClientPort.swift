// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// A part of a client that has changes to save before the process may end.
package protocol UnsavedPart: AnyObject, Sendable {
    /// Saves the changes now, because the application enters the background. Reports its errors itself.
    func save() async

    /// Saves the changes for the last time, because the application is shut down: after the client was deactivated,
    /// and before the capabilities are terminated.
    ///
    /// - Throws: An error if changes are left that are not saved.
    func saveFinally() async throws
}

/// What a part of a client that another module makes needs from the client. It does not keep the client alive.
package struct ClientPort: Sendable {
    package let component: ComponentDescriptor
    private let port: InstrumentationPort
    private let stores: ClientStores

    init(_ component: ComponentDescriptor, _ port: InstrumentationPort, _ stores: ClientStores) {
        self.component = component
        self.port = port
        self.stores = stores
    }

    /// The clock of the orchestrator.
    package var clock: TimeSource { port.clock }

    /// The parts of the client that were not released.
    package var unsavedParts: [any UnsavedPart] { stores.unsavedParts }

    /// Binds a signal, as ``ComponentIdentity/signal(_:_:)`` does.
    package func signal(_ family: SignalFamily, _ values: [String] = []) -> (any Signal)? {
        port.observer?.signal(family, values)
    }

    /// Lets the orchestrator save `part` in the background and at the shutdown. Held weakly.
    package func add(_ part: any UnsavedPart) { stores.add(part) }

    /// Ends an error of the client at the orchestrator's boundary, later and on the main actor.
    package func report(_ error: any Error) { stores.report(laterOn: error) }
}

extension ClientScope {
    /// What a part of the new client needs from it.
    package var port: ClientPort { ClientPort(identity.descriptor, identity.port, stores) }
}
