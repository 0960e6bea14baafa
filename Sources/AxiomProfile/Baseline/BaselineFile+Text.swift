// SPDX-License-Identifier: Apache-2.0

extension BaselineFile {
    /// The name of the format, in the member `schema`.
    public static let schema = "axiom-bench/baseline"
    /// The version of the format, in the member `schema_version`. A file of a higher one is refused; members that a
    /// file of this one has beyond the known ones are kept.
    public static let schemaVersion = 1

    /// Lists whose elements are one line each, so that a difference between two files is one of whole runs.
    private static let lines: Set<String> = ["history", "metrics", "runs", "windows", "counters"]

    /// The file as text: UTF-8, the same for the same contents, with the checksum as its last member.
    ///
    /// - Throws: ``ProfileError`` when a number is not finite, or the contents contradict themselves.
    public func text() throws(ProfileError) -> String {
        try validate(.invalidValue)
        guard case .object(let members) = try json(at: "") else { return "" }
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
    /// - Parameters:
    ///   - bytes: The contents.
    ///   - name: What messages call the file: its path.
    /// - Throws: ``ProfileError`` with the code `damagedFile`, `foreignFile`, `newerFile` or `editedFile`.
    public init(bytes: [UInt8], name: String) throws(ProfileError) {
        let document = try Self.document(bytes, name)
        try Self.checkVersion(document, name)
        try Self.checkSum(document, name)
        let own = document.filter { !["schema", "schema_version", "sha256"].contains($0.name) }
        do {
            try self.init(json: .object(own), at: "")
            try validate(.damagedFile)
        } catch {
            throw ProfileError(
                .damagedFile,
                "\(name) is no valid baseline: record it again, or restore it from version control",
                cause: error.message
            )
        }
    }

    private static func document(_ bytes: [UInt8], _ name: String) throws(ProfileError) -> [JSON.Member] {
        let json: JSON
        do {
            json = try JSONParser.parse(bytes)
        } catch {
            throw ProfileError(
                .damagedFile,
                "\(name) is no whole JSON: restore it from version control, or record it again",
                cause: "\(error.problem), at byte \(error.position)"
            )
        }
        guard case .object(let members) = json, json["schema"] == .string(schema) else {
            let remedy = "give the path of a file that axiom-bench or --record-profile wrote"
            throw ProfileError(.foreignFile, "\(name) is no baseline (its schema is not \"\(schema)\"): \(remedy)")
        }
        return members
    }

    private static func checkVersion(_ document: [JSON.Member], _ name: String) throws(ProfileError) {
        let version: Int
        do {
            version = try Int(json: JSON.object(document)["schema_version"] ?? .null, at: "schema_version")
        } catch {
            throw ProfileError(.damagedFile, "\(name) does not tell its version: record it again", cause: error.message)
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
                "\(name) was edited: its contents do not fit its checksum. Restore it, or record and accept it again"
            )
        }
    }

    /// The SHA-256 of the canonical JSON (RFC 8785) of all other members.
    private static func checksum(of members: [JSON.Member]) -> String {
        SHA256.hexDigest(CanonicalJSON.text(.object(members)).utf8)
    }
}
