// SPDX-License-Identifier: Apache-2.0

extension BaselineFile {
    /// The name of the format, in the member `schema`.
    static let schema = "axiom-bench/baseline"
    /// The version of the format, in the member `schema_version`. A file of a higher version is refused. Unknown members
    /// in a file of this version are kept.
    static let schemaVersion = 1

    /// The members that identify the file; all others are its contents.
    private static let envelope: Set<String> = ["schema", "schema_version", "sha256"]
    /// Lists with one line for each element, so that a difference between two files shows whole runs.
    private static let lines: Set<String> = ["history", "metrics", "runs", "windows", "counters"]

    /// The file as UTF-8 text. The same contents give the same text. The checksum is the last member.
    ///
    /// - Throws: ``ProfileError`` if a number is not finite or the contents are inconsistent.
    package func text() throws(ProfileError) -> String {
        try validate(.invalidValue)
        let json = json
        if let fault = json.numberWithoutDigits { throw ProfileError(.invalidValue, fault.description) }
        guard case .object(let members) = json else { return "" }
        let identity = [
            JSON.Member("schema", .string(Self.schema)),
            JSON.Member("schema_version", .number(String(Self.schemaVersion))),
        ]
        let document = identity + members
        let sum = JSON.Member("sha256", .string(Self.checksum(of: document)))
        return JSONWriter.text(.object(document + [sum]), lines: Self.lines)
    }

    /// Reads the text of a file.
    ///
    /// - Parameter name: The path, for messages.
    /// - Throws: ``ProfileError`` with the code `damagedFile`, `foreignFile`, `newerFile` or `editedFile`.
    package init(bytes: [UInt8], name: String) throws(ProfileError) {
        let members = try Self.document(bytes, name)
        try Self.checkVersion(.object(members), name)
        try Self.checkSum(members, name)
        do {
            self = try BaselineFile(.object(members))
            unknown.members.removeAll { Self.envelope.contains($0.name) }
            try validate(.damagedFile)
        } catch {
            throw ProfileError(
                .damagedFile,
                "\(name) is not a valid baseline: record it again, or restore it from version control",
                cause: Self.reason(error)
            )
        }
    }

    private static func document(_ bytes: [UInt8], _ name: String) throws(ProfileError) -> [JSON.Member] {
        let json: JSON
        do {
            json = try JSON(parsing: bytes)
        } catch {
            throw ProfileError(
                .damagedFile,
                "\(name) is not complete JSON: restore it from version control, or record it again",
                cause: reason(error)
            )
        }
        guard case .object(let members) = json, json["schema"] == .string(schema) else {
            let remedy = "give the path of a file that axiom-bench or --record-profile wrote"
            throw ProfileError(.foreignFile, "\(name) is not a baseline (its schema is not \"\(schema)\"): \(remedy)")
        }
        return members
    }

    private static func checkVersion(_ document: JSON, _ name: String) throws(ProfileError) {
        guard case .number(let digits) = document["schema_version"], let version = Int(digits) else {
            throw ProfileError(.damagedFile, "\(name) does not state its schema version: record it again")
        }
        guard version <= schemaVersion else {
            throw ProfileError(
                .newerFile,
                "\(name) has schema version \(version) and this program knows \(schemaVersion): use a newer program"
            )
        }
        guard version == schemaVersion else {
            throw ProfileError(.damagedFile, "\(name) has schema version \(version), which never was: record it again")
        }
    }

    private static func checkSum(_ document: [JSON.Member], _ name: String) throws(ProfileError) {
        let found = checksum(of: document.filter { $0.name != "sha256" })
        guard JSON.object(document)["sha256"] == .string(found) else {
            throw ProfileError(
                .editedFile,
                "\(name) was edited: its contents do not match its checksum. Restore it, or record and accept it again"
            )
        }
    }

    /// The SHA-256 of the canonical JSON (RFC 8785) of all other members.
    private static func checksum(of members: [JSON.Member]) -> String {
        SHA256Digest.hex(JSONWriter.canonical(.object(members)))
    }

    /// What a reader or a check found, with the path of the value.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as ProfileError: error.message
        case let error as JSONFault: error.description
        case DecodingError.dataCorrupted(let context): context.debugDescription
        default: "\(error)"
        }
    }
}
