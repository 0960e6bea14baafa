// SPDX-License-Identifier: Apache-2.0

extension Version {
    /// Reads a version as in `1.4.0`, `1.4.0-beta.2` or `1.4.0-beta.2+build.7`.
    ///
    /// - Throws: ``ValidationError`` with the code ``ErrorCode/invalidFormat``. The message names the position of the
    ///   first character that does not fit.
    public init(parsing text: String) throws(ValidationError) {
        var parser = VersionParser(text)
        self = try parser.version()
    }
}

extension Version: Codable {
    /// Reads a version from its text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            self = try Version(parsing: container.decode(String.self))
        } catch let error as ValidationError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
        }
    }

    /// Writes the version as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Reads the grammar of Semantic Versioning 2.0.0 from left to right.
private struct VersionParser {
    private let text: String
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    mutating func version() throws(ValidationError) -> Version {
        let major = try number()
        try skip(".")
        let minor = try number()
        try skip(".")
        let patch = try number()
        let prerelease = try next("-") ? identifiers(allowsLeadingZero: false) : []
        let build = try next("+") ? identifiers(allowsLeadingZero: true) : []
        guard index == bytes.count else { throw error("the end is expected") }
        return Version(major, minor, patch, prerelease: prerelease, build: build)
    }

    private mutating func number() throws(ValidationError) -> Int {
        let start = index
        while index < bytes.count, Self.isDigit(bytes[index]) { index += 1 }
        guard index > start else { throw error("a digit is expected") }
        guard index == start + 1 || bytes[start] != UInt8(ascii: "0") else {
            throw error("a number must not begin with 0", at: start)
        }
        guard let number = Int(String(decoding: bytes[start..<index], as: UTF8.self)) else {
            throw error("the number is too large", at: start)
        }
        return number
    }

    private mutating func identifiers(allowsLeadingZero: Bool) throws(ValidationError) -> [String] {
        var found = [try identifier(allowsLeadingZero)]
        while next(".") { found.append(try identifier(allowsLeadingZero)) }
        return found
    }

    private mutating func identifier(_ allowsLeadingZero: Bool) throws(ValidationError) -> String {
        let start = index
        while index < bytes.count, Self.isIdentifier(bytes[index]) { index += 1 }
        let identifier = bytes[start..<index]
        guard let first = identifier.first else { throw error("a letter, a digit or a hyphen is expected") }
        let isNumber = identifier.allSatisfy(Self.isDigit)
        if isNumber, !allowsLeadingZero, identifier.count > 1, first == UInt8(ascii: "0") {
            throw error("a number must not begin with 0", at: start)
        }
        return String(decoding: identifier, as: UTF8.self)
    }

    private mutating func skip(_ character: Unicode.Scalar) throws(ValidationError) {
        guard next(character) else { throw error("\"\(character)\" is expected") }
    }

    /// Reads `character` if it is the next one.
    private mutating func next(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private func error(_ expectation: String, at offset: Int? = nil) -> ValidationError {
        let shown = text.count > 100 ? "\(text.prefix(100))…" : text
        return ValidationError(
            ErrorFacts(
                .invalidFormat,
                "\"\(shown)\" is not a version: \(expectation) at position \((offset ?? index) + 1).",
                isRecoverable: true
            )
        )
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isIdentifier(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "-")
    }
}
