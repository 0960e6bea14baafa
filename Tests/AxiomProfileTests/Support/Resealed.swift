// SPDX-License-Identifier: Apache-2.0

@testable import AxiomProfile

/// The text of a file with the checksum that its contents have.
func resealed(_ text: String) throws -> String {
    guard case .object(let members) = try JSONParser.parse(Array(text.utf8)) else { return text }
    let rest = members.filter { $0.name != "sha256" }
    let sum = SHA256.hexDigest(CanonicalJSON.text(.object(rest)).utf8)
    return JSONWriter.text(.object(rest + [JSON.Member("sha256", .string(sum))]), lines: [])
}
