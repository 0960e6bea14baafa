// SPDX-License-Identifier: Apache-2.0

/// The limits of an ``Outbox``, and how it keeps the order.
public struct OutboxOptions: Sendable, Hashable {
    /// What happens to the later changes of a key while one of its changes is set aside.
    public enum AfterSetAside: Sendable, Hashable {
        /// They wait until the change is retried or discarded. The order of the key is kept.
        case blockKey
        /// They are sent. A change that is retried later is then sent after some that were appended after it.
        case letPass
    }

    /// How many changes the outbox keeps, those set aside included: 1 or more. Default: 10,000. When it is full,
    /// ``Outbox/append(_:_:key:id:)`` throws; nothing is dropped.
    public var maximumChanges = 10_000
    /// How many bytes of payloads, kinds and keys the outbox keeps, on disk and in memory: 1 or more. Default: 16 MiB.
    public var maximumBytes = 16 << 20
    /// What happens to the later changes of a key while one of its changes is set aside. Default:
    /// ``AfterSetAside/blockKey``.
    public var afterSetAside = AfterSetAside.blockKey

    /// The default options.
    public init() {}
}
