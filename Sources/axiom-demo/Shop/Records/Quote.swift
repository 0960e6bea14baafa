// SPDX-License-Identifier: Apache-2.0

/// What the lines of a cart cost.
struct Quote: Codable, Hashable, Sendable {
    let lines: [CartLine]
    /// In cents, tax included.
    let total: Int
    /// In cents, contained in the total.
    let tax: Int
}
