// SPDX-License-Identifier: Apache-2.0

/// The proof of a payment.
struct Receipt: Codable, Hashable, Sendable {
    let number: Int
    /// In cents.
    let amount: Int
}
