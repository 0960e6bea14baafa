// SPDX-License-Identifier: Apache-2.0

internal import CAxiomSupport
internal import Foundation

/// What the operating system says of this process, under the names that all Prometheus client libraries use:
/// https://prometheus.io/docs/instrumenting/writing_clientlibs/#standard-and-runtime-collectors.
///
/// A metric that the system does not tell is missing: all are there on Linux with glibc 2.33 or later; on other systems
/// only `process_cpu_seconds_total` and `process_max_fds` are. A limit that is not set is `+Inf`. Cost: reads of five
/// small files in `/proc`, a listing of the open files, and a look at malloc's books.
///
/// The extended metrics are ours in name: page faults, context switches, input and output, and how long the processes of
/// the control group waited for processors, memory and devices. They cost five more files.
public struct ProcessCollector: Collector {
    private let isExtended: Bool

    /// Makes a collector.
    ///
    /// - Parameter extended: Whether there is more than the standard metrics.
    public init(extended: Bool = true) {
        isExtended = extended
    }

    /// The process metrics as they are now.
    public func collect() -> [CollectedFamily] {
        standard() + (isExtended ? ProcessActivity.collect() : [])
    }

    private func standard() -> [CollectedFamily] {
        let stat = ProcessStat.read()
        let page = Double(sysconf(Int32(_SC_PAGESIZE)))
        return [
            family(.counter, "cpu_seconds_total", "User and system CPU time spent, in seconds.", Self.cpuSeconds),
            family(.gauge, "open_fds", "Open file descriptors.", Self.openFileDescriptors),
            family(.gauge, "max_fds", "The most file descriptors that may be open.", Self.limit(Self.openFilesLimit)),
            family(.gauge, "virtual_memory_bytes", "Virtual memory, in bytes.", stat?.virtualBytes),
            family(
                .gauge,
                "virtual_memory_max_bytes",
                "The most virtual memory that there may be, in bytes.",
                Self.limit(Self.addressSpaceLimit)
            ),
            family(.gauge, "resident_memory_bytes", "Resident memory, in bytes.", stat.map { $0.residentPages * page }),
            family(.gauge, "heap_bytes", "Memory that was allocated and not freed, in bytes.", Self.heapBytes),
            family(
                .gauge,
                "start_time_seconds",
                "When the process started, in seconds since 1970.",
                stat?.startTimeSeconds
            ),
            family(.gauge, "threads", "Threads of the operating system.", stat?.threads),
        ].compactMap(\.self)
    }

    private func family(_ kind: MetricKind, _ name: String, _ help: String, _ value: Double?) -> CollectedFamily? {
        guard let value else { return nil }
        var family: CollectedFamily =
            kind == .counter ? .counter("process_" + name, help: help) : .gauge("process_" + name, help: help)
        family.add(value)
        return family
    }

    private static var heapBytes: Double? {
        let bytes = axiom_heap_bytes()
        return bytes < 0 ? nil : Double(bytes)
    }

    private static var cpuSeconds: Double? {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    private static func limit(_ read: (inout rlimit) -> Int32) -> Double? {
        var limit = rlimit()
        guard read(&limit) == 0 else { return nil }
        // RLIM_INFINITY, which Swift does not import everywhere, is the largest or second largest number there is.
        return limit.rlim_cur >= .max >> 1 ? .infinity : Double(limit.rlim_cur)
    }

    private static func openFilesLimit(_ limit: inout rlimit) -> Int32 {
        #if canImport(Glibc)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        getrlimit(RLIMIT_NOFILE, &limit)
        #endif
    }

    private static func addressSpaceLimit(_ limit: inout rlimit) -> Int32 {
        #if canImport(Glibc)
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        #else
        -1
        #endif
    }

    /// The entries of `/proc/self/fd`, without the one that the listing opens.
    private static var openFileDescriptors: Double? {
        #if os(Linux)
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var entries = 0
        while readdir(directory) != nil { entries += 1 }
        // Beside the listing's own descriptor there are the entries "." and "..".
        return Double(max(0, entries - 3))
        #else
        return nil
        #endif
    }
}
