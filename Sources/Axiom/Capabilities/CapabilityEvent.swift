// SPDX-License-Identifier: Apache-2.0

/// A permission that a user or an administrator grants to the application.
///
/// An application names its own in an extension: `static let calendar = Permission(rawValue: "calendar")`.
public struct Permission: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// A file or a folder.
    public static let files = Permission(rawValue: "files")

    /// The name, as messages and the labels of metrics show it.
    public let rawValue: String
    /// The name.
    public var description: String { rawValue }

    /// Makes a name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What the user or the system decided about a ``Permission``.
public enum PermissionStatus: String, Sendable, Hashable, CaseIterable {
    /// The user was not asked yet.
    case undetermined
    /// The application may use all of it.
    case granted
    /// The application may use a part of it.
    case limited
    /// The user refused.
    case denied
    /// The system forbids it, and the user cannot grant it.
    case restricted
}

/// A service outside the process that a capability uses.
///
/// An application names its own in an extension: `static let database = SystemService(rawValue: "database")`.
public struct SystemService: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The connection to a network.
    public static let network = SystemService(rawValue: "network")
    /// The service that signs users in.
    public static let authentication = SystemService(rawValue: "authentication")
    /// The place where files are kept.
    public static let storage = SystemService(rawValue: "storage")

    /// The name, as messages and the labels of metrics show it.
    public let rawValue: String
    /// The name.
    public var description: String { rawValue }

    /// Makes a name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A resource of the machine that can run short.
public enum SystemResource: String, Sendable, Hashable, CaseIterable {
    /// Main memory.
    case memory
    /// Free space of a file system.
    case storage
    /// The margin to the temperature at which the processor is slowed down.
    case thermal
    /// The charge of a battery.
    case power
}

/// How short a ``SystemResource`` runs, from the least to the most.
public enum PressureLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// There is enough.
    case none
    /// Give back what is not needed.
    case warning
    /// Give back everything that can be made again.
    case critical

    /// Whether the left level is less severe than the right one.
    public static func < (left: PressureLevel, right: PressureLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Something that happened outside the application and that concerns a capability.
public enum CapabilityEvent: Sendable, Hashable {
    /// A permission was granted, limited or taken back.
    case permission(Permission, PermissionStatus)
    /// A service went away or came back. The reason is a clause for people, such as `eth0 has no carrier`.
    case service(SystemService, isUp: Bool, reason: String)
    /// A resource runs shorter, or less short, than before.
    case pressure(SystemResource, PressureLevel)
}

/// Reports the events that concern a capability, for example from the operating system.
///
/// The first event of a sequence is the state at its begin, so that a listener never has to ask. A sequence reports
/// changes only: the same event never comes twice in a row.
public protocol ChangeSource: Sendable {
    /// The events of one listener. It ends when the listener's task is cancelled.
    associatedtype Events: AsyncSequence & Sendable where Events.Element == CapabilityEvent

    /// Begins to listen. Each call makes an independent sequence. Nothing runs before the first `next()`.
    func events() -> Events
}
