// SPDX-License-Identifier: Apache-2.0

/// An order to pay. Repeating it with the same key pays once.
struct Payment: Codable, Hashable, Sendable {
    let key: String
    /// In cents.
    let amount: Int
}
