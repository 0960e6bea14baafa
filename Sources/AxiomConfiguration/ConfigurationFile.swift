// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Configuration
internal import Foundation

/// A file with settings, and how to detect that it changed.
struct ConfigurationFile: Sendable {
    /// What changes with the contents or the permissions of a file: also if it is replaced by a rename, or a symbolic
    /// link to it is.
    struct Fingerprint: Hashable, Sendable {
        /// Nil for a file that does not exist, or that cannot be looked at.
        private let values: [Int64]?
        /// Why the file cannot be looked at, though it may exist; nil if it can.
        let problem: String?

        init(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else {
                let code = errno
                problem = [ENOENT, ENOTDIR].contains(code) ? nil : String(cString: strerror(code))
                values = nil
                return
            }
            problem = nil
            #if canImport(Darwin)
            let times = (status.st_mtimespec, status.st_ctimespec)
            #else
            let times = (status.st_mtim, status.st_ctim)
            #endif
            values = [
                Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
                Int64(status.st_size), Int64(times.0.tv_sec), Int64(times.0.tv_nsec),
                // The permissions too: two changes within one tick of the clock have equal times.
                Int64(times.1.tv_sec), Int64(times.1.tv_nsec), Int64(status.st_mode),
            ]
        }

        var isMissing: Bool { values == nil }
        var isRegular: Bool { values.map { mode_t(truncatingIfNeeded: $0[7]) & S_IFMT == S_IFREG } ?? false }
        /// In bytes.
        var size: Int64 { values?[2] ?? 0 }
    }

    /// Larger files are refused.
    static let maximumSize: Int64 = 16 << 20

    let path: String
    let isOptional: Bool

    private var isYAML: Bool { path.hasSuffix(".yaml") || path.hasSuffix(".yml") }

    /// Reads the file. Blocks the calling thread.
    ///
    /// - Throws: `FileError` if the file does not exist, is too large or is not valid. The error has no part of the
    ///   contents, because they may be secret.
    func read(_ fingerprint: Fingerprint) throws -> any ConfigSnapshot {
        if let problem = fingerprint.problem { throw FileError("it is not readable (\(problem))") }
        if fingerprint.isMissing {
            guard isOptional else { throw FileError("it does not exist") }
            return try parse(Data())
        }
        // A pipe would wait for a writer, and a later reading would find nothing.
        guard fingerprint.isRegular else { throw FileError("it is no regular file") }
        guard fingerprint.size <= Self.maximumSize else { throw FileError("it is larger than 16 MB") }
        guard let data = FileManager.default.contents(atPath: path) else { throw FileError("it is not readable") }
        return try parse(data)
    }

    private func parse(_ data: Data) throws -> any ConfigSnapshot {
        do {
            // The parsers do not accept a document without content.
            let document = Self.isEmpty(data, isYAML: isYAML) ? Data("{}".utf8) : data
            if isYAML { return try YAMLSettings(document, path) }
            return try JSONSnapshot(data: document.bytes, providerName: path, parsingOptions: .default)
        } catch let error as FileError {
            throw error
        } catch {
            throw FileError("it is not valid \(isYAML ? "YAML" : "JSON")\(Self.location(of: error, in: data))")
        }
    }

    /// Whether a document is absent or null: it has nothing but white space, or in YAML comments, directives and markers.
    private static func isEmpty(_ data: Data, isYAML: Bool) -> Bool {
        var content = ""
        for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
            var line = line.drop { $0 == "\u{FEFF}" }[...]
            if isYAML {
                if line.hasPrefix("%") || line == "..." { continue }
                if line == "---" || line.hasPrefix("--- ") { line = line.dropFirst(3) }
                if let comment = line.firstRange(of: /(^|[ \t])#/) { line = line[..<comment.lowerBound] }
            }
            content += line.filter { !$0.isWhitespace }
            // No document that is absent or null is longer.
            if content.utf8.count > 4 { return false }
        }
        return content.isEmpty || content == "null" || isYAML && ["~", "Null", "NULL"].contains(content)
    }

    /// Where a parser found a fault, as in ` (line 3, column 5)`; empty if it does not say so. The messages of parsers
    /// quote the contents, so they are not used, except for those of swift-configuration, which name keys and types.
    private static func location(of error: any Error, in data: Data) -> String {
        let text = String(describing: error)
        if String(describing: type(of: error)).hasSuffix("ConfigError") { return ": \(text)" }
        let details = "\(text) \((error as NSError).userInfo)"
        for pattern in [/line (\d+), column (\d+)/, /(\d+):(\d+): error/] {
            if let match = details.firstMatch(of: pattern) { return " (line \(match.1), column \(match.2))" }
        }
        guard let offset = details.firstMatch(of: /character (\d+)/).flatMap({ Int($0.1) }) else { return "" }
        let lines = data.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return " (line \(lines.count), column \((lines.last?.count ?? 0) + 1))"
    }
}
