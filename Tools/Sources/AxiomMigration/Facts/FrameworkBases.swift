// SPDX-License-Identifier: Apache-2.0

/// What types of old versions inherit from, by their role.
enum FrameworkBases {
    static let capabilities: Set<String> = ["Capability", "ManagedCapability", "BaseCapability"]
    static let clients: Set<String> = ["StatefulClient", "StatelessClient", "Client", "BaseClient"]
    static let contexts: Set<String> = ["Context", "BaseContext", "NavigationContext", "ErrorHandlingContext"]
    /// Those of all roles.
    static let all = capabilities.union(clients).union(contexts).union(["Orchestrator", "State"])
}
