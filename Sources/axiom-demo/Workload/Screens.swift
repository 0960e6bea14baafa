// SPDX-License-Identifier: Apache-2.0

/// What the shoppers see at this moment: the latest picture of each.
@MainActor
final class Screens {
    private var pictures: [Int: String] = [:]

    /// Makes screens that show nothing.
    nonisolated init() {}

    func show(_ picture: String, to shopper: Int) {
        pictures[shopper] = picture
    }

    func clear(_ shopper: Int) {
        pictures[shopper] = nil
    }

    /// All pictures, one below the other.
    var text: String {
        pictures.sorted { $0.key < $1.key }
            .map { "--- shopper \($0.key + 1) ---\n\($0.value)\n" }
            .joined(separator: "\n")
    }
}
