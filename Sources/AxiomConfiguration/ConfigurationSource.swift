// SPDX-License-Identifier: Apache-2.0

internal import Axiom
public import Configuration

/// Where an application reads its configuration from.
public struct ConfigurationSource: Sendable {
    /// The name in errors and reports, as in `the file shop.json`.
    public let name: String
    /// What the source's keys begin with.
    private var prefix: [String] = []
    /// The file that is read, to detect that it changed; nil for other sources.
    private(set) var file: ConfigurationFile?
    /// Reads the values, and the texts as they were given; nil if the values have them.
    private let read:
        @Sendable (ConfigurationFile.Fingerprint?) throws -> (any ConfigSnapshot, texts: (any ConfigSnapshot)?)
    /// Whether lists are texts that are split at commas.
    private var splitsTexts = false

    /// The contents of the source now.
    ///
    /// - Parameter fingerprint: That of the file, if the source is one.
    /// - Throws: ``ConfigurationError`` if the file cannot be read.
    func entry(_ fingerprint: ConfigurationFile.Fingerprint?) throws -> SourceSnapshot.Entry {
        do {
            let (values, texts) = try read(fingerprint)
            return SourceSnapshot.Entry(
                name: name,
                prefix: prefix,
                values: values,
                texts: texts,
                splitsTexts: splitsTexts
            )
        } catch {
            throw ConfigurationError.unreadable(name, cause: error)
        }
    }

    /// The arguments of the program: `--http-timeout 5` for the setting `http.timeout`. A text is taken as it was given.
    /// Only where a setting is a list, the text is split at its commas. Arguments behind `--` are not read.
    public static func arguments(_ arguments: [String] = CommandLine.arguments) -> ConfigurationSource {
        // The provider splits every text at its commas. No argument of a process contains a zero byte.
        let arguments = Array(arguments.prefix { $0 != "--" })
        let whole = arguments.map { $0.replacing(",", with: SourceSnapshot.Entry.comma) }
        let texts = CommandLineArgumentsProvider(arguments: whole)
        let provider = CommandLineArgumentsProvider(arguments: arguments)
        return ConfigurationSource(
            name: "the arguments",
            read: { _ in (provider.snapshot(), texts.snapshot()) },
            splitsTexts: true
        )
    }

    /// The environment of the process: `HTTP_TIMEOUT=5` for the setting `http.timeout`, or `SHOP_HTTP_TIMEOUT=5` with
    /// the prefix `shop`.
    public static func environment(prefix: String? = nil) -> ConfigurationSource {
        environment(EnvironmentVariablesProvider(), prefix)
    }

    /// Given variables instead of the environment of the process.
    public static func environment(_ variables: [String: String], prefix: String? = nil) -> ConfigurationSource {
        environment(EnvironmentVariablesProvider(environmentVariables: variables), prefix)
    }

    private static func environment(
        _ provider: EnvironmentVariablesProvider,
        _ prefix: String?
    ) -> ConfigurationSource {
        ConfigurationSource(
            name: "the environment",
            prefix: prefix.map { [$0] } ?? [],
            read: { _ in (provider.snapshot(), nil) },
            splitsTexts: true
        )
    }

    /// A file, which is read again when it changes: `{"http": {"timeout": 5}}` for the setting `http.timeout`.
    ///
    /// - Parameters:
    ///   - path: The path. A name that ends with `.yaml` or `.yml` is read as YAML, any other as JSON.
    ///   - isOptional: Whether a file that does not exist counts as empty.
    public static func file(_ path: String, isOptional: Bool = false) -> ConfigurationSource {
        let file = ConfigurationFile(path: path, isOptional: isOptional)
        return ConfigurationSource(name: "the file \(path)", file: file) { fingerprint in
            (try file.read(fingerprint ?? ConfigurationFile.Fingerprint(path)), nil)
        }
    }

    /// Any provider of swift-configuration. It is read again whenever a file has changed.
    public static func provider(_ provider: any ConfigProvider, name: String? = nil) -> ConfigurationSource {
        ConfigurationSource(name: name ?? provider.providerName) { _ in (provider.snapshot(), nil) }
    }
}

/// The contents of all sources at one time, which never change.
struct SourceSnapshot: Sendable {
    struct Entry: Sendable {
        let name: String
        let prefix: [String]
        let values: any ConfigSnapshot
        /// Has the texts as they were given, with `comma` for each comma; nil if `values` has them.
        var texts: (any ConfigSnapshot)?
        var splitsTexts = false
    }

    /// A value of a source.
    struct Found {
        /// Nil if the value cannot be converted to the type.
        let content: ConfigContent?
        /// The value as text.
        let text: String
        let source: String
    }

    /// The first source comes first.
    let entries: [Entry]

    /// The value of the first source that has the key, also if it cannot be converted to `type`.
    func find(_ key: String, _ type: ConfigType) -> Found? {
        for entry in entries {
            if let found = entry.find(ConfigKey(key).components, type) { return found }
        }
        return nil
    }
}

extension SourceSnapshot.Entry {
    /// Stands for a comma in `texts`.
    static let comma = "\0"

    private func content(_ key: AbsoluteConfigKey, _ type: ConfigType) throws -> ConfigContent? {
        guard type == .string, let texts else {
            let content = try values.value(forKey: key, type: type).value?.content
            // The empty text is the empty list: there is no other way to write one.
            if splitsTexts, case .stringArray([""]) = content { return .stringArray([]) }
            return content
        }
        guard case .string(let text) = try texts.value(forKey: key, type: type).value?.content else { return nil }
        return .string(text.replacing(Self.comma, with: ","))
    }

    func find(_ key: [String], _ type: ConfigType) -> SourceSnapshot.Found? {
        let key = AbsoluteConfigKey(prefix + key)
        do {
            guard let content = try content(key, type) else { return nil }
            return SourceSnapshot.Found(content: content, text: text(key) ?? "", source: name)
        } catch {
            return SourceSnapshot.Found(content: nil, text: text(key) ?? "another type", source: name)
        }
    }

    /// The value as text, whichever type it has. A boolean value of a JSON file is `1` or `0`.
    func text(_ key: AbsoluteConfigKey) -> String? {
        for type in [ConfigType.string, .int, .double, .stringArray, .doubleArray] {
            guard let content = try? content(key, type) else { continue }
            switch content {
            case .string(let text): return text
            case .int(let number): return "\(number)"
            case .double(let number): return "\(number)"
            case .stringArray(let texts): return texts.joined(separator: ",")
            case .doubleArray(let numbers): return numbers.map { "\($0)" }.joined(separator: ",")
            default: continue
            }
        }
        return nil
    }
}
