// SPDX-License-Identifier: Apache-2.0

/// What a dashboard shows or does beyond telemetry. Each is off unless a developer sets it.
package struct DashboardFeatures: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The states of clients are served.
    package static let inspectsState = Self(rawValue: 1)
    /// Developers may act on components.
    package static let allowsActions = Self(rawValue: 1 << 1)
    /// The actions of contexts are recorded with what they contain, and served as a test. A recording begins at once.
    package static let recordsPayloads = Self(rawValue: 1 << 2)
}
