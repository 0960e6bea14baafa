// SPDX-License-Identifier: Apache-2.0

/// The states that waited for a subscriber, taken together: every critical one in the order of mutation, then the
/// latest. Never empty.
///
/// A subscriber on the main actor pays one hop for a batch, not one for each state.
public struct StateBatch<S: OwnedState>: Sendable {
    /// The critical states before ``latest``.
    private let earlier: [S]

    /// The newest state, critical or not.
    public let latest: S

    /// The number of states that later ones replaced since the previous delivery to this subscriber (0 or more).
    public let coalesced: Int

    init(earlier: [S] = [], latest: S, coalesced: Int) {
        self.earlier = earlier
        self.latest = latest
        self.coalesced = coalesced
    }
}

extension StateBatch: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }

    /// The number of states in the batch: 1 or more.
    public var endIndex: Int { earlier.count + 1 }

    /// The state at `position`, where `endIndex - 1` is the latest. As with an array, `position` has to be an index.
    public subscript(position: Int) -> S {
        position == earlier.count ? latest : earlier[position]
    }
}

extension StateBatch: Equatable, Hashable {}
