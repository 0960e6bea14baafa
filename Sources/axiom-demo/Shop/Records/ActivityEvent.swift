// SPDX-License-Identifier: Apache-2.0

/// Something that a person did, for the shop's statistics.
struct ActivityEvent: Codable, Hashable, Sendable {
    let name: String
}
