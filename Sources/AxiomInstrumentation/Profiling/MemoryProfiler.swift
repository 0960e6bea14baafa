// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// How much memory the process uses and how that grew.
public struct MemoryProfiler: Sendable {
    /// The memory at one moment.
    public struct Snapshot: Sendable, Hashable {
        /// What the snapshot was taken for.
        public let label: String
        /// Bytes that lie in memory.
        public let residentSize: Int
        /// Bytes of address space.
        public let virtualSize: Int
        /// By how much `residentSize` differs from that at the making of the profiler.
        public let growth: Int
    }

    /// Growth that an operation left behind, or components that outlive what they were made for.
    public struct PotentialLeak: Sendable, Hashable {
        /// The component that is suspected; nil when the memory grew and nobody knows whose it is.
        public let component: String?
        /// How many instances of it are suspected; 0 for mere growth.
        public let instances: Int
        /// By how much the resident memory grew, in bytes; 0 for suspected components.
        public let bytes: Int
    }

    /// Growth up to this is no leak: 1,000,000 bytes, as in the specification.
    public static let growthThreshold = 1_000_000

    private let baseline: ProcessMemory
    private let readings: Readings?

    /// Takes the present memory as the baseline.
    ///
    /// - Parameter telemetry: Whose leak suspects count as potential leaks; nil for growth alone.
    /// - Returns: Nil where the system does not tell: elsewhere than on Linux.
    public init?(_ telemetry: Telemetry? = nil) {
        guard let memory = ProcessMemory.current else { return nil }
        baseline = memory
        readings = telemetry?.readings
    }

    /// The memory now; nil when the system stopped telling. Cost: some microseconds.
    public func snapshot(_ label: String) -> Snapshot? {
        ProcessMemory.current.map { memory in
            Snapshot(
                label: label,
                residentSize: memory.residentBytes,
                virtualSize: memory.virtualBytes,
                growth: memory.residentBytes - baseline.residentBytes
            )
        }
    }

    /// Runs `operation` where the caller runs, and tells what it seems to have left behind: growth beyond `threshold`,
    /// and components that are suspected of a leak and were not before.
    ///
    /// Growth alone proves little: an allocator keeps what was freed. Run the operation once before, so that caches are
    /// filled.
    ///
    /// - Parameter threshold: How much the resident memory may grow, in bytes.
    /// - Throws: What `operation` throws.
    public func potentialLeaks<E: Error>(
        threshold: Int = Self.growthThreshold,
        isolation: isolated (any Actor)? = #isolation,
        of operation: () async throws(E) -> Void
    ) async throws(E) -> [PotentialLeak] {
        let (before, suspectedBefore) = (ProcessMemory.current, suspects)
        try await operation()
        // What ends asynchronously gets some turns to do so, as the specification has it.
        for _ in 0..<3 { await Task.yield() }
        let growth = (ProcessMemory.current?.residentBytes ?? 0) - (before?.residentBytes ?? 0)
        var leaks = suspects.compactMap { component, count -> PotentialLeak? in
            let more = count - suspectedBefore[component, default: 0]
            return more > 0 ? PotentialLeak(component: component, instances: more, bytes: 0) : nil
        }
        leaks.sort { ($0.component ?? "") < ($1.component ?? "") }
        if growth > threshold { leaks.append(PotentialLeak(component: nil, instances: 0, bytes: growth)) }
        return leaks
    }

    /// Suspected instances by component.
    private var suspects: [String: Int] {
        (readings?.components ?? []).reduce(into: [:]) { $0[$1.component.name, default: 0] += $1.leakSuspects }
    }
}
