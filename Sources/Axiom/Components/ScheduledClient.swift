// SPDX-License-Identifier: Apache-2.0

/// How the actions of a ``ScheduledClient`` that arrive while others are under way are treated.
///
/// The rule applies to actions with the same key, which by default are the actions of the same case; see
/// ``ScheduledClient/concurrencyKey(of:)``. Actions with different keys never wait for each other, and neither do
/// `serial`, `first` and the other rules among themselves.
public enum ActionConcurrency: Sendable, Hashable {
    /// The action begins at once. While it is suspended, other actions run: the rule of any other client.
    case interleaved

    /// The actions run one after the other, in the order of their calls. An action that is suspended blocks the next.
    ///
    /// At most `limit` callers wait. The next one is refused with a ``ClientError`` with the code
    /// ``ErrorCode/actionQueueFull`` and counted as rejected. With a limit of 0 or less no caller waits.
    case serial(limit: Int)

    /// A new action cancels the one under way and begins when that has ended, so that at most one runs. Of the actions
    /// that wait only the newest one runs. The callers of the others get a `CancellationError` at once.
    case latest

    /// An action that arrives while another one is under way does not run: its caller joins that one and gets its
    /// result or its error. A joined caller can be cancelled alone. When the last caller is cancelled, the action is
    /// cancelled.
    ///
    /// The payload is not compared. If it matters, such as the identifier of what is loaded, make it part of the key.
    case first

    /// The action begins when no other one has arrived for the duration, and then behaves like ``latest``. The callers
    /// of the actions before it get a `CancellationError` as soon as the next one arrives.
    case debounced(Duration)
}

/// A client that chooses for each of its actions how it is treated while others are under way.
///
/// ```swift
/// extension SearchClient: ScheduledClient {
///     nonisolated func concurrency(of action: SearchAction) -> ActionConcurrency {
///         switch action {
///         case .search: .debounced(.milliseconds(300))
///         case .load: .first
///         case .save: .serial(limit: 10)
///         case .select: .interleaved
///         }
///     }
///     nonisolated func concurrencyKey(of action: SearchAction) -> String? {
///         if case .load(let id) = action { "load \(id)" } else { nil }
///     }
/// }
/// ```
/// The code before the client carries it out, for all callers together. It applies to calls through the client that
/// contexts resolve, and not to calls of the actor itself. A client that does not conform pays nothing.
public protocol ScheduledClient<ActionType>: StatelessClient {
    /// The treatment of `action`. Called once for each action, before anything else, on the caller's thread.
    nonisolated func concurrency(of action: ActionType) -> ActionConcurrency

    /// The key of `action`; nil for the key of its case. Actions of several cases share a key if this returns the same
    /// text for them.
    nonisolated func concurrencyKey(of action: ActionType) -> String?
}

extension ScheduledClient {
    /// The key of the action's case.
    public nonisolated func concurrencyKey(of action: ActionType) -> String? { nil }
}
