// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension CapabilityError {
    /// The capability `name` works at `level` because of `reason`, and the operation requires `required`.
    static func degraded(
        _ name: String,
        _ level: DegradationLevel,
        required: DegradationLevel,
        because reason: String
    ) -> Self {
        let cause = reason.isEmpty ? "" : ": \(reason.clause)"
        return CapabilityError(
            .capabilityDegraded,
            "The capability \(name) is \(level), but the operation requires \(required)\(cause).",
            origin: ComponentDescriptor(kind: .capability, name: name)
        )
    }

    static func monitoringEnded(_ component: ComponentDescriptor, _ source: String, cause: any Error) -> Self {
        CapabilityError(
            .monitoringEnded,
            "\(source) is no longer monitored for the \(component): \(String(clause: cause)).",
            origin: component,
            cause: cause
        )
    }
}

extension AuthorizationError {
    /// The capability `name` needs `permission`, whose status is `status`.
    static func permissionDenied(_ permission: Permission, _ status: PermissionStatus, to name: String) -> Self {
        AuthorizationError(
            .permissionDenied,
            "The capability \(name) needs the permission \(permission.rawValue), which is \(status.rawValue).",
            origin: ComponentDescriptor(kind: .capability, name: name)
        )
    }

    static func permissionNotRequested(_ permission: Permission, by name: String) -> Self {
        AuthorizationError(
            .permissionNotRequested,
            "The capability \(name) needs the permission \(permission.rawValue), which was not requested yet.",
            origin: ComponentDescriptor(kind: .capability, name: name)
        )
    }
}
