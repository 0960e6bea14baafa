// SPDX-License-Identifier: Apache-2.0

@testable import AxiomProfile

/// The text of a file with the checksum that its contents have.
func resealed(_ text: String) throws -> String {
    guard case .object(let members) = try JSON(parsing: Array(text.utf8)) else { return text }
    let rest = members.filter { $0.name != "sha256" }
    let sum = SHA256Digest.hex(CanonicalJSON.text(.object(rest)))
    return JSONWriter.text(.object(rest + [JSON.Member("sha256", .string(sum))]), lines: [])
}
