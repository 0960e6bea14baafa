// SPDX-License-Identifier: Apache-2.0

/// The proof that a customer signed in.
struct Session: Codable, Hashable, Sendable {
    let customer: String
    let token: String
}
