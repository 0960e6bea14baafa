// SPDX-License-Identifier: Apache-2.0

/// How long a breaker was in each state, how often it changed, and the changes that nobody has been told of yet.
struct TransitionLog: Equatable, Sendable {
    /// Since when it has been in the state in which it is.
    private(set) var since: Int64
    /// Nanoseconds in each state until `since`.
    private var spent: [CircuitState: Int64] = [:]
    private var made: [CircuitEdge: Int] = [:]
    private var madeInShadow: [CircuitEdge: Int] = [:]
    /// Taken by the owner after every input, so that it stays short.
    private(set) var news: [CircuitTransition] = []
    /// Whether there are any: a byte for the hot path to look at.
    private(set) var hasNews = false

    init(since: Int64) {
        self.since = since
    }

    /// The time spent in `state` goes to its account.
    mutating func spend(in state: CircuitState, until time: Int64) {
        let end = max(time, since)
        spent[state, default: 0] &+= end &- since
        since = end
    }

    mutating func append(_ transition: CircuitTransition) {
        if transition.isShadow {
            madeInShadow[transition.edge, default: 0] += 1
        } else {
            made[transition.edge, default: 0] += 1
        }
        news.append(transition)
        hasNews = true
    }

    mutating func takeNews() -> [CircuitTransition] {
        defer {
            news = []
            hasNews = false
        }
        return news
    }

    /// Nanoseconds in each of the six states, the present one counted up to `now`.
    func timeInState(_ present: CircuitState, at now: Int64) -> [CircuitState: Int64] {
        var times = Dictionary(uniqueKeysWithValues: CircuitState.allCases.map { ($0, spent[$0] ?? 0) })
        times[present, default: 0] &+= max(0, now &- since)
        return times
    }

    /// One for each legal transition.
    var transitions: [CircuitSummary.TransitionCount] {
        CircuitEdge.all.map {
            CircuitSummary.TransitionCount(edge: $0, count: made[$0] ?? 0, shadowCount: madeInShadow[$0] ?? 0)
        }
    }

    mutating func restore(_ times: [CircuitState: Int64], _ transitions: [CircuitSummary.TransitionCount]) {
        spent = times
        for transition in transitions {
            if transition.count > 0 { made[transition.edge] = transition.count }
            if transition.shadowCount > 0 { madeInShadow[transition.edge] = transition.shadowCount }
        }
    }
}
