// SPDX-License-Identifier: Apache-2.0

import AxiomR4

@MainActor
final class AppOrchestrator: Orchestrator {
    let capabilityRegistry = CapabilityRegistry()
    private(set) var rootContexts: [any Context] = []
    let contextRegistry = ContextRegistry()
    private var contextFactories: [ObjectIdentifier: ContextFactory] = [:]
    private lazy var userClient = UserClient(
        network: capabilityRegistry.resolve(NetworkCapability.self),
        domain: "@example.com"
    )
    private lazy var productClient = ProductClient()

    init() {
        // Register capabilities
        setupCapabilities()
        setupContextFactories()
    }

    private func setupCapabilities() {
        capabilityRegistry.register(NetworkCapability())
    }

    private func setupContextFactories() {
        // Register context factories
        registerContextFactory(UserContext.self) { orchestrator, parent in
            UserContext(orchestrator: orchestrator, parent: parent, userClient: self.userClient)
        }
        registerContextFactory(ProductContext.self) { orchestrator, parent in
            ProductContext(orchestrator: orchestrator, parent: parent, productClient: self.productClient)
        }
    }

    func registerContextFactory<T: Context>(_ type: T.Type, factory: @escaping ContextFactory) {
        contextFactories[ObjectIdentifier(type)] = factory
    }

    func createContext<T: Context>(_ type: T.Type, parent: (any Context)?) -> T {
        // Create new context using factory
        guard let factory = contextFactories[ObjectIdentifier(type)] else {
            fatalError("No factory registered for context type \(type)")
        }

        let context = factory(self, parent)
        contextRegistry.register(context)

        // Add relationship
        if let parent {
            contextRegistry.addRelationship(parent: parent, child: context)
        } else {
            // Track root contexts
            rootContexts.append(context)
        }

        return context as! T
    }
}
