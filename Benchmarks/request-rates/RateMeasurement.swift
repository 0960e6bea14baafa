// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// What the slices of one way measured.
struct RateMeasurement: Sendable {
    /// Requests in a second, slice by slice.
    private(set) var rates: [Double] = []
    /// The processor time of a request in nanoseconds, slice by slice.
    private(set) var processorTimes: [Double] = []
    /// The durations of all requests, in nanoseconds.
    private var durations: [UInt32] = []

    mutating func add(_ slice: RateSlice) {
        rates.append(Double(slice.durations.count) / slice.seconds)
        processorTimes.append(slice.processorSeconds * 1e9 / Double(max(1, slice.durations.count)))
        durations += slice.durations
    }

    /// Quantiles of the durations, in microseconds.
    func microseconds(_ quantiles: [Double]) -> [Double] {
        let sorted = durations.sorted()
        return quantiles.map { sorted.isEmpty ? 0 : Double(sorted[Int(Double(sorted.count - 1) * $0)]) / 1_000 }
    }

    /// The median of the quotients by another way, each of two slices of one round, and the middle half of them.
    func ratio(to other: RateMeasurement, _ values: KeyPath<RateMeasurement, [Double]>) -> (Double, ClosedRange<Double>)
    {
        let quotients = zip(self[keyPath: values], other[keyPath: values]).map { $0 / $1 }.sorted()
        guard let last = quotients.indices.last else { return (1, 1...1) }
        return (quotients[last / 2], quotients[last / 4]...quotients[last - last / 4])
    }
}

/// What some callers saw in a short time, in which all of them called one way.
struct RateSlice: Sendable {
    let seconds: Double
    let processorSeconds: Double
    let durations: [UInt32]

    static func run(_ way: RateWay, callers: Int, for time: Duration) async throws -> RateSlice {
        let clock = TimeSource.live
        let (start, processor) = (clock.now, processorSeconds)
        let end = start.advanced(by: time)
        let durations = try await withThrowingTaskGroup(of: [UInt32].self) { group in
            for caller in 0..<callers { group.addTask { try await call(way, from: caller, until: end, clock) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return RateSlice(
            seconds: clock.now.seconds(since: start),
            processorSeconds: Self.processorSeconds - processor,
            durations: durations
        )
    }

    /// Calls without a pause.
    private static func call(
        _ way: RateWay,
        from caller: Int,
        until end: Instant,
        _ clock: TimeSource
    ) async throws -> [UInt32] {
        var durations: [UInt32] = []
        var (number, begin) = (caller, clock.now)
        while begin < end {
            _ = try await way.answer(RateOrder.bodies[number % RateOrder.bodies.count])
            let now = clock.now
            durations.append(UInt32(clamping: now.nanoseconds(since: begin)))
            (number, begin) = (number + 1, now)
        }
        return durations
    }

    /// The time that all threads of this process have run.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
