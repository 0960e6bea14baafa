// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Collects what the operating system reports of this process, under the names that all Prometheus client libraries use:
/// https://prometheus.io/docs/instrumenting/writing_clientlibs/#standard-and-runtime-collectors.
///
/// Their help texts are those of client_golang: node_exporter warns about a text file that has another one for a name of
/// its own.
///
/// A metric that the system does not report is absent. Linux with glibc 2.33 or later has all of them, other systems have
/// only `process_cpu_seconds_total` and `process_max_fds`. A limit that is not set is `+Inf`. Cost: reads five small files
/// in `/proc`, lists the open files, and reads malloc's statistics.
///
/// Other libraries record some of the same metrics, such as swift-system-metrics through swift-metrics. A registered family or
/// callback with the name of one of these is not shown while the collector is registered: what the collector reads is of the
/// time of the scrape.
///
/// The extended metrics have names of Axiom: page faults, context switches, input and output, and how long the processes
/// of the control group waited for processors, memory and devices. They cost five more files.
public struct ProcessCollector: Collector {
    private let isExtended: Bool

    /// Creates a collector.
    ///
    /// - Parameter extended: Whether to add the extended metrics.
    public init(extended: Bool = true) { isExtended = extended }

    /// The current process metrics.
    public func collect() -> [CollectedFamily] {
        standard() + (isExtended ? ProcessActivity.collect() : [])
    }

    private func standard() -> [CollectedFamily] {
        let process = ProcessStatistics.read()
        return [
            family(
                .counter,
                "cpu_seconds_total",
                "Total user and system CPU time spent in seconds.",
                process.cpuSeconds
            ),
            family(.gauge, "open_fds", "Number of open file descriptors.", ProcessStatistics.openFileDescriptors),
            family(
                .gauge,
                "max_fds",
                "Maximum number of open file descriptors.",
                ProcessStatistics.openFileLimit
            ),
            family(.gauge, "virtual_memory_bytes", "Virtual memory size in bytes.", process.virtualBytes),
            family(
                .gauge,
                "virtual_memory_max_bytes",
                "Maximum amount of virtual memory available in bytes.",
                ProcessStatistics.addressSpaceLimit
            ),
            family(.gauge, "resident_memory_bytes", "Resident memory size in bytes.", process.residentBytes),
            family(
                .gauge,
                "heap_bytes",
                "Memory that was allocated and not freed, in bytes.",
                ProcessStatistics.heapBytes
            ),
            family(
                .gauge,
                "start_time_seconds",
                "Start time of the process since unix epoch in seconds.",
                process.startTimeSeconds
            ),
            family(.gauge, "threads", "Threads of the operating system.", process.threads),
        ].compactMap(\.self)
    }

    private func family(_ kind: MetricKind, _ name: String, _ help: String, _ value: Double?) -> CollectedFamily? {
        guard let value else { return nil }
        var family: CollectedFamily =
            kind == .counter ? .counter("process_" + name, help: help) : .gauge("process_" + name, help: help)
        family.add(value)
        return family
    }
}

/// What this process did and what it waited for, on Linux: getrusage(2), `/proc/self/io` (proc_pid_io(5)) and the
/// pressure files of its control group (https://docs.kernel.org/accounting/psi.html).
enum ProcessActivity {
    /// The families for which the system has values.
    static func collect() -> [CollectedFamily] {
        #if os(Linux)
        let io = ProcessFile.read("/proc/self/io").map { Self.fields($0) } ?? [:]
        return usage() + inputAndOutput(io) + pressure()
        #else
        return []
        #endif
    }

    /// The lines `name: number` of a file.
    static func fields(_ text: String) -> [String: Double] {
        var fields: [String: Double] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":")
            if parts.count == 2 { fields[String(parts[0])] = Double(parts[1].drop { $0 == " " }) }
        }
        return fields
    }

    /// The microseconds after `total=` in the line of a pressure file that begins with `kind`, as seconds.
    static func stallSeconds(_ kind: String, in text: String) -> Double? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(kind + " ") }),
            let total = line.split(separator: " ").last, total.hasPrefix("total="),
            let microseconds = Double(total.dropFirst("total=".count))
        else { return nil }
        return microseconds / 1e6
    }

    #if os(Linux)
    private static func usage() -> [CollectedFamily] {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return [] }
        var faults = CollectedFamily.counter(
            "process_page_faults_total",
            help: "Page faults: major ones had to read from a device.",
            labels: "kind"
        )
        faults.add(Double(usage.ru_minflt), "minor")
        faults.add(Double(usage.ru_majflt), "major")
        var switches = CollectedFamily.counter(
            "process_context_switches_total",
            help: "Context switches of all threads: involuntary ones were ordered by the scheduler.",
            labels: "kind"
        )
        switches.add(Double(usage.ru_nvcsw), "voluntary")
        switches.add(Double(usage.ru_nivcsw), "involuntary")
        return [faults, switches]
    }

    private static func inputAndOutput(_ io: [String: Double]) -> [CollectedFamily] {
        guard let read = io["rchar"], let written = io["wchar"], let reads = io["syscr"], let writes = io["syscw"],
            let fetched = io["read_bytes"], let sent = io["write_bytes"]
        else { return [] }
        var bytes = CollectedFamily.counter(
            "process_io_bytes_total",
            help: "Bytes read and written: by system calls, and of storage devices.",
            unit: "bytes",
            labels: "direction",
            "layer"
        )
        bytes.add(read, "read", "call")
        bytes.add(written, "write", "call")
        bytes.add(fetched, "read", "device")
        bytes.add(sent, "write", "device")
        var calls = CollectedFamily.counter(
            "process_io_calls_total",
            help: "System calls that read and write.",
            labels: "direction"
        )
        calls.add(reads, "read")
        calls.add(writes, "write")
        return [bytes, calls]
    }

    private static func pressure() -> [CollectedFamily] {
        guard let folder = controlGroup else { return [] }
        var waiting = CollectedFamily.counter(
            "process_pressure_waiting_seconds_total",
            help: "Time in which some thread of the control group waited for the resource, in seconds.",
            unit: "seconds",
            labels: "resource"
        )
        var stalled = CollectedFamily.counter(
            "process_pressure_stalled_seconds_total",
            help: "Time in which all threads of the control group waited for the resource, in seconds.",
            unit: "seconds",
            labels: "resource"
        )
        for resource in ["cpu", "io", "memory"] {
            guard let text = ProcessFile.read("\(folder)/\(resource).pressure") else { continue }
            if let seconds = stallSeconds("some", in: text) { waiting.add(seconds, resource) }
            if let seconds = stallSeconds("full", in: text) { stalled.add(seconds, resource) }
        }
        return [waiting, stalled]
    }

    /// The folder of the process' control group in version 2's hierarchy.
    private static var controlGroup: String? {
        guard let text = ProcessFile.read("/proc/self/cgroup"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
        else { return nil }
        return "/sys/fs/cgroup" + line.dropFirst("0::".count)
    }
    #endif
}
