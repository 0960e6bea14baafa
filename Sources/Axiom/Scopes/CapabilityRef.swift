// SPDX-License-Identifier: Apache-2.0

/// A reference to a capability that outlives the capability: after a change of permission or availability it
/// resolves to the new instance.
///
/// Clients and capabilities store the reference and ask for ``current()`` each time they use it.
public struct CapabilityRef<C: Sendable>: Sendable {
    private let slot: CapabilitySlot<C>

    init(_ slot: CapabilitySlot<C>) {
        self.slot = slot
    }

    /// The instance that works now. Costs one uncontended lock.
    ///
    /// - Throws: ``CapabilityError`` with the code ``ErrorCode/capabilityUnavailable`` and the reason, when there is none:
    ///   before it was initialised, when its initialisation failed, while it is made anew, and after shutdown.
    public func current() throws(CapabilityError) -> C {
        do {
            return try slot.current()
        } catch {
            ErrorTrail.noteFailure(error, from: slot.component)
            throw error
        }
    }

    /// Uses the instance that works now, and notes what it throws as an error of the capability, so that the path of
    /// the error shows it:
    /// ```swift
    /// let answer = try await network.call { try await $0.get("/profile") }
    /// ```
    /// Costs a success no more than ``current()`` does. The body runs where the caller runs.
    ///
    /// - Throws: As ``current()``, and what `body` throws, as it was thrown.
    public func call<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (C) async throws -> sending R
    ) async throws -> sending R {
        do {
            return try await body(try current())
        } catch {
            ErrorTrail.noteFailure(error, from: slot.component)
            throw error
        }
    }

    /// Whether the capability can be used now.
    ///
    /// The first call asks the capability; those that come meanwhile wait for its answer, and later ones return what it
    /// said, until ``invalidate()`` or until the capability is made anew. `false` when there is no working instance.
    public var isAvailable: Bool {
        get async { await slot.isAvailable() }
    }

    /// How much of the capability works. The worst of what it said when it was initialised and what the failure of
    /// a capability below it leaves.
    public var degradationLevel: DegradationLevel {
        slot.degradationLevel
    }

    /// Forgets the cached availability: the next question goes to the capability.
    public func invalidate() {
        slot.invalidate()
    }
}
