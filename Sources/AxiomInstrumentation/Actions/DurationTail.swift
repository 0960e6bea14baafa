// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomMetrics

/// The durations of one action's calls that exceed the last bound of Axiom's latency histograms, 1 s.
///
/// Such calls are always few, so they can be counted under a lock. Their buckets grow by 19 %, four to each doubling,
/// up to 1,024 s.
package struct DurationTail: Sendable {
    package let component: ComponentDescriptor
    package let action: String
    /// One count for each of ``bounds``, and a last one for longer durations. They only grow.
    package let counts: [UInt64]

    /// The lower end of the tail, in nanoseconds.
    static let start: Int64 = {
        let last = Buckets.axiomLatency.upperBounds.last ?? 1
        return Int64((last * 1e9).rounded())
    }()

    /// The upper bounds of the buckets, in seconds.
    package static let bounds: [Double] = {
        let growth = 2.0.squareRoot().squareRoot()
        var (bounds, power) = ([Double](), 1.0)
        for _ in 0..<10 {
            bounds += [power * growth, power * growth * growth, power * growth * growth * growth, power * 2]
            power *= 2
        }
        return bounds
    }()

    /// The index of the bucket of a duration that is longer than ``start``.
    static func index(_ nanoseconds: Int64) -> Int {
        let seconds = Double(nanoseconds) / 1e9
        return bounds.firstIndex { seconds <= $0 } ?? bounds.count
    }
}

/// The tail of one action of a component.
struct ActionTail: Sendable {
    let actions: SlowActions
    let name: String

    /// The counts by ``DurationTail/bounds``; empty if there are none.
    var counts: [UInt64] { actions.tail(of: name) }
}
