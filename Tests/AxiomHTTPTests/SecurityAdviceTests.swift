// SPDX-License-Identifier: Apache-2.0

import AxiomTLS
import Foundation
import Testing

@testable import AxiomHTTP

@Suite("Advice about a configuration")
struct SecurityAdviceTests {
    @Test("A private key that everybody may read is named with the remedy; one of the owner or of a group is not")
    func key() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-key-\(UUID().uuidString).pem")
        try Data("key".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = HTTPServerConfiguration()
        configuration.tls = TLSConfiguration(certificateFile: "/none.pem", keyFile: file.path)
        for (mode, isAdvised) in [(0o600, false), (0o640, false), (0o644, true), (0o604, true), (0o666, true)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            let advice = configuration.securityAdvice
            #expect(advice.contains { $0.contains(file.path) && $0.contains("0600") } == isAdvised, "\(mode)")
        }
        configuration.tls = TLSConfiguration(certificateFile: "/none.pem", keyFile: "/none.key")
        #expect(configuration.securityAdvice.isEmpty)
    }

    @Test("Credentials without TLS are named, unless only this machine reaches the server")
    func clearText() {
        for (host, isAdvised) in [("127.0.0.1", false), ("localhost", false), ("::1", false), ("0.0.0.0", true)] {
            var configuration = HTTPServerConfiguration(host: host, allowedHosts: ["a"])
            #expect(configuration.securityAdvice.isEmpty)
            configuration.authentication = HTTPAuthentication(scrapeToken: "0123456789abcdef")
            let advice = configuration.securityAdvice
            #expect(advice.contains { $0.contains("clear text") } == isAdvised, "\(host)")
            #expect(!advice.contains { $0.contains("0123456789abcdef") })
        }
    }
}
