// SPDX-License-Identifier: Apache-2.0

internal import AxiomSymbols

/// Numbers for stacks under paths of operations. Each number stands for the words from the root of a tree to it: the subjects of the
/// operations, the outermost one first, then ``functions``, and then the words of the code addresses.
///
/// The memory does not grow: 10 bytes for each number, and 2 for each place of a hash table.
struct SampleTree: Sendable {
    typealias Index = UInt16

    /// Words from here on are neither subjects nor addresses: module 16,383 is never that large.
    static let firstMark = UInt64.max - 4
    /// Stands between the operations and the addresses.
    static let functions = UInt64.max - 4
    /// Stands for the operations and the stacks that exceed the capacity, for outer frames, and for callers that cannot be read.
    static let (operations, stacks, outer, callers) = (UInt64.max - 3, UInt64.max - 2, UInt64.max - 1, UInt64.max)
    /// The number of a stack that exceeds the capacity under operations that exceed it.
    static let other: Index = 3

    let capacity: Int
    private var parents: [Index] = [0]
    private var words: [UInt64] = [0]
    /// Open addressing with linear probing. A quarter is free, so that each search ends; 0 for a free place.
    private var places: [Index]

    /// - Parameter capacity: How many numbers there are, with 0 for the root: at most 2^15.
    init(capacity: Int) {
        self.capacity = capacity
        parents.reserveCapacity(capacity)
        words.reserveCapacity(capacity)
        places = Array(repeating: 0, count: 1 << (Int.bitWidth - (capacity * 4 / 3).leadingZeroBitCount))
        _ = index(of: [Self.operations, Self.functions, Self.stacks])
    }

    /// How many numbers are used.
    var count: Int { words.count }
    var bytes: Int { parents.capacity * 2 + words.capacity * 8 + places.count * 2 }

    /// The number that words after those of another number have; nil if it is new and there are `limit` numbers.
    mutating func index(of added: some Sequence<UInt64>, under parent: Index = 0, limit: Int? = nil) -> Index? {
        var index = parent
        for word in added {
            let place = place(index, word)
            if places[place] == 0 {
                guard count < min(limit ?? capacity, capacity) else { return nil }
                places[place] = Index(count)
                parents.append(index)
                words.append(word)
            }
            index = places[place]
        }
        return index
    }

    /// Where the number of a word after another number is, or will be.
    private func place(_ parent: Index, _ word: UInt64) -> Int {
        var hash = (word ^ UInt64(parent) << 48) &* 0x9e37_79b9_7f4a_7c15
        hash = (hash ^ hash >> 32) &* 0xd6e8_feb8_6659_fd93
        var place = Int(truncatingIfNeeded: hash >> 32) & (places.count - 1)
        while case let index = Int(places[place]), index != 0, words[index] != word || parents[index] != parent {
            place = (place + 1) & (places.count - 1)
        }
        return place
    }

    /// The words from the root to a number, without the root.
    func words(to index: Index) -> [UInt64] {
        var (found, index): ([UInt64], Index) = ([], index)
        while index != 0 {
            found.append(words[Int(index)])
            index = parents[Int(index)]
        }
        return found.reversed()
    }

    /// A row without samples.
    func row(of index: Index) -> ProfileRow {
        let words = words(to: index)
        let end = words.firstIndex(of: Self.functions) ?? words.count
        return ProfileRow(path: Array(words[..<end]), stack: Array(words[end...].dropFirst()))
    }

    /// Removes all numbers but ``other``, those that are kept, and those on the way to them.
    ///
    /// - Returns: For each old number the new one; 0 if it was removed.
    mutating func keep(_ isKept: [Bool]) -> [Index] {
        let (oldParents, oldWords, count) = (parents, words, count)
        var isKept = isKept
        for index in (1..<count).reversed() where isKept[index] { isKept[Int(oldParents[index])] = true }
        parents.removeLast(count - 1)
        words.removeLast(count - 1)
        for place in places.indices { places[place] = 0 }
        var numbers = [Index](repeating: 0, count: count)
        // A parent is before its children, and there is space for all.
        for index in 1..<count where isKept[index] || index <= Self.other {
            let parent = numbers[Int(oldParents[index])]
            numbers[index] = self.index(of: CollectionOfOne(oldWords[index]), under: parent) ?? 0
        }
        return numbers
    }
}

extension CodeAddress {
    /// - Parameter word: That of an address.
    init(word: UInt64) {
        self.init(module: Int(word >> 48), offset: word, isReturn: word >> 62 & 1 != 0, isGuessed: word >> 63 != 0)
    }
}
