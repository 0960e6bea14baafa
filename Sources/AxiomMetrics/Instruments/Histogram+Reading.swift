// SPDX-License-Identifier: Apache-2.0

extension Histogram {
    /// The distribution so far: what a snapshot of the registry says of this series, without one.
    package var reading: HistogramSnapshot {
        var sum = 0.0
        let counts = [UInt64](unsafeUninitializedCapacity: boundCount + 1) { counts, count in
            counts.initialize(repeating: 0)
            count = boundCount + 1
            if let start = counts.baseAddress { sum = read(into: start) }
        }
        return HistogramSnapshot(counts: counts, sum: sum)
    }
}
