// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What `/proc/self/stat` says (proc_pid_stat(5)).
struct ProcessStat {
    let threads: Double
    let virtualBytes: Double
    let residentPages: Double
    /// Seconds since 1970; nil when the time of the machine's start is not known.
    let startTimeSeconds: Double?

    /// Reads the file; nil where there is none.
    static func read() -> ProcessStat? {
        guard let text = ProcessFile.read("/proc/self/stat") else { return nil }
        return ProcessStat(text, bootTime: ProcessFile.bootTime, ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Takes a line of the file apart; nil when it is no such line.
    init?(_ text: String, bootTime: Double?, ticksPerSecond: Double) {
        // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
        guard let name = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        // Field n of the manual page is at n - 3 here.
        guard fields.count > 21, let threads = Double(fields[17]), let start = Double(fields[19]),
            let virtual = Double(fields[20]), let resident = Double(fields[21])
        else { return nil }
        self.threads = threads
        virtualBytes = virtual
        residentPages = resident
        startTimeSeconds = bootTime.map { $0 + start / ticksPerSecond }
    }
}

/// Small files of `/proc`, whose size is known only when they are read.
enum ProcessFile {
    /// When the machine started, in seconds since 1970, from the line `btime` of `/proc/stat`.
    static var bootTime: Double? {
        guard let text = read("/proc/stat"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("btime ") })
        else { return nil }
        return Double(line.dropFirst("btime ".count))
    }

    /// The contents of a file; nil when it cannot be read.
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
