// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Configuration

/// Settings that are read from the sources of a configuration.
///
/// ```swift
/// extension HTTPNetwork.Settings: ReadableSettings {
///     init(from reader: SettingsReader) {
///         timeout = reader[SettingKey("http.timeout", fallback: 5, allowed: 0.1...60)]
///     }
/// }
/// ```
public protocol ReadableSettings: Sendable, Hashable {
    /// Reads the settings. A value that is missing or invalid is noted, and does not end the reading: all of them are
    /// reported together, and the settings are then not used.
    init(from reader: SettingsReader)
}

extension ReadableSettings {
    /// Reads the settings of a program that are needed before it makes its parts, such as a port or the path of a database.
    ///
    /// ```swift
    /// let settings = try await ServiceSettings.read(from: [.environment(prefix: "shop"), .file("shop.yaml")])
    /// ```
    /// They are read once. The settings of capabilities, which are read again, and feature flags need an ``AppConfiguration``;
    /// it may have the same sources.
    ///
    /// - Parameter sources: The sources, the most important first.
    /// - Throws: ``ConfigurationError`` if a file cannot be read, or one that names every missing and every invalid setting.
    public static func read(from sources: [ConfigurationSource]) async throws -> Self {
        let reader = SettingsReader(try await SourceSnapshot.read(sources).snapshot)
        let settings = Self(from: reader)
        guard reader.problems.isEmpty else { throw ConfigurationError.invalid(reader.problems) }
        return settings
    }
}

/// Reads settings, and notes the value, the source and the faults of each.
public final class SettingsReader {
    private let snapshot: SourceSnapshot
    private(set) var problems: [ConfigurationError.Problem] = []
    private(set) var reports: [SettingReport] = []

    init(_ snapshot: SourceSnapshot) {
        self.snapshot = snapshot
    }

    /// The value of a setting from the first source that has it, or its fallback. A value that is missing or invalid is
    /// noted.
    public subscript<V>(_ key: SettingKey<V>) -> V {
        guard let found = snapshot.find(key.name, V.type) else {
            if key.isRequired { note(key, nil, nil) } else { report(key, key.fallback, source: nil) }
            return key.fallback
        }
        guard let value = found.content.flatMap({ V($0) }), key.allows(value) else {
            note(key, found.text, found.source)
            return key.fallback
        }
        report(key, value, source: found.source)
        return value
    }

    private func note<V>(_ key: SettingKey<V>, _ text: String?, _ source: String?) {
        let problem = ConfigurationError.Problem(
            key: key.name,
            value: text.map { key.isSecret ? RedactedText.text : "\"\($0.prefix(100))\"" },
            source: source,
            expected: key.expected
        )
        if !problems.contains(problem) { problems.append(problem) }
    }

    private func report<V>(_ key: SettingKey<V>, _ value: V, source: String?) {
        let text = key.isSecret ? RedactedText.text : "\(value)"
        reports.append(SettingReport(key: key.name, value: text, source: source))
    }
}

/// The value of one setting that is in force, and where it comes from.
public struct SettingReport: Sendable, Hashable {
    /// The name of the setting.
    public let key: String
    /// The value as text; `<redacted>` for a secret.
    public let value: String
    /// The source, as in `the file shop.json`; nil for the fallback.
    public let source: String?
}
