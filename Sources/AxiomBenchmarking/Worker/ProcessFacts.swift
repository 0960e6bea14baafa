// SPDX-License-Identifier: Apache-2.0

internal import CAxiomProcess
internal import Foundation

/// Figures of this process from the system.
enum ProcessFacts {
    /// The peak resident size in bytes, from `VmHWM`: that of `getrusage` includes the program that started this one. Nil
    /// if the system does not have it.
    static var peakResidentBytes: Double? {
        guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("VmHWM:") }) else { return nil }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 * 1_024 }
    }

    /// Page faults, and voluntary and involuntary context switches so far.
    static var usage: (faults: Int, switches: Int) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return (usage.ru_minflt + usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw)
    }

    /// Processor time of this process and of its children that ended, in seconds.
    static var processorSeconds: Double {
        [RUSAGE_SELF.rawValue, RUSAGE_CHILDREN.rawValue].reduce(0) { sum, whose in
            var usage = rusage()
            getrusage(__rusage_who_t(whose), &usage)
            let times = [usage.ru_utime, usage.ru_stime]
            return times.reduce(sum) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        }
    }

    /// The processors on which this process may run.
    static var processors: [Int] {
        var mask = [UInt64](repeating: 0, count: 16)
        axiom_allowed_processors(&mask)
        return (0..<1_024).filter { mask[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
    }
}
