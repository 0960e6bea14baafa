// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The state of the judge for one operation.
struct OperationWatch {
    /// A window in which enough was done, by the number of the window.
    private struct Entry {
        let number: Int
        let durations: ExponentialHistogramData
    }

    /// The windows within the horizon that have enough requests, in order.
    private var entries: [Entry] = []
    /// How many windows within the horizon had requests, but too few.
    private var sparse: [Int] = []
    /// For each percentile that is a candidate now, the number of the window from which on it has been one.
    var candidateSince: [Double: Int] = [:]
    /// The percentiles that are judged regressed.
    var regressed: Set<Double> = []
    var verdict: LiveVerdict

    /// The verdict on the current data.
    var presentVerdict: LiveVerdict {
        var verdict = verdict
        verdict.requests = requests
        return verdict
    }

    init(_ operation: String) {
        verdict = LiveVerdict(operation: operation, verdict: Verdict(.insufficient, .notJudged), findings: [])
    }

    /// The histograms to look at.
    var durations: [ExponentialHistogramData] { entries.map(\.durations) }

    /// The requests in them.
    var requests: UInt64 { entries.reduce(0) { $0 &+ $1.durations.count } }

    /// Whether windows are missing because too little was done in them.
    var lacksRequests: Bool { !sparse.isEmpty && sparse.count >= entries.count }

    mutating func close(_ number: Int, _ durations: ExponentialHistogramData?, _ policy: LivePolicy) {
        if let durations, durations.count >= policy.minimumRequests {
            entries.append(Entry(number: number, durations: durations))
        } else if let durations, durations.count > 0 {
            sparse.append(number)
        }
        entries.removeAll { $0.number <= number - policy.horizon }
        sparse.removeAll { $0 <= number - policy.horizon }
    }

    /// Forgets what a look found, because another look could find nothing.
    mutating func refuse(_ verdict: Verdict) {
        candidateSince = [:]
        regressed = []
        self.verdict = LiveVerdict(operation: self.verdict.operation, verdict: verdict, findings: [])
    }
}
