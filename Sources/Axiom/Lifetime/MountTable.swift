// SPDX-License-Identifier: Apache-2.0

/// The mounted presentations, in the order of their mounts.
///
/// It does not retain the hosts: a host belongs to the code that made it, and may be released without unmounting.
@MainActor
struct MountTable {
    private struct Reference {
        weak var host: (any MountedPresentation)?
    }

    private var references: [Int: Reference] = [:]
    private var lastPlace = 0
    /// Released hosts leave an empty reference behind. The table is swept when it has doubled since the last sweep, so
    /// the cost of each mount is constant for any number of hosts.
    private var sweepSize = 64

    /// The hosts, the first mounted first.
    var hosts: [any MountedPresentation] {
        references.sorted { $0.key < $1.key }.compactMap(\.value.host)
    }

    /// How many slots are in use, including those of released hosts.
    var count: Int {
        references.count
    }

    /// Adds a host and returns its slot, for its removal.
    mutating func add(_ host: any MountedPresentation) -> Int {
        if references.count >= sweepSize {
            references = references.filter { $0.value.host != nil }
            sweepSize = max(64, references.count * 2)
        }
        lastPlace += 1
        references[lastPlace] = Reference(host: host)
        return lastPlace
    }

    mutating func remove(_ place: Int) {
        references[place] = nil
    }
}
