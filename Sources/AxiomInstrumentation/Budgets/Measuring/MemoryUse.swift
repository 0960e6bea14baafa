// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What the kernel says of this process' memory: `/proc/self/statm` (proc_pid_statm(5)).
struct MemoryUse: Sendable, Hashable {
    let residentBytes: Int
    let virtualBytes: Int

    /// Nil where there is no such file. Cost: some microseconds.
    static var current: MemoryUse? {
        #if os(Linux)
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = read(file, &text, text.count)
        guard count > 0 else { return nil }
        return MemoryUse(String(decoding: text[..<count], as: UTF8.self), pageSize: Int(sysconf(Int32(_SC_PAGESIZE))))
        #else
        return nil
        #endif
    }

    /// Nil for a text that is no such line.
    init?(_ text: String, pageSize: Int) {
        let fields = text.split(separator: " ").prefix(2).compactMap { Int($0) }
        guard fields.count == 2 else { return nil }
        virtualBytes = fields[0] * pageSize
        residentBytes = fields[1] * pageSize
    }
}
