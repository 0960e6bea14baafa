// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The little of ``ProcessCollector`` that is worth a look every second: one small file and one system call.
package struct ProcessVitals: Sendable {
    /// Resident memory; nil where the system does not tell.
    package let residentBytes: Double?
    /// Threads of the operating system; nil where the system does not tell.
    package let threads: Double?
    /// User and system CPU time spent.
    package let cpuSeconds: Double

    /// As they are now.
    package static func read() -> ProcessVitals {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        let text = ProcessFile.read("/proc/self/stat")
        let stat = text.flatMap { ProcessStat($0, bootTime: nil, ticksPerSecond: 1) }
        return ProcessVitals(
            residentBytes: stat.map { $0.residentPages * Double(sysconf(Int32(_SC_PAGESIZE))) },
            threads: stat?.threads,
            cpuSeconds: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
        )
    }
}

extension CollectedFamily {
    /// The value of the first series; nil while there is none.
    package var firstValue: Double? { samples.first?.value }
}
