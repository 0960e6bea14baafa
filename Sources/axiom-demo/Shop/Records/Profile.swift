// SPDX-License-Identifier: Apache-2.0

/// What the shop knows of a customer.
struct Profile: Codable, Hashable, Sendable {
    let customer: String
    var name: String
    var points: Int
}
