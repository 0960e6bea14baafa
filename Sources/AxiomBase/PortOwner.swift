// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Which process listens at a port, for messages. Takes some milliseconds.
package enum PortOwner {
    /// The process that listens at a port of TCP, as `this process` or `process 4711 (axiom-demo)`. Nil if the system does not
    /// say it: for a process of another user, or if several processes listen at the port, at different addresses.
    package static func name(_ port: Int) -> String? {
        let sockets = listeningSockets(port)
        let owners = names(in: "/proc").compactMap { pid_t($0) }.filter { !held($0, sockets).isEmpty }
        guard let owner = owners.first, owners.count == 1, held(owner, sockets) == sockets else { return nil }
        if owner == getpid() { return "this process" }
        let text = (try? FileBytes.read("/proc/\(owner)/comm", limit: .max)) ?? nil
        let program = String(decoding: text ?? [], as: UTF8.self).trimmingCharacters(in: .newlines)
        return "process \(owner)" + (program.isEmpty ? "" : " (\(program.printable))")
    }

    /// The links by which processes have the listening sockets of a port open: `socket:[4711]`.
    private static func listeningSockets(_ port: Int) -> Set<String> {
        var sockets: Set<String> = []
        for path in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
            guard let bytes = try? FileBytes.read(path, limit: .max) else { continue }
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst() {
                // 0: 0100007F:24F8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 131074 1 …
                let words = line.split(separator: " ")
                guard words.count > 9, words[3] == "0A", let end = words[1].split(separator: ":").last,
                    Int(end, radix: 16) == port
                else { continue }
                sockets.insert("socket:[\(words[9])]")
            }
        }
        return sockets
    }

    /// The sockets that a process has open. None for a process of another user.
    private static func held(_ process: pid_t, _ sockets: Set<String>) -> Set<String> {
        let folder = "/proc/\(process)/fd"
        let links = names(in: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        return sockets.intersection(links)
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}
