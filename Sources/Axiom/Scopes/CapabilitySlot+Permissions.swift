// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension CapabilitySlot {
    /// Calls `observer` when a request changed the status of a permission, and awaits it.
    func observePermissions(_ observer: @escaping @Sendable ([CapabilityEvent]) async -> Void) {
        state.withLock { $0.permissionChanged = observer }
    }

    func permissionStatus(_ permission: Permission) -> PermissionStatus? {
        state.withLock { $0.permissions[permission] }
    }

    /// Requests a permission, once for all callers that request it at the same time.
    func requestPermission(_ permission: Permission) async throws -> PermissionStatus {
        guard let occupant else {
            throw CapabilityError.unavailable(component.name, because: report.reason)
        }
        guard let system = occupant as? any SystemCapability, type(of: system).permissions.contains(permission) else {
            let reason = "it does not declare the permission \(permission.rawValue) in `permissions`"
            throw CapabilityError.unavailable(component.name, because: reason)
        }
        return try await requests.value(for: permission) { [self] in
            let before = await system.permissionStatus(permission)
            if before == .granted { return before }
            let after = try await system.requestPermission(permission)
            let observer = state.withLock { $0.permissionChanged }
            // The status before may be newer than the one that the orchestrator knows.
            await observer?([.permission(permission, before)])
            await observer?([.permission(permission, after)])
            return after
        }
    }
}
