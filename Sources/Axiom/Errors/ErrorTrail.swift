// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Where the errors of one operation arose: clients' wrappers note an error as it passes, and the boundary at which
/// it ends looks up the component.
///
/// An error carries no origin of its own unless its author gave it one, and wrapping it would change what the
/// context's own `catch` sees. So the trail runs beside it, in a task-local value that every context operation sets.
public final class ErrorTrail: Sendable {
    /// The trail of the operation that runs in this task; nil outside of a context's operation.
    @TaskLocal public static var current: ErrorTrail?

    private struct Note {
        let fingerprint: String
        let origin: ComponentDescriptor
    }

    /// Guarded by the lock: a context may ask several clients at the same time.
    private let notes = Mutex<[Note]>([])
    /// Enough for any operation that is not a loop over failing calls; the oldest notes give way.
    private static let capacity = 16

    init() {}

    /// Notes that `error` left `component`. The first component that notes an error keeps it.
    public func note(_ error: any Error, from component: ComponentDescriptor) {
        let fingerprint = Self.fingerprint(of: error)
        notes.withLock { notes in
            guard !notes.contains(where: { $0.fingerprint == fingerprint }) else { return }
            if notes.count == Self.capacity { notes.removeFirst() }
            notes.append(Note(fingerprint: fingerprint, origin: component))
        }
    }

    /// The component that noted `error`, or nil when it arose in the context itself.
    func origin(of error: any Error) -> ComponentDescriptor? {
        let fingerprint = Self.fingerprint(of: error)
        return notes.withLock { notes in
            notes.last { $0.fingerprint == fingerprint }?.origin
        }
    }

    /// Errors have no identity of their own; two that have the same type and say the same are taken for one.
    private static func fingerprint(of error: any Error) -> String {
        "\(String(reflecting: type(of: error))) \(error)"
    }
}
