// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The times of repeated runs.
struct Samples {
    struct Sample {
        /// Seconds that passed.
        var elapsed: Double
        /// Seconds of processor time of this process and the programs that it ran.
        var processor: Double
    }

    let name: String
    private var samples: [Sample] = []

    init(_ name: String) {
        self.name = name
    }

    mutating func add(_ body: () throws -> Void) rethrows {
        let start = Self.now
        try body()
        let end = Self.now
        samples.append(Sample(elapsed: end.elapsed - start.elapsed, processor: end.processor - start.processor))
    }

    func median(_ part: KeyPath<Sample, Double>) -> Double {
        let sorted = samples.map { $0[keyPath: part] }.sorted()
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The medians, and the range of the elapsed times.
    var line: String {
        let elapsed = samples.map(\.elapsed)
        return "\(name): \(median(\.elapsed).formatted(decimals: 3)) s "
            + "(\((elapsed.min() ?? 0).formatted(decimals: 3)) to \((elapsed.max() ?? 0).formatted(decimals: 3))), "
            + "processor \(median(\.processor).formatted(decimals: 3)) s"
    }

    private static var now: Sample {
        var (own, children) = (rusage(), rusage())
        // RUSAGE_SELF and RUSAGE_CHILDREN, which have no one type on all systems.
        getrusage(0, &own)
        getrusage(-1, &children)
        let times = [own.ru_utime, own.ru_stime, children.ru_utime, children.ru_stime]
        let processor = times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return Sample(elapsed: Double(DispatchTime.now().uptimeNanoseconds) / 1e9, processor: processor)
    }
}

extension Double {
    /// With a fixed number of decimals.
    func formatted(decimals: Int) -> String { String(format: "%.\(decimals)f", self) }
}
