// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The memory use of the process and its growth.
public struct MemoryProfiler: Sendable {
    /// The memory at one moment.
    public struct Snapshot: Sendable, Hashable {
        /// The label of the snapshot.
        public let label: String
        /// Bytes of resident memory.
        public let residentSize: Int
        /// Bytes of address space.
        public let virtualSize: Int
        /// The change of `residentSize` since the creation of the profiler.
        public let growth: Int
    }

    /// Memory growth that remains after an operation, or components that outlive their purpose.
    public struct PotentialLeak: Sendable, Hashable {
        /// The suspected component; nil if memory grew for an unknown reason.
        public let component: String?
        /// The number of its suspected instances; 0 for mere growth.
        public let instances: Int
        /// The growth of resident memory in bytes; 0 for suspected components.
        public let bytes: Int
    }

    private let baseline: ProcessMemory
    private let census: ComponentCensus?

    /// - Parameter census: Counts the leak suspects; nil to look for growth alone.
    init?(suspectsOf census: ComponentCensus?) {
        guard let memory = ProcessMemory.current else { return nil }
        baseline = memory
        self.census = census
    }

    /// The current memory; nil if the system no longer provides the numbers. Cost: some microseconds.
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

    /// Runs `operation` in the caller's isolation, and returns its potential leaks: growth beyond `threshold`, and
    /// components that have become leak suspects.
    ///
    /// Growth alone proves little, because an allocator keeps freed memory. Run the operation once before, to fill
    /// caches.
    ///
    /// - Parameter threshold: The permitted growth of resident memory, in bytes. The default is the specification's.
    /// - Throws: Errors of `operation`.
    public func potentialLeaks<E: Error>(
        threshold: Int = 1_000_000,
        isolation: isolated (any Actor)? = #isolation,
        of operation: () async throws(E) -> Void
    ) async throws(E) -> [PotentialLeak] {
        let (before, suspectedBefore) = (ProcessMemory.current, suspects)
        try await operation()
        // Gives asynchronous work some turns to end, as the specification requires.
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
        (census?.rows ?? []).reduce(into: [:]) { $0[$1.component.name, default: 0] += $1.leakSuspects }
    }
}
