// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The settings of a project: `axiom-verify.json`.
///
/// ```json
/// {
///   "schemaVersion": 1,
///   "paths": ["Sources", "Tests"],
///   "rules": { "action-not-indexed": "off", "client-navigates": "warning", "capability-is-leaf": "on" },
///   "layers": [ { "name": "Core", "modules": ["ShopCore"], "mayImport": [] } ],
///   "imports": { "Legacy": "package" },
///   "excluded": ["Sources/Generated"]
/// }
/// ```
package struct Configuration: Sendable, Hashable {
    /// How a rule runs.
    package enum Setting: String, Sendable, Hashable, Codable, CaseIterable {
        case off, on, error, warning, information
    }

    package typealias Layer = ProjectEnvironment.Layer

    package static let fileName = "axiom-verify.json"
    package var rules: [String: Setting] = [:]
    /// The files and folders that are judged without paths on the command line; empty for the default.
    package var paths: [String] = []
    package var layers: [Layer] = []
    /// The classes of imported modules that neither a package, the toolchain nor a platform has, such as
    /// `{ "Legacy": "package" }`.
    package var imports: [String: ImportClass] = [:]
    /// Folders, files and patterns with `*` (within a name) and `**` (across folders), relative to the root.
    package var excluded: [String] = []

    package init() {}

    /// Reads the file.
    ///
    /// - Parameter known: The rules that exist.
    /// - Throws: ``VerifyError`` that names the path, what is wrong in it, and the remedy.
    package init(bytes: [UInt8], path: String, known: [RuleID]) throws(VerifyError) {
        let page: ConfigurationPage
        do {
            page = try JSONDecoder().decode(ConfigurationPage.self, from: Data(bytes))
        } catch {
            throw VerifyError("\(path) cannot be used: \(JSONProblem.words(error)). See Documentation/axiom-verify.md.")
        }
        guard page.schemaVersion == 1 else {
            throw VerifyError("\(path) has schemaVersion \(page.schemaVersion); this axiom-verify reads version 1.")
        }
        let names = Set(known.map(\.rawValue))
        for (name, setting) in page.rules.sorted(by: { $0.key < $1.key }) {
            guard names.contains(name) else { throw Self.unknown("rule", name, names, path) }
            guard let value = Setting(rawValue: setting) else {
                let settings = Setting.allCases.map(\.rawValue).joined(separator: ", ")
                throw VerifyError("\(path): \"\(setting)\" is no setting of \(name): use one of \(settings).")
            }
            rules[name] = value
        }
        layers = page.layers
        paths = page.paths
        for (module, name) in page.imports.sorted(by: { $0.key < $1.key }) {
            guard let importClass = ImportClass(rawValue: name) else {
                let classes = ImportClass.allCases.map(\.rawValue).joined(separator: ", ")
                throw VerifyError("\(path): \"\(name)\" is no class of the module \(module): use one of \(classes).")
            }
            imports[module] = importClass
        }
        excluded = page.excluded
        try checkLayers(path)
    }

    private func checkLayers(_ path: String) throws(VerifyError) {
        let names = layers.map(\.name)
        for (index, name) in names.enumerated() where names[..<index].contains(name) {
            throw VerifyError("\(path): the layer \(name) is there twice: give each layer a name of its own.")
        }
        var owners: [String: String] = [:]
        for layer in layers {
            for name in layer.mayImport where !names.contains(name) {
                throw Self.unknown("layer", name, Set(names), path)
            }
            for module in layer.modules {
                if let owner = owners.updateValue(layer.name, forKey: module) {
                    throw VerifyError(
                        "\(path): \(module) is in the layers \(owner) and \(layer.name): leave it in one."
                    )
                }
            }
        }
    }

    private static func unknown(_ kind: String, _ name: String, _ names: Set<String>, _ path: String) -> VerifyError {
        let hint = name.closest(of: names).map { " Did you mean \($0)?" } ?? ""
        let list = kind == "rule" ? " `axiom-verify rules` lists them." : ""
        return VerifyError("\(path): there is no \(kind) \"\(name)\".\(hint)\(list)")
    }

    package func excludes(_ path: String) -> Bool {
        excluded.contains { PathPattern($0).matches(path) }
    }
}

/// The file. Members that it does not know are errors, because they are typing errors.
private struct ConfigurationPage: Decodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case schemaVersion, paths, rules, layers, imports, excluded
        case schema = "$schema"
    }

    var schemaVersion: Int
    var paths: [String] = []
    var rules: [String: String] = [:]
    var layers: [Configuration.Layer] = []
    var imports: [String: String] = [:]
    var excluded: [String] = []

    init(from decoder: any Decoder) throws {
        let all = try decoder.container(keyedBy: AnyKey.self)
        let names = CodingKeys.allCases.map(\.rawValue)
        if let unknown = all.allKeys.map(\.stringValue).sorted().first(where: { !names.contains($0) }) {
            let hint =
                unknown.closest(of: names).map { "did you mean \($0)?" } ?? "use \(names.joined(separator: ", "))"
            throw VerifyError("there is no setting \"\(unknown)\": \(hint)")
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        schemaVersion = try container.decode(Int.self, forKey: .schemaVersion)
        paths = try container.decodeIfPresent([String].self, forKey: .paths) ?? []
        rules = try container.decodeIfPresent([String: String].self, forKey: .rules) ?? [:]
        layers = try container.decodeIfPresent([Configuration.Layer].self, forKey: .layers) ?? []
        imports = try container.decodeIfPresent([String: String].self, forKey: .imports) ?? [:]
        excluded = try container.decodeIfPresent([String].self, forKey: .excluded) ?? []
    }
}

private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A path, a folder with all in it, or a pattern with `*` and `**`.
struct PathPattern {
    private let parts: [Substring]

    init(_ pattern: String) {
        parts = pattern.split(separator: "/").filter { $0 != "." }
    }

    func matches(_ path: String) -> Bool {
        let names = path.split(separator: "/").filter { $0 != "." }
        return !parts.isEmpty && Self.match(parts[...], names[...])
    }

    private static func match(_ parts: ArraySlice<Substring>, _ names: ArraySlice<Substring>) -> Bool {
        // All in a folder that matches is excluded too.
        guard let part = parts.first else { return true }
        if part == "**" {
            return (0...names.count).contains {
                match(parts.dropFirst(), names.dropFirst($0)) && (parts.count > 1 || $0 > 0)
            }
        }
        guard let name = names.first, match(Array(part.utf8)[...], Array(name.utf8)[...]) else { return false }
        return match(parts.dropFirst(), names.dropFirst())
    }

    /// `*` stands for any characters of one name.
    private static func match(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == UInt8(ascii: "*") {
            return (0...name.count).contains { match(pattern.dropFirst(), name.dropFirst($0)) }
        }
        return name.first == first && match(pattern.dropFirst(), name.dropFirst())
    }
}
