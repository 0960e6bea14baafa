// SPDX-License-Identifier: Apache-2.0

/// The limits and rules of a ``NavigationFlow``.
public struct NavigationOptions: Sendable, Hashable {
    /// How the flow handles a request during a transition.
    public enum WhenBusy: Sendable, Hashable, CaseIterable {
        /// It waits for its turn; see ``NavigationOptions/waitingLimit``.
        case enqueue
        /// It is refused.
        case refuse
        /// It waits for its turn, and the requests that wait already are refused.
        case replacePending
    }

    /// How the flow handles a request for a route that is in the history.
    public enum WhenOnStack: Sendable, Hashable, CaseIterable {
        /// The route is shown once more, on top.
        case push
        /// The flow goes back to it, to the last one if there are several.
        case popTo
        /// The request is refused.
        case refuse
    }

    /// How the flow handles a request when the history is full.
    public enum WhenFull: Sendable, Hashable, CaseIterable {
        /// The oldest route above the root leaves the history, and its screen ends. The user cannot go back to it.
        case dropOldest
        /// The request throws a ``NavigationError`` that names the limit.
        case refuse
    }

    /// How many routes the history holds, the root and the current one among them. Default: 50.
    public var historyLimit = 50
    /// How many screens have a context, the current one among them. For the others, the flow keeps the route and
    /// creates the screen again on the way back. Default: 10.
    public var liveScreens = 10
    /// How often one request may be redirected. Default: 8.
    public var redirectLimit = 8
    /// How many requests may wait for their turn; a further one is refused. Default: 16.
    public var waitingLimit = 16
    /// How the flow handles a request during a transition. Default: it waits.
    public var whenBusy = WhenBusy.enqueue
    /// How the flow handles a request for a route that is in the history. Default: it is shown once more.
    public var whenOnStack = WhenOnStack.push
    /// How the flow handles a request when the history is full. Default: the oldest route above the root is dropped.
    public var whenFull = WhenFull.dropOldest
    /// The value of the label `flow` in metrics. Flows with the same one share their series, such as those of several
    /// windows: the depth and the live screens are then sums. Default: nil, the name of the flow.
    public var metricsName: String?

    /// Creates the default options.
    public init() {}
}
