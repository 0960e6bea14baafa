// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import Yams

/// A mapping of a YAML file, whose values are read with their lines.
struct YAMLTable {
    private static let largestFile = 1 << 20

    let file: String
    /// The keys that lead to it, joined by dots; empty for the whole file.
    private let path: String
    private let entries: [(key: String, line: Int, value: Node)]

    /// Reads a whole file. One without a document, or with a null document, is an empty table.
    init(file: String) throws(WebConfigurationError) {
        let text = try TextFile.read(file, limit: Self.largestFile) { WebConfigurationError(file, line: nil, $0) }
        let root: Node?
        do {
            let document = try compose(yaml: text)
            root = document?.null == nil ? document : nil
        } catch {
            throw Self.problem(error, file)
        }
        try self.init(root, file, "")
    }

    private init(_ node: Node?, _ file: String, _ path: String) throws(WebConfigurationError) {
        (self.file, self.path) = (file, path)
        guard let node else {
            entries = []
            return
        }
        guard case .mapping(let mapping) = node else {
            throw WebConfigurationError(
                file,
                line: node.mark?.line,
                "\(path.isEmpty ? "the file" : path) is \(Self.kind(node)); write keys with values"
            )
        }
        var entries: [(key: String, line: Int, value: Node)] = []
        for (key, value) in mapping {
            guard case .scalar(let scalar) = key else {
                throw WebConfigurationError(file, line: key.mark?.line, "a key is \(Self.kind(key)); write a name")
            }
            entries.append((scalar.string, key.mark?.line ?? 0, value))
        }
        self.entries = entries
    }

    /// The messages of Yams show the line of the problem, which may contain a secret: only the cause and the place are used.
    private static func problem(_ error: any Error, _ file: String) -> WebConfigurationError {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            WebConfigurationError(file, line: mark.line, "it is no YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            WebConfigurationError(
                file,
                line: context.mark.line,
                "the keys of a table occur twice: \(duplicates.sorted().joined(separator: ", ")); remove one of each"
            )
        default: WebConfigurationError(file, line: nil, "it is no YAML in UTF-8")
        }
    }

    private static func kind(_ node: Node) -> String {
        switch node {
        case .mapping: "a table"
        case .sequence: "a list"
        case .scalar: isText(node) ? "a single value" : "empty"
        case .alias: "an alias"
        }
    }

    /// Whether a value is text that is neither empty nor null, as `~` is.
    private static func isText(_ node: Node) -> Bool { node.null == nil && node.scalar?.string.isEmpty == false }

    // MARK: - Keys

    var keys: [String] { entries.map(\.key) }

    /// The full name of a key, for messages.
    func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    func line(of key: String) -> Int? { entries.first { $0.key == key }?.line }

    /// - Throws: ``WebConfigurationError`` for a key that is not among these.
    func allow(_ known: [String]) throws(WebConfigurationError) {
        for entry in entries where !known.contains(entry.key) {
            throw WebConfigurationError(
                file,
                line: entry.line,
                "\(name(entry.key)) is no known key; known are \(known.joined(separator: ", "))"
            )
        }
    }

    func error(_ key: String, _ message: String) -> WebConfigurationError {
        WebConfigurationError(file, line: line(of: key), message)
    }

    // MARK: - Values

    private func value(_ key: String) -> Node? { entries.first { $0.key == key }?.value }

    /// A section; nil if the key is missing or has no value.
    func table(_ key: String) throws(WebConfigurationError) -> YAMLTable? {
        guard let value = value(key) else { return nil }
        if value.null != nil { return nil }
        return try YAMLTable(value, file, name(key))
    }

    func text(_ key: String) throws(WebConfigurationError) -> String? {
        guard let value = value(key) else { return nil }
        guard case .scalar(let scalar) = value, Self.isText(value) else {
            throw error(key, "\(name(key)) is \(Self.kind(value)); write one value, or remove the key")
        }
        return scalar.string
    }

    func flag(_ key: String) throws(WebConfigurationError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let flag = value.bool else {
            throw error(key, "\(name(key)) is neither true nor false; write one of them")
        }
        return flag
    }

    /// The texts of a list with their lines.
    func list(_ key: String) throws(WebConfigurationError) -> [(text: String, line: Int?)] {
        guard let value = value(key) else { return [] }
        guard case .sequence(let sequence) = value else {
            throw error(key, "\(name(key)) is \(Self.kind(value)); write a list")
        }
        var texts: [(text: String, line: Int?)] = []
        for node in sequence {
            guard case .scalar(let scalar) = node, Self.isText(node) else {
                throw WebConfigurationError(
                    file,
                    line: node.mark?.line,
                    "an entry of \(name(key)) is \(Self.kind(node)); write one value"
                )
            }
            texts.append((scalar.string, node.mark?.line))
        }
        return texts
    }

    /// The path of a file that is named relative to the folder of this file.
    func filePath(_ key: String) throws(WebConfigurationError) -> String? {
        try text(key).map { TextFile.path($0, besides: file) }
    }
}

/// Text files that a user names.
enum TextFile {
    /// - Parameter failure: Makes the error from the cause and the remedy.
    static func read(
        _ path: String,
        limit: Int,
        _ failure: (String) -> WebConfigurationError
    ) throws(WebConfigurationError) -> String {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try OptionFile.read(path, limit: limit, "name another one")
        } catch {
            throw failure(error.message)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw failure("\(path) is not in UTF-8; store it as UTF-8")
        }
        return text
    }

    /// An absolute path unchanged, and a relative one in the folder of another file.
    static func path(_ path: String, besides file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }
}
