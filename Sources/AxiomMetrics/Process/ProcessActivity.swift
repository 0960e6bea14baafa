// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What a process did and what it waited for, as Linux counts it: getrusage(2), `/proc/self/io` (proc_pid_io(5)) and the
/// pressure files of its control group (https://docs.kernel.org/accounting/psi.html).
enum ProcessActivity {
    /// The families that the system can fill.
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
