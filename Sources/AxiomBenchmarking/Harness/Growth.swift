// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// How cost grows with the size of the work: as its power of this exponent. 1 is in proportion, 2 with the square.
package enum Growth {
    /// The slope of the least-squares line through the logarithms; nil for fewer than two different sizes.
    package static func exponent(_ points: [(size: Int, cost: Double)]) -> Double? {
        let usable = points.filter { $0.size > 0 && $0.cost > 0 }
        let x = usable.map { log(Double($0.size)) }
        let y = usable.map { log($0.cost) }
        let count = Double(usable.count)
        let (meanX, meanY) = (x.reduce(0, +) / count, y.reduce(0, +) / count)
        let spread = x.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
        guard spread > 0 else { return nil }
        return zip(x, y).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) } / spread
    }
}
