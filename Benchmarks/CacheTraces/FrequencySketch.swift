// SPDX-License-Identifier: Apache-2.0

/// Estimates how often hashes occurred: a count-min sketch of four rows with counters up to 15, which are halved after ten
/// times as many occurrences as the cache has entries.
package struct FrequencySketch {
    private var counters: [UInt8]
    private let mask: UInt64
    private var additions = 0
    private let sampleSize: Int

    package init(capacity: Int) {
        var width = 8
        while width < capacity { width *= 2 }
        counters = [UInt8](repeating: 0, count: width * 4)
        mask = UInt64(width - 1)
        sampleSize = 10 * capacity
    }

    private func index(_ hash: UInt64, _ row: UInt64) -> Int {
        var bits = (hash ^ (row &* 0xd1b5_4a32_d192_ed03)) &* 0xbf58_476d_1ce4_e5b9
        bits ^= bits >> 32
        return Int(row * (mask + 1) + (bits & mask))
    }

    /// Counts an occurrence.
    package mutating func increment(_ hash: UInt64) {
        var isAdded = false
        for row in 0..<UInt64(4) {
            let index = index(hash, row)
            if counters[index] < 15 {
                counters[index] += 1
                isAdded = true
            }
        }
        guard isAdded else { return }
        additions += 1
        if additions >= sampleSize {
            for index in counters.indices { counters[index] >>= 1 }
            additions /= 2
        }
    }

    /// The estimate: not less than the occurrences since the counters were halved, up to 15.
    package func frequency(_ hash: UInt64) -> UInt8 {
        (0..<UInt64(4)).reduce(UInt8.max) { min($0, counters[index(hash, $1)]) }
    }
}
