// SPDX-License-Identifier: Apache-2.0

/// A path and the folders above it, and which watch of inotify belongs to each. It does no input and output.
struct WatchedPath: Sendable {
    /// The maximum number of watched folders, from the path upwards.
    static let deepest = 64

    /// A prefix of the path.
    struct Level: Hashable, Sendable {
        /// The prefix, such as `/var/lib`.
        let path: String
        /// The bytes of the path's next name below it; nil for the path itself.
        let next: [UInt8]?
    }

    /// From the root folder down.
    let levels: [Level]
    /// The names of interest of each watch. Two levels share a watch if a symbolic link leads from one to the other.
    private var names: [Int32: Set<[UInt8]>] = [:]
    /// The watch of each level; nil for a level that is not watched.
    private var watches: [Int32?]

    init(_ path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        var (prefix, levels): (String, [Level]) = ("", [])
        for part in parts {
            levels.append(Level(path: prefix.isEmpty ? "/" : prefix, next: Array(part.utf8)))
            prefix += "/\(part)"
        }
        levels.append(Level(path: prefix.isEmpty ? "/" : prefix, next: nil))
        self.levels = levels.suffix(Self.deepest)
        watches = self.levels.map { _ in nil }
    }

    /// What inotify answered when a level was to be watched.
    enum Answer: Hashable, Sendable {
        case watched(Int32)
        /// The process may not read the object, so it cannot be watched. An older watch of it still works.
        case forbidden
        /// There is nothing to watch.
        case missing
    }

    /// Replaces the watches by the answers for each level.
    ///
    /// - Returns: The watches that belong to no level any more.
    mutating func update(_ answers: [Answer]) -> [Int32] {
        let old = Set(names.keys)
        names = [:]
        watches = zip(answers, watches).map { answer, watch in
            switch answer {
            case .watched(let watch): watch
            case .forbidden: watch
            case .missing: nil
            }
        }
        for (level, watch) in zip(levels, watches) {
            guard let watch else { continue }
            names[watch, default: []].formUnion(level.next.map { [$0] } ?? [])
        }
        return old.subtracting(names.keys).sorted()
    }

    /// Whether a record can change what the process may do with the path: it concerns a level itself or the next name
    /// below it, or records were lost.
    func isConcerned(by record: InotifyRecord) -> Bool {
        guard record.watch >= 0 else { return true }
        guard let names = names[record.watch] else { return false }
        return record.name.isEmpty || names.contains(record.name)
    }
}

/// One record of inotify(7).
struct InotifyRecord: Hashable, Sendable {
    /// The watch; -1 if records were lost.
    var watch: Int32
    var mask: UInt32
    /// The bytes of the name in a watched folder; empty if the record concerns the watched object itself.
    var name: [UInt8]

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
