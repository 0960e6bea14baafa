// SPDX-License-Identifier: Apache-2.0

/// How much goes wrong at the shop's servers.
enum FaultMode: String, Hashable, Sendable, CaseIterable {
    /// Nothing.
    case none
    /// One request in ten, for two seconds out of six.
    case mild
    /// One request in three, for four seconds out of five.
    case storm

    /// When faults are on: for the first part of each period.
    var schedule: (on: Duration, period: Duration, share: Double) {
        switch self {
        case .none: (.zero, .seconds(1), 0)
        case .mild: (.seconds(2), .seconds(6), 0.1)
        case .storm: (.seconds(4), .seconds(5), 0.33)
        }
    }
}
