// SPDX-License-Identifier: Apache-2.0

/// One record of inotify(7).
struct InotifyRecord: Hashable, Sendable {
    /// The watch; -1 if records were lost.
    var watch: Int32
    var mask: UInt32
    /// The bytes of the name in a watched folder; empty if the record concerns the watched object itself.
    var name: [UInt8]
}

extension InotifyRecord {
    /// The bytes before the name: the watch, the mask, the cookie and the length of the name.
    private static let headerLength = 16

    /// Parses what read(2) returned. A record that is cut off ends the list.
    static func records(in bytes: ArraySlice<UInt8>) -> [InotifyRecord] {
        var records: [InotifyRecord] = []
        var rest = bytes
        while rest.count >= headerLength {
            let length = Int(rest.word(at: 12))
            guard length <= rest.count - headerLength else { break }
            let name = rest.dropFirst(headerLength).prefix(length).prefix { $0 != 0 }
            records.append(
                InotifyRecord(watch: Int32(bitPattern: rest.word(at: 0)), mask: rest.word(at: 4), name: Array(name))
            )
            rest = rest.dropFirst(headerLength + length)
        }
        return records
    }
}
