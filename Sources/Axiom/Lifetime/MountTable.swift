// SPDX-License-Identifier: Apache-2.0

/// The presentations that are mounted, in the order in which they were.
///
/// It keeps no host: a host belongs to whoever made it, and may go without unmounting.
@MainActor
struct MountTable {
    private struct Reference {
        weak var host: (any MountedPresentation)?
    }

    private var references: [Int: Reference] = [:]
    private var lastPlace = 0
    /// Hosts that are gone leave an empty reference behind. Swept when the table has doubled since the last sweep:
    /// constant cost for each mount, however many there are.
    private var sweepSize = 64

    /// The hosts, the first that was mounted first.
    var hosts: [any MountedPresentation] {
        references.sorted { $0.key < $1.key }.compactMap(\.value.host)
    }

    /// How many places are in use, those of hosts that are gone included.
    var count: Int {
        references.count
    }

    /// Adds a host and returns its place, by which it is removed.
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
