// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Settings cannot be used. What was in force before stays in force.
public struct ConfigurationError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    /// One value that cannot be used.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The key of the setting.
        public let key: String
        /// The value as text; nil if there is none. A secret is never kept here.
        public let value: String?
        /// Where the value comes from, as in `the file shop.json`; nil if there is none.
        public let source: String?
        /// What is allowed, as in `a number from 1 to 60`.
        public let expected: String

        /// Describes a value that cannot be used.
        package init(key: String, value: String?, source: String?, expected: String) {
            self.key = key
            self.value = value
            self.source = source
            self.expected = expected
        }

        /// The key, the value, its source and what is allowed.
        public var description: String {
            guard let value else { return "\(key) is missing; it must be \(expected)" }
            let origin = source.map { " in \($0)" } ?? ""
            return "\(key) is \(value)\(origin), but must be \(expected)"
        }
    }

    /// Some settings are missing or invalid.
    ///
    /// - Parameter problems: All of them, so that they can be corrected at once.
    package static func invalid(_ problems: [Problem]) -> Self {
        let list = problems.map(\.description).joined(separator: "; ")
        return ConfigurationError(.invalidSettings, "Some settings are missing or invalid: \(list).")
    }

    /// The source of a configuration, as in `the file shop.json`, could not be read.
    package static func unreadable(_ source: String, cause: any Error) -> Self {
        ConfigurationError(
            .configurationUnreadable,
            "The configuration in \(source) could not be read: \(String(clause: cause)).",
            cause: cause
        )
    }

    /// A capability refuses new settings. Thrown by ``Configurable/configure(_:)``.
    ///
    /// - Parameters:
    ///   - key: The setting that cannot be used.
    ///   - reason: The reason, as in `the port is in use`.
    public static func refused(_ key: String, because reason: String) -> Self {
        ConfigurationError(.settingsRefused, "The setting \(key) was refused: \(reason.clause).")
    }
}
