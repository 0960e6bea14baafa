// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The way of each error of one operation, level by level: whoever an error passes notes it, and the boundary at which
/// it ends reads the path.
///
/// An error carries no path of its own, and wrapping it would change what the context's own `catch` sees. So the trail
/// runs beside it, in a task-local value that every context operation sets. Clients are noted by the framework,
/// capabilities where they are used through ``CapabilityRef/call(isolation:_:)``. Nothing happens here until something
/// is thrown.
public final class ErrorTrail: Sendable {
    /// The trail of the operation that runs in this task; nil outside of a context's operation and of the
    /// orchestrator's.
    @TaskLocal public static var current: ErrorTrail?

    fileprivate struct Note {
        /// Kept, so that its box is not given to another error meanwhile.
        var error: any Error
        let fingerprint: String
        var path: [ComponentDescriptor]
    }

    private struct State {
        var notes: [Note] = []
        /// Errors that could not be thrown; nil while no action collects them.
        var faults: [any Error]?
    }

    /// Locked, since a context may ask several clients at the same time.
    private let state: Lock<State>
    /// Enough for any operation that is not a loop over failing calls; the oldest notes give way.
    private static let capacity = 16

    /// Makes a trail.
    ///
    /// - Parameter collectsFaults: Whether the operation settles the errors that could not be thrown, as
    ///   ``takeFaults()`` returns them.
    init(collectsFaults: Bool = false) {
        state = Lock(State(faults: collectsFaults ? [] : nil))
    }

    /// Keeps an error that arose in `component` and could not be thrown, for the end of the operation.
    ///
    /// - Returns: False if the operation does not collect such errors or has ended.
    func noteFault(_ error: any Error, from component: ComponentDescriptor) -> Bool {
        let isKept = state.withLock { state in
            state.faults?.append(error)
            return state.faults != nil
        }
        if isKept { note(error, from: component) }
        return isKept
    }

    /// The errors that could not be thrown. Called at the end of the operation: none is kept from now on.
    func takeFaults() -> [any Error] {
        state.withLock { $0.faults.take() } ?? []
    }

    /// Notes on the trail of this task that `error` left `component`. What was called off is no error, and leaves no
    /// trace.
    static func noteFailure(_ error: any Error, from component: ComponentDescriptor) {
        guard let trail = current, ActionOutcome(ofError: error) != .cancelled else { return }
        trail.note(error, from: component)
    }

    /// Notes that `error` left `component`. The first component that notes an error is its origin.
    public func note(_ error: any Error, from component: ComponentDescriptor) {
        let fingerprint = Self.fingerprint(of: error)
        state.withLock { state in
            guard let index = Self.index(of: error, fingerprint, in: state.notes) else {
                if state.notes.count == Self.capacity { state.notes.removeFirst() }
                state.notes.append(Note(error: error, fingerprint: fingerprint, path: [component]))
                return
            }
            state.notes[index].pass(error, component, isSame: Self.isSame(state.notes[index].error, error))
        }
    }

    /// The component that noted `error` first, or nil when it arose in the context itself.
    func origin(of error: any Error) -> ComponentDescriptor? {
        path(of: error).first
    }

    /// The components that `error` passed, the one in which it arose first; empty when none noted it.
    func path(of error: any Error) -> [ComponentDescriptor] {
        let fingerprint = Self.fingerprint(of: error)
        return state.withLock { state in
            Self.index(of: error, fingerprint, in: state.notes).map { state.notes[$0].path } ?? []
        }
    }

    /// The note of this very error, else the last of one that looks the same: a typed `throws` on the way puts an
    /// error into a new box.
    private static func index(of error: any Error, _ fingerprint: String, in notes: [Note]) -> Int? {
        let box = box(of: error)
        return notes.lastIndex { Self.box(of: $0.error) == box } ?? notes.lastIndex { $0.fingerprint == fingerprint }
    }

    /// The address of the box in which an error lies: an `any Error` is one pointer, which stays the same while the
    /// error is rethrown.
    private static func box(of error: any Error) -> UInt {
        // An optional is not opened to the type inside, which has a size of its own.
        let boxed: (any Error)? = error
        return unsafeBitCast(boxed, to: UInt.self)
    }

    /// Whether both are the very same error, which was rethrown and not thrown anew.
    static func isSame(_ left: any Error, _ right: any Error) -> Bool {
        box(of: left) == box(of: right)
    }

    /// Two errors that have the same type and say the same look the same.
    private static func fingerprint(of error: any Error) -> String {
        "\(String(reflecting: type(of: error))) \(error)"
    }
}

extension ErrorTrail.Note {
    /// The error left `component`.
    ///
    /// An error only rises, and passes no component twice. What contradicts that is a new occurrence, which begins a
    /// path of its own; so does one that only looks the same (`isSame` is false) and stays on its level.
    fileprivate mutating func pass(_ error: any Error, _ component: ComponentDescriptor, isSame: Bool) {
        self.error = error
        guard let last = path.last, !(isSame && last == component) else { return }
        let (from, to) = (last.kind.level, component.kind.level)
        let isPassing = isSame ? to >= from && !path.contains(component) : to > from
        path = isPassing ? path + [component] : [component]
    }
}

extension ComponentKind {
    /// How far errors have risen that arrive here: from capabilities through clients and contexts to the orchestrator.
    fileprivate var level: Int {
        switch self {
        case .capability: 0
        case .client: 1
        case .context, .presentation: 2
        case .orchestrator: 3
        }
    }
}
