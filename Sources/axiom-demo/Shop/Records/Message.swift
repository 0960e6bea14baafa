// SPDX-License-Identifier: Apache-2.0

/// A message in a customer's inbox.
struct Message: Codable, Hashable, Sendable {
    let id: Int
    let text: String
}
