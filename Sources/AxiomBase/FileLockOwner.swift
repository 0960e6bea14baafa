// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Which process has locked a file with `flock`, for messages.
package enum FileLockOwner {
    /// The process that has locked the file, as `process 4711` or `this process`; nil if the system does not say it.
    package static func name(_ path: String) -> String? {
        guard let process = process(path) else { return nil }
        return process == getpid() ? "this process" : "process \(process)"
    }

    /// Linux lists all locks with the number of the file. The numbers of its devices differ from those of `stat` on some file
    /// systems, so they are not compared, and two owners of one number are none.
    private static func process(_ path: String) -> pid_t? {
        var status = stat()
        guard stat(path, &status) == 0, let bytes = try? FileBytes.read("/proc/locks", limit: .max) else { return nil }
        var owners: Set<pid_t> = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            // 1: FLOCK  ADVISORY  WRITE 4711 08:02:131074 0 EOF
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", let process = pid_t(words[4]), process > 0,
                words[5].split(separator: ":").last == "\(status.st_ino)"
            else { continue }
            owners.insert(process)
        }
        return owners.count == 1 ? owners.first : nil
    }
}
