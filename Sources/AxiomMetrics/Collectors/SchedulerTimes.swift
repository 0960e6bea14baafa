// SPDX-License-Identifier: Apache-2.0

internal import CAxiomSupport
internal import Foundation

/// How long a thread ran, and for how long it was ready to run but had no processor, in nanoseconds. Only Linux tells.
package struct SchedulerTimes: Sendable, Hashable {
    package var ran: UInt64 = 0
    package var waited: UInt64 = 0
    /// The system's number of the thread; 0 for a sum of several.
    package var thread: UInt32 = 0

    package init(ran: UInt64 = 0, waited: UInt64 = 0, thread: UInt32 = 0) {
        (self.ran, self.waited, self.thread) = (ran, waited, thread)
    }

    /// Parses a file `schedstat`: the times, and the number of time slices. Nil if the text is of another form.
    package init?(_ text: String, thread: UInt32) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 3, let ran = UInt64(words[0]), let waited = UInt64(words[1]) else { return nil }
        self.init(ran: ran, waited: waited, thread: thread)
    }

    package static var currentThread: UInt32 { axiom_thread_number() }

    /// The times of a thread of this process; nil if the system does not tell. Cost: some microseconds.
    package static func of(_ thread: UInt32) -> SchedulerTimes? {
        ProcessFile.read("/proc/self/task/\(thread)/schedstat").flatMap { SchedulerTimes($0, thread: thread) }
    }

    /// The times of all threads of this process. Cost: some microseconds for each.
    package static func ofThreads() -> [SchedulerTimes] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return names.compactMap { UInt32($0) }.compactMap(of)
    }

    /// How many processors the process may use.
    package static var processors: Int { ProcessInfo.processInfo.activeProcessorCount }

    /// Adds what threads did between two readings. What a thread did after the first one and before its own end is not
    /// known; a new thread may have the number of one that has ended.
    package mutating func add(_ now: [SchedulerTimes], since earlier: [SchedulerTimes]) {
        let known = Dictionary(earlier.map { ($0.thread, $0) }) { first, _ in first }
        for times in now {
            let isSame = known[times.thread].map { $0.ran <= times.ran && $0.waited <= times.waited } ?? false
            let before = isSame ? known[times.thread] : nil
            ran &+= times.ran &- (before?.ran ?? 0)
            waited &+= times.waited &- (before?.waited ?? 0)
        }
    }
}
