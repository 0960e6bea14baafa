// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CAxiomSupport
internal import Foundation

/// What the operating system reports of this process. Values that it does not report are nil: all except the CPU time on
/// systems other than Linux.
package struct ProcessStatistics: Sendable {
    /// Threads of the operating system.
    package let threads: Double?
    package let virtualBytes: Double?
    package let residentBytes: Double?
    /// When the process started, in clock ticks since the machine started.
    private let startTicks: Double?
    /// User and system CPU time spent.
    package let cpuSeconds: Double

    /// The current values. Cost: one small file and one system call.
    package static func read() -> ProcessStatistics {
        ProcessStatistics(stat: ProcessFile.read("/proc/self/stat") ?? "", pageSize: ProcessFile.pageSize)
    }

    /// Parses a line of `/proc/self/stat` (proc_pid_stat(5)).
    init(stat text: String, pageSize: Int) {
        cpuSeconds = Self.cpuTime
        // The second field is the program's name in parentheses, which may contain spaces and parentheses itself.
        let rest = text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(separator: " ") } ?? []
        // Field n of the manual page has the index n - 3 here.
        func field(_ index: Int) -> Double? { rest.count > 21 ? Double(rest[index]) : nil }
        threads = field(17)
        startTicks = field(19)
        virtualBytes = field(20)
        residentBytes = field(21).map { $0 * Double(pageSize) }
    }

    /// When the process started, in seconds since 1970. It is read once, with one more file.
    var startTimeSeconds: Double? {
        startTicks.flatMap { Self.startTime.value(startTicks: $0, bootTime: { ProcessFile.bootTime }) }
    }

    private static let startTime = StartTime()

    private static var cpuTime: Double {
        var time = timespec()
        // Cannot fail: every system has the clock.
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// When the process started, as its first reading says.
///
/// The system reports the ticks from the start of the machine to that of the process, and the wall clock less the time since
/// the start of the machine. The latter moves with each step of the wall clock, so a later reading would look like a restart
/// of the process.
final class StartTime: Sendable {
    /// Guarded by its lock. Files are read outside of it.
    private let first = Lock<Double?>(nil)

    /// - Parameters:
    ///   - startTicks: From the start of the machine to that of the process, in clock ticks.
    ///   - bootTime: Reads when the machine started, in seconds since 1970.
    func value(startTicks: Double, bootTime: () -> Double?) -> Double? {
        if let known = first.withLock({ $0 }) { return known }
        guard let bootTime = bootTime() else { return nil }
        let time = bootTime + startTicks / Double(sysconf(Int32(_SC_CLK_TCK)))
        return first.withLock { first in
            first = first ?? time
            return first
        }
    }
}

extension ProcessStatistics {
    /// The memory that malloc has allocated and not freed, in bytes; nil without glibc 2.33.
    package static var heapBytes: Double? {
        let bytes = axiom_heap_bytes()
        return bytes < 0 ? nil : Double(bytes)
    }

    /// The number of open file descriptors: the entries of `/proc/self/fd` without the one that the listing opens.
    package static var openFileDescriptors: Double? {
        #if os(Linux)
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var entries = 0
        while readdir(directory) != nil { entries += 1 }
        // Besides the descriptor of the listing there are the entries "." and "..".
        return Double(max(0, entries - 3))
        #else
        return nil
        #endif
    }

    /// The limit of open file descriptors; infinite if there is none.
    package static var openFileLimit: Double? {
        #if canImport(Glibc)
        limit { getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &$0) }
        #else
        limit { getrlimit(RLIMIT_NOFILE, &$0) }
        #endif
    }

    /// The limit of virtual memory in bytes; infinite if there is none.
    static var addressSpaceLimit: Double? {
        #if canImport(Glibc)
        limit { getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &$0) }
        #else
        nil
        #endif
    }

    private static func limit(_ read: (inout rlimit) -> Int32) -> Double? {
        var limit = rlimit()
        guard read(&limit) == 0 else { return nil }
        // RLIM_INFINITY, which Swift does not import everywhere, is the largest or second largest number.
        return limit.rlim_cur >= .max >> 1 ? .infinity : Double(limit.rlim_cur)
    }
}

/// The memory of this process according to `/proc/self/statm` (proc_pid_statm(5)).
package struct ProcessMemory: Sendable, Hashable {
    package let residentBytes: Int
    package let virtualBytes: Int

    /// The current values; nil on systems other than Linux. Cost: some microseconds.
    package static var current: ProcessMemory? {
        ProcessFile.read("/proc/self/statm").flatMap { ProcessMemory($0, pageSize: ProcessFile.pageSize) }
    }

    /// Parses the line of the file; nil if the text is not such a line.
    package init?(_ text: String, pageSize: Int) {
        let fields = text.split(separator: " ").prefix(2).compactMap { Int($0) }
        guard fields.count == 2 else { return nil }
        virtualBytes = fields[0] * pageSize
        residentBytes = fields[1] * pageSize
    }
}

/// Small files of `/proc`, which have no size until they are read.
enum ProcessFile {
    static var pageSize: Int { sysconf(Int32(_SC_PAGESIZE)) }

    /// When the machine started, in seconds since 1970: the line `btime` of `/proc/stat`.
    static var bootTime: Double? {
        guard let text = read("/proc/stat"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("btime ") })
        else { return nil }
        return Double(line.dropFirst("btime ".count))
    }

    /// The contents of a file; nil if it cannot be read.
    static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Foundation.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? String(decoding: contents, as: UTF8.self) : nil }
            contents += chunk[..<count]
        }
    }
}

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
