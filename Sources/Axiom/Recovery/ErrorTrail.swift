// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import Synchronization

/// The paths of the errors of one operation: each component that an error passes notes it, level by level, and the
/// boundary at which the error ends reads the path.
///
/// An error carries no path, and wrapping it would change what the context's own `catch` sees. So the trail is
/// separate: every context operation sets it in its ``OperationContext``. The framework notes clients; capabilities are noted
/// if they are used through ``CapabilityRef/call(isolation:function:_:)``. The trail costs nothing until an error is thrown.
package final class ErrorTrail: Sendable {
    fileprivate struct Note {
        /// Retained, so that the address of its box is not reused for another error.
        var error: any Error
        let fingerprint: String
        var path: [ComponentDescriptor]
        /// When it left the first component of the path; nil if that was not measured.
        var thrownAt: Instant?
    }

    /// The notes and the faults, once there is one.
    private final class Record: Sendable {
        /// Locked, because a context may call several clients concurrently.
        let state: Lock<State>

        init(faults: [any Error]?) { state = Lock(State(faults: faults)) }
    }

    private struct State {
        var notes: [Note] = []
        /// Errors that could not be thrown; nil if no operation collects them.
        var faults: [any Error]?
    }

    /// The address of the ``Record``, or ``collecting`` or ``uncollected`` while there is none: most operations need none. A record is
    /// published once, and owned by this word. Acquiring and releasing, because it leads to the record.
    private let word: Atomic<UInt>
    /// No record, and the operation collects the errors that could not be thrown.
    private static let collecting: UInt = 0
    /// No record, and nothing collects these errors, or no longer.
    private static let uncollected: UInt = 1
    /// The span of the operation; nil if it is not recorded.
    let operation: RecordedOperation?
    /// How an action of a context ended, once it has.
    @MainActor var end: OperationEnd?
    /// Enough for any operation that is not a loop over failing calls. The oldest notes are dropped.
    private static let capacity = 16

    /// Makes a trail.
    ///
    /// - Parameters:
    ///   - collectsFaults: Whether the operation settles the errors that could not be thrown, as ``takeFaults()``
    ///     returns them.
    ///   - operation: The span of the operation; nil if it is not recorded.
    init(collectsFaults: Bool = false, operation: RecordedOperation? = nil) {
        self.operation = operation
        word = Atomic(collectsFaults ? Self.collecting : Self.uncollected)
    }

    deinit { Self.record(at: word.load(ordering: .acquiring))?.release() }

    private static func record(at word: UInt) -> Unmanaged<Record>? {
        UnsafeRawPointer(bitPattern: word > uncollected ? word : 0).map(Unmanaged.fromOpaque)
    }

    /// The record, which lives as long as the trail; nil if nothing was noted.
    private var record: Record? { Self.record(at: word.load(ordering: .acquiring))?.takeUnretainedValue() }

    /// The record, which is made if there is none.
    private func makeRecord() -> Record {
        var old = word.load(ordering: .acquiring)
        while true {
            if let known = Self.record(at: old) { return known.takeUnretainedValue() }
            let record = Record(faults: old == Self.collecting ? [] : nil)
            let owned = Unmanaged.passRetained(record)
            let next = UInt(bitPattern: owned.toOpaque())
            let result = word.compareExchange(expected: old, desired: next, ordering: .acquiringAndReleasing)
            if result.exchanged { return record }
            // Another task has noted an error, or the operation has ended.
            owned.release()
            old = result.original
        }
    }

    /// Keeps an error that originated in `component` and could not be thrown, until the end of the operation.
    ///
    /// - Returns: False if the operation does not collect such errors or has ended.
    func noteFault(_ error: any Error, from component: ComponentDescriptor) -> Bool {
        // There is no record, and the operation does not collect such errors or has ended.
        guard word.load(ordering: .relaxed) != Self.uncollected else { return false }
        let isKept = makeRecord().state.withLock { state in
            state.faults?.append(error)
            return state.faults != nil
        }
        if isKept { note(error, from: component) }
        return isKept
    }

    /// The errors that could not be thrown. Call it at the end of the operation: the trail keeps none after that.
    func takeFaults() -> [any Error] {
        let (exchanged, old) = word.compareExchange(
            expected: Self.collecting,
            desired: Self.uncollected,
            ordering: .acquiringAndReleasing
        )
        guard !exchanged, let record = Self.record(at: old)?.takeUnretainedValue() else { return [] }
        return record.state.withLock { $0.faults.take() } ?? []
    }

    /// Notes on the trail of this task that `error` left `component`. A cancellation is not an error and is not noted.
    ///
    /// - Parameter time: When it left the component; nil if that is not measured.
    static func noteFailure(_ error: any Error, from component: ComponentDescriptor, at time: Instant? = nil) {
        guard let trail = current, ActionOutcome(ofError: error) != .cancelled else { return }
        trail.note(error, from: component, at: time)
    }

    /// Notes that `error` left `component`. The first component that notes an error is its origin.
    package func note(_ error: any Error, from component: ComponentDescriptor, at time: Instant? = nil) {
        let fingerprint = Self.fingerprint(of: error)
        makeRecord().state.withLock { state in
            guard let index = Self.index(of: error, fingerprint, in: state.notes),
                state.notes[index].concerns(error, from: component)
            else {
                if state.notes.count == Self.capacity { state.notes.removeFirst() }
                state.notes.append(Note(error: error, fingerprint: fingerprint, path: [component], thrownAt: time))
                return
            }
            state.notes[index].pass(error, component, at: time, isSame: Self.isSame(state.notes[index].error, error))
        }
    }

    /// The component that noted `error` first, and when it left it; nil if that was not measured.
    func start(of error: any Error) -> (origin: ComponentDescriptor, time: Instant)? {
        guard let record else { return nil }
        let fingerprint = Self.fingerprint(of: error)
        return record.state.withLock { state in
            guard let index = Self.index(of: error, fingerprint, in: state.notes),
                let time = state.notes[index].thrownAt, let origin = state.notes[index].path.first
            else { return nil }
            return (origin, time)
        }
    }

    /// The components that `error` passed, its origin first; empty if none noted it.
    func path(of error: any Error) -> [ComponentDescriptor] {
        guard let record else { return [] }
        let fingerprint = Self.fingerprint(of: error)
        return record.state.withLock { state in
            Self.index(of: error, fingerprint, in: state.notes).map { state.notes[$0].path } ?? []
        }
    }

    /// The chain of the error's causes, each with the component that noted it first; nil if it has no cause.
    func chain(of error: any Error) -> ErrorChain? { ErrorChain(error) { path(of: $0).first } }

    /// The note of this very error, otherwise the latest note of an equal one: a typed `throws` on the path puts an
    /// error into a new box.
    private static func index(of error: any Error, _ fingerprint: String, in notes: [Note]) -> Int? {
        let box = box(of: error)
        return notes.lastIndex { Self.box(of: $0.error) == box } ?? notes.lastIndex { $0.fingerprint == fingerprint }
    }

    /// The address of the box of an error. An `any Error` is one pointer, which does not change when it is rethrown.
    private static func box(of error: any Error) -> UInt {
        // `unsafeBitCast` does not open an optional to the type inside, which has a different size.
        let boxed: (any Error)? = error
        return unsafeBitCast(boxed, to: UInt.self)
    }

    /// Whether both are the same error, rethrown, and not two errors that were thrown separately.
    static func isSame(_ left: any Error, _ right: any Error) -> Bool {
        box(of: left) == box(of: right)
    }

    /// Two errors are considered equal if they have the same type and description.
    private static func fingerprint(of error: any Error) -> String {
        "\(String(reflecting: type(of: error))) \(error)"
    }
}

extension ErrorTrail.Note {
    /// Whether this note is of the error that leaves `component` now, or of its last attempt. An equal error of another
    /// component on the same level is an error of its own, and this one keeps its path.
    fileprivate func concerns(_ error: any Error, from component: ComponentDescriptor) -> Bool {
        guard let last = path.last, !ErrorTrail.isSame(self.error, error) else { return true }
        return last == component || component.kind.level > last.kind.level
    }

    /// Notes that the error left `component`.
    ///
    /// An error moves only upwards and passes no component twice. A note that contradicts this is a new occurrence,
    /// with a path of its own. So is an error that is only equal (`isSame` is false) and stays on its level.
    fileprivate mutating func pass(
        _ error: any Error,
        _ component: ComponentDescriptor,
        at time: Instant?,
        isSame: Bool
    ) {
        self.error = error
        guard let last = path.last, !(isSame && last == component) else { return }
        let (from, to) = (last.kind.level, component.kind.level)
        let isPassing = isSame ? to >= from && !path.contains(component) : to > from
        path = isPassing ? path + [component] : [component]
        if !isPassing { thrownAt = time }
    }
}

extension ComponentKind {
    /// The level of a component on the path of errors: capabilities, then clients, contexts and the orchestrator.
    fileprivate var level: Int {
        switch self {
        case .capability: 0
        case .client: 1
        case .context, .request, .presentation: 2
        case .orchestrator: 3
        }
    }
}
