// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

/// Whether there is a connection to the server, now and after every change.
public struct SyncConnection: Sendable {
    /// Reports the connection until it is cancelled.
    let follow: @Sendable (_ report: @escaping @Sendable (Bool) async -> Void) async -> Void
    /// Finds out again whether there is a connection. The result comes through `follow`.
    let refresh: @Sendable () async -> Void

    private init(
        refresh: @escaping @Sendable () async -> Void = {},
        follow: @escaping @Sendable (_ report: @escaping @Sendable (Bool) async -> Void) async -> Void
    ) {
        self.follow = follow
        self.refresh = refresh
    }

    /// There is always a connection. Failed attempts and the circuit breaker alone decide when to send.
    public static let always = SyncConnection { report in await report(true) }

    /// There is a connection while the level of a capability, such as a `NetworkCapability`, is
    /// ``DegradationLevel/limited`` or better. While there is none, each regular round checks the capability again, for
    /// capabilities that do not report changes themselves.
    public static func capability<C: Sendable>(_ capability: CapabilityRef<C>) -> SyncConnection {
        SyncConnection {
            capability.invalidate()
            _ = await capability.isAvailable
        } follow: { report in
            for await level in capability.levels { await report(level <= .limited) }
        }
    }

    /// There is a connection while the service ``SystemService/network`` of a source is up. If the source fails, the last
    /// known state stays.
    public static func source(_ source: some ChangeSource) -> SyncConnection {
        SyncConnection { report in
            do {
                for try await event in source.events() {
                    if case .service(.network, let isUp, _) = event { await report(isUp) }
                }
            } catch {}
        }
    }

    /// A connection that a sequence reports. There is none before the first element.
    public static func states(_ states: some AsyncSequence<Bool, Never> & Sendable) -> SyncConnection {
        SyncConnection { report in
            for await isConnected in states { await report(isConnected) }
        }
    }
}
