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
    ///   before it was initialised, when its initialisation failed, while it is being replaced, and after shutdown.
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

    /// Whether the capability can be used now: as ``checkAvailability()``, and `false` where that throws.
    public var isAvailable: Bool {
        get async { (try? await slot.checkAvailability()) ?? false }
    }

    /// Whether the capability can be used now. `false` when there is no working instance.
    ///
    /// The first call asks the capability; calls that come before it has answered wait for the same answer, and later ones
    /// return it, until ``invalidate()`` or until the capability is replaced. A call that waits for an instance that is
    /// replaced returns the answer of the new instance. A late answer is kept for the calls that follow.
    ///
    /// - Throws: ``CapabilityError`` with the code ``ErrorCode/capabilityTimedOut`` when no answer came within
    ///   ``WaitLimits/availability``; `CancellationError` as soon as the calling task is cancelled.
    public func checkAvailability() async throws -> Bool {
        try await slot.checkAvailability()
    }

    /// How much of the capability works now: the worse of what it reported last, or said when it was last asked, and of
    /// what the capabilities leave that it depends on (see ``CapabilityRequirement``).
    /// ``DegradationLevel/unavailable`` while there is no working instance. Costs one lock.
    public var degradationLevel: DegradationLevel {
        slot.degradationLevel
    }

    /// Discards the cached availability: the next call asks the capability, and reads its level again.
    public func invalidate() {
        slot.invalidate()
    }
}
