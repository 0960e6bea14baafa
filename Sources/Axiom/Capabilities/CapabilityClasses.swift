// SPDX-License-Identifier: Apache-2.0

/// A capability that the system or its user has to permit: a camera, a microphone, a folder.
///
/// The framework reads the status of each permission after ``Capability/initialize()`` and when the application returns
/// from the background, and takes it from the monitored sources. ``CapabilityRef/call(isolation:function:_:)`` checks it at each
/// use: without the permission it throws an ``AuthorizationError`` and does not reach the capability.
public protocol SystemCapability: Capability {
    /// The permissions that every use of the capability needs.
    static var permissions: Set<Permission> { get }

    /// The decision of the user or the system. Must not show anything to the user.
    func permissionStatus(_ permission: Permission) async -> PermissionStatus

    /// Requests the permission from the user, and returns the decision. ``CapabilityRef/requestPermission(_:)`` calls
    /// it, never twice at the same time for one permission.
    ///
    /// - Throws: An error if the request could not be shown.
    func requestPermission(_ permission: Permission) async throws -> PermissionStatus
}

extension SystemCapability {
    /// The status: there is nothing to show to the user.
    public func requestPermission(_ permission: Permission) async throws -> PermissionStatus {
        await permissionStatus(permission)
    }
}

/// A capability that works only while there is a connection.
public protocol NetworkCapability: Capability {
    /// Whether there is a connection now.
    var isOnline: Bool { get async }
}

extension NetworkCapability {
    /// Whether there is a connection.
    public var isAvailable: Bool { get async { await isOnline } }

    /// ``DegradationLevel/minimal`` without a connection: what needs none still works.
    public var degradationLevel: DegradationLevel {
        get async { await isOnline ? .full : .minimal }
    }
}

/// Something that can give resources back when they run short: a capability, a client, or a cache.
///
/// The orchestrator calls capabilities and clients that conform, and every object that was passed to
/// ``Orchestrator/relieve(with:)``.
public protocol PressureRelieving: AnyObject, Sendable {
    /// Gives back what is not needed. Called when a resource runs short, runs shorter, or recovers
    /// (``PressureLevel/none``). It has to return within ``WaitLimits/relief``.
    ///
    /// - Returns: The number of bytes given back; 0 if unknown.
    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async -> Int64
}

/// A capability that keeps data and can give space back.
public protocol StorageCapability: Capability, PressureRelieving {
    /// Deletes what can be made again. The pressure is that of the memory or of the file system.
    ///
    /// - Returns: The number of bytes given back; 0 if unknown.
    func relieve(_ pressure: PressureLevel) async -> Int64
}

extension StorageCapability {
    /// Passes the pressure of memory and storage on, and ignores that of other resources.
    public func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async -> Int64 {
        switch resource {
        case .memory, .storage: await relieve(pressure)
        case .thermal, .power: 0
        }
    }
}
