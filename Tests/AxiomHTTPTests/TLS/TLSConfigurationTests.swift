// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomHTTP
@testable import AxiomTLS

@Suite("The options of TLS", .timeLimit(.minutes(10)))
struct TLSConfigurationTests {
    private static func problem(_ change: (inout TLSConfiguration) -> Void) -> TLSProblem? {
        var tls = TLSConfiguration(certificateFile: "/nowhere/a.pem", keyFile: "/nowhere/a.key")
        change(&tls)
        do throws(TLSProblem) {
            try tls.validate()
            return nil
        } catch {
            return error
        }
    }

    @Test("Options that contradict each other are refused before any file is read")
    func contradictions() {
        let order = Self.problem { ($0.minimumVersion, $0.maximumVersion) = (.tls13, .tls12) }
        #expect(order?.option == .minimumVersion)
        #expect(Self.problem { $0.clientAuthentication = .requireAndVerify }?.option == .clientAuthentication)
        #expect(Self.problem { $0.clientAuthoritiesFile = "/nowhere/ca.pem" }?.option == .clientAuthoritiesFile)
        #expect(Self.problem { $0.allowedClientNames = ["a"] }?.option == .allowedClientNames)
        #expect(Self.problem { $0.curves = ["X25519", "P-256"] }?.option == .curve(1))
        #expect(
            Self.problem { _ in }
                == TLSProblem(.certificateFile, "cannot read /nowhere/a.pem: No such file or directory; check the path")
        )
    }

    @Test("A list of cipher suites becomes exactly these suites, or is refused at the entry that prevents it")
    func suites() throws {
        func text(_ suites: [String], minimum: TLSConfiguration.Version = .tls12) throws -> String {
            var tls = TLSConfiguration(certificateFile: "", keyFile: "")
            (tls.cipherSuites, tls.minimumVersion) = (suites, minimum)
            return try CipherPolicy(tls).text
        }
        let (ecdsa, rsa) = ("TLS_ECDHE_ECDSA_WITH_", "TLS_ECDHE_RSA_WITH_")
        #expect(
            try text([rsa + "AES_256_GCM_SHA384", rsa + "AES_128_CBC_SHA"])
                == "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-RSA:-CIPHER-ALL:+AES-256-GCM:+AES-128-CBC"
                + ":-MAC-ALL:+AEAD:+SHA1:-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:+GROUP-SECP521R1"
                + ":%SERVER_PRECEDENCE"
        )
        for known in CipherPolicy.knownSuites where !["TLS_AES_", "TLS_CHACHA"].contains(where: known.hasPrefix) {
            #expect(try text([known]).contains("VERS-TLS1.2"), "\(known)")
        }
        #expect(try text(["TLS_AES_128_GCM_SHA256"], minimum: .tls13).contains("-CIPHER-ALL:+AES-128-GCM:"))
        #expect(try text([ecdsa + "CHACHA20_POLY1305"]).contains("+CHACHA20-POLY1305:"))
        let refused: [([String], Int, String)] = [
            ([rsa + "AES_128_GCM_SHA256", "TLS_NONSENSE"], 1, "no known cipher suite"),
            (["TLS_RSA_WITH_AES_128_GCM_SHA256"], 0, "forward secrecy"),
            ([rsa + "AES_128_GCM_SHA256", ecdsa + "AES_256_GCM_SHA384"], 1, "implies \(rsa)AES_256_GCM_SHA384"),
            (["TLS_AES_128_GCM_SHA256"], 0, "TLS 1.2"),
        ]
        for (suites, index, words) in refused {
            let error = #expect(throws: TLSProblem.self) { try text(suites) }
            #expect(error?.option == .cipherSuite(index), "\(suites)")
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
        #expect(throws: TLSProblem.self) { try text([rsa + "AES_128_CBC_SHA"], minimum: .tls13) }
    }

    @Test(
        "Files that cannot be used are refused with their path and the remedy",
        .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation))
    )
    func files() async throws {
        let certificates = try await TestCertificates()
        try await certificates.issue("other", usage: "serverAuth")
        try certificates.write("no certificate", to: "text")
        try certificates.write("", to: "empty")
        try await certificates.openssl([
            "pkey", "-in", certificates.path("server.key"), "-aes128", "-passout", "pass:x", "-out",
            certificates.path("locked.key"),
        ])
        func message(_ certificate: String, _ key: String, authorities: String? = nil) -> String {
            var tls = TLSConfiguration(certificateFile: certificates.path(certificate), keyFile: certificates.path(key))
            tls.clientAuthoritiesFile = authorities.map(certificates.path)
            if authorities != nil { tls.clientAuthentication = .requireAndVerify }
            do throws(TLSProblem) {
                try tls.validate()
                return ""
            } catch {
                return error.message.replacing(certificates.folder.path + "/", with: "")
            }
        }
        #expect(message("server.pem", "server.key").isEmpty)
        #expect(
            message("server.pem", "other.key")
                == "the key in other.key is not that of the certificate in server.pem; name the pair that was made together"
        )
        #expect(message("server.pem", "locked.key").hasPrefix("the key in locked.key is encrypted; store it without"))
        #expect(message("text", "server.key").hasPrefix("text has no certificate in PEM format"))
        #expect(message("empty", "server.key").hasPrefix("empty has no certificate in PEM format"))
        #expect(message("server.pem", "text").hasPrefix("text has no private key in PEM format"))
        #expect(message("server.pem", "server.pem").hasPrefix("server.pem has no private key in PEM format"))
        #expect(message("", "server.key").hasSuffix(" is no file of 1 MiB at most; name a file in PEM format"))
        #expect(message("server.pem", "server.key", authorities: "ca.pem").isEmpty)
        #expect(message("server.pem", "server.key", authorities: "text").contains("no certificate of an authority"))
        let error = #expect(throws: HTTPServerError.self) {
            var configuration = HTTPServerConfiguration()
            configuration.tls = TLSConfiguration(certificateFile: "/nowhere", keyFile: "/nowhere")
            try HTTPServer(configuration: configuration, routes: []).start()
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("tls: cannot read /nowhere: No such file") == true)
    }
}
