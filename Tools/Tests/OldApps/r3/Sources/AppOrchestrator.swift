// SPDX-License-Identifier: Apache-2.0

import AxiomR3

@MainActor
final class AppOrchestrator: Orchestrator {
    let capabilityRegistry = CapabilityRegistry()
    private(set) var rootContexts: [any Context] = []
    private var userClient: UserClient?
    private var productClient: ProductClient?

    init() {
        // Register capabilities
        capabilityRegistry.register(NetworkCapability())
    }

    func createContext<T: Context>(_ type: T.Type, parent: (any Context)?) -> T {
        // Context factory with dependency injection
        let context: any Context =
            if type is ProductContext.Type {
                ProductContext(orchestrator: self, productClient: products())
            } else {
                UserContext(
                    orchestrator: self,
                    productContext: ProductContext(orchestrator: self, productClient: products()),
                    userClient: user()
                )
            }
        if parent == nil { rootContexts.append(context) }
        return context as! T
    }

    private func products() -> ProductClient {
        let client = productClient ?? ProductClient()
        productClient = client
        return client
    }

    private func user() -> UserClient {
        let client = userClient ?? UserClient(network: capabilityRegistry.resolve(NetworkCapability.self))
        userClient = client
        return client
    }
}
