// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Configuration
internal import Foundation
internal import Yams

/// The settings of a YAML file. swift-configuration reads a null as text, as `~`, and merge keys as settings; here a null is no
/// value, and a merge key is refused.
struct YAMLSettings: ConfigSnapshot {
    private let values: YAMLSnapshot
    /// The keys whose value is null, with dots between their parts.
    private let nulls: Set<String>

    var providerName: String { values.providerName }

    /// - Throws: `FileError` for what is valid YAML and no settings; the error of the parser.
    init(_ data: Data, _ path: String) throws {
        var reader = NullReader()
        if let root = try Parser(yaml: data).singleRoot() { try reader.read(root, []) }
        nulls = reader.nulls
        values = try YAMLSnapshot(data: data.bytes, providerName: path, parsingOptions: .default)
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        let encodedKey = key.components.joined(separator: ".")
        guard !nulls.contains(encodedKey) else { return LookupResult(encodedKey: encodedKey, value: nil) }
        return try values.value(forKey: key, type: type)
    }
}

/// Collects the keys without a value in the nodes of a document.
private struct NullReader {
    /// Aliases that repeat aliases make a small file very large.
    private static let maximumNodes = 1_000_000

    private(set) var nulls: Set<String> = []
    private var count = 0

    mutating func read(_ node: Node, _ path: [String]) throws(FileError) {
        count += 1
        guard count <= Self.maximumNodes else {
            throw FileError("with its aliases, it has more than \(Self.maximumNodes) values: write fewer of them")
        }
        switch node {
        case .mapping(let mapping): for (key, value) in mapping { try read(key, value, path) }
        case .sequence(let sequence):
            for entry in sequence {
                guard !Self.isNull(entry) else { throw Self.emptyEntry(path) }
                try read(entry, path)
            }
        case .scalar, .alias: break
        }
    }

    private mutating func read(_ key: Node, _ value: Node, _ path: [String]) throws(FileError) {
        if case .scalar(let scalar) = key, scalar.style == .plain, scalar.string == "<<", key.tag == Tag(.merge) {
            throw FileError("it has a merge key (<<), whose settings are not read: write them out")
        }
        // The parser of the settings reports another key.
        guard let name = key.string else { return }
        if Self.isNull(value) { nulls.insert((path + [name]).joined(separator: ".")) }
        try read(value, path + [name])
    }

    /// Whether a value is a null without quotes, and not one that a tag makes text.
    private static func isNull(_ node: Node) -> Bool { node.null != nil && node.tag == Tag(.null) }

    private static func emptyEntry(_ path: [String]) -> FileError {
        FileError(
            "the list \(path.joined(separator: ".")) has an entry without a value (null): remove it, or quote the text"
        )
    }
}
