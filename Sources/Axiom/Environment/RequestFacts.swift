// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What the tasks of a request inherit besides its span.
final class RequestFacts: InheritedFacts {
    /// A number that no other request or session of this process has.
    let id: UInt64
    let values: AppValues

    private static let lastID = Atomic<UInt64>(0)

    /// - Parameter id: Nil for a new number.
    init(_ values: AppValues, id: UInt64? = nil) {
        self.id = id ?? Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.values = values
    }
}

extension AppValues {
    /// The values of the request in which the calling task runs; no values outside of a request.
    ///
    /// Clients, capabilities and the tasks that they begin see the values of the request that called them, except in
    /// `Task.detached`. Cost: one read of a task-local value.
    public static var current: AppValues {
        (OperationContext.current.request as? RequestFacts)?.values ?? AppValues()
    }

    /// These values without their deadline, and for what they do not set those of `base`.
    func over(_ base: Storage) -> AppValues {
        if all.isEmpty { return AppValues(inherited: base) }
        return AppValues(inherited: base.isEmpty ? all : base.merging(all) { _, own in own })
    }
}
