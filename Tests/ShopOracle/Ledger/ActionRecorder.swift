// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Counts the actions of the contexts of one window, and the fates of their errors.
///
/// A user sends an action to the window's context, which may send others to its downstream contexts. Each is sent through a
/// ``CountedContext``, which reports its attempts here. When the user's action has ended, the entries of the error
/// boundaries give the fate of each error, and with it the outcome of each action that failed.
///
/// The actions of one window run one after the other. They count as in flight until the user's action has ended: then the
/// framework has recorded all of them.
@MainActor
final class ActionRecorder {
    /// The recorder of the window whose action this task runs.
    @TaskLocal private static var current: ActionRecorder?

    private struct Record {
        let context: String
        let boundary: ErrorBoundary
        var outcome = Outcome.cancelled
        /// The error of the last attempt, until its fate is known.
        var error: (any Error)?
        /// The index of the boundary's entry that will give the fate of `error`.
        var entry: Int?
    }

    private let ledger: Ledger
    /// The actions that have begun since ``settle(_:)``.
    private var records: [Record] = []
    /// How many entries of each boundary are settled.
    private var settled: [ObjectIdentifier: Int] = [:]

    init(_ ledger: Ledger) {
        self.ledger = ledger
    }

    /// Sends `action` to the window's context, and counts it and all actions that it leads to.
    func send<C: Context>(_ action: C.ActionType, to context: C) async {
        await Self.$current.withValue(self) { await CountedContext(context).send(action) }
        settle(context)
    }

    /// Runs the handler of an action of `context`: for the first time, or again because it failed.
    fileprivate static func attempt<R>(
        of context: any Context,
        _ work: @MainActor () async throws -> R
    ) async throws -> R {
        guard let recorder = current else { return try await work() }
        let index = recorder.beginAttempt(of: context)
        do {
            let result = try await work()
            recorder.records[index].outcome = .success
            return result
        } catch {
            recorder.failed(index, error)
            throw error
        }
    }

    /// Finds the record of a failed action that is retried, or adds one.
    private func beginAttempt(of context: any Context) -> Int {
        let boundary = context.errorBoundary
        // A retry runs before the boundary has an entry for the error.
        let retried = records.lastIndex {
            $0.boundary === boundary && $0.error != nil && $0.entry == boundary.entryCount
        }
        if let retried {
            // The new attempt replaces the failed one.
            if let error = records[retried].error.take() { ledger.settle(error, .recovered) }
            records[retried].outcome = .cancelled
            return retried
        }
        let name = context.identity.descriptor.name
        ledger.contexts.begin(name)
        records.append(Record(context: name, boundary: boundary))
        return records.count - 1
    }

    private func failed(_ index: Int, _ error: any Error) {
        records[index].outcome = .cancelled
        guard ActionOutcome(ofError: error) != .cancelled else { return }
        records[index].error = error
        records[index].entry = records[index].boundary.entryCount
    }

    /// Settles the errors that the boundaries of `root` and of its downstream contexts have got since the last call, and
    /// counts the actions as ended.
    func settle(_ root: any Context) {
        settleEntries(of: root)
        for record in records {
            // A boundary has an entry for each error. One that it lost counts as shown, and the metrics will differ.
            if let error = record.error { ledger.settle(error, .shown) }
            ledger.contexts.end(record.context, record.error == nil ? record.outcome : .failure)
        }
        records.removeAll()
    }

    private func settleEntries(of context: any Context) {
        let boundary = context.errorBoundary
        let first = max(settled[ObjectIdentifier(boundary)] ?? 0, boundary.historyDropped)
        for index in first..<boundary.entryCount {
            settle(boundary.history[index - boundary.historyDropped], index, of: boundary)
        }
        settled[ObjectIdentifier(boundary)] = boundary.entryCount
        for child in context.downstreamContexts { settleEntries(of: child) }
    }

    private func settle(_ entry: ErrorBoundary.Entry, _ index: Int, of boundary: ErrorBoundary) {
        // The boundary above has an entry of its own.
        guard entry.resolution != .propagated else { return }
        let (fate, outcome): (Fate, Outcome) =
            if entry.resolution == .ended {
                (.shown, .failure)
            } else if entry.resolution.isRecovered {
                (.recovered, .success)
            } else {
                (.cancelled, .cancelled)
            }
        guard let record = records.firstIndex(where: { $0.boundary === boundary && $0.entry == index }) else {
            // The error of a phase of the context's life.
            return ledger.settle(entry.error, fate)
        }
        records[record].outcome = outcome
        if let error = records[record].error.take() { ledger.settle(error, fate) }
    }
}

extension ErrorBoundary {
    /// How many entries the history has had.
    fileprivate var entryCount: Int { historyDropped + history.count }
}

/// A decorator of a context, for the sender of an action: it counts each attempt of the action.
///
/// It has the identity of the context that it holds, so the framework runs the action as that context's own: its error
/// boundary settles the errors, and its `recovery(for:)` chooses the strategy. There is one exception: a retry that is
/// chosen from a notification after the send has returned fails, because the decorator no longer exists. It counts
/// nothing unless ``ActionRecorder/send(_:to:)`` sent the first action.
@MainActor
final class CountedContext<Base: Context>: Context {
    nonisolated let identity: ComponentIdentity
    private let base: Base

    init(_ base: Base) {
        identity = base.identity
        self.base = base
    }

    func handle(_ action: Base.ActionType) async throws -> Base.ActionType.Answer {
        try await ActionRecorder.attempt(of: base) { try await base.handle(action) }
    }
}
