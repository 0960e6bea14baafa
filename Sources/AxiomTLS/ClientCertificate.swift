// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import CGnuTLS
internal import Foundation

/// The certificate that a client showed in a handshake.
enum ClientCertificate {
    /// Why the certificate is refused; nil if it is valid and has an allowed name, or if none was shown and none is needed.
    static func refusal(in session: gnutls_session_t, _ configuration: TLSConfiguration) -> String? {
        guard let own = first(in: session) else {
            return configuration.clientAuthentication == .requireAndVerify ? "there is none" : nil
        }
        var status = CUnsignedInt(0)
        let code = axiom_tls_verify_client(session, &status)
        guard code == 0 else { return gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)" }
        if status != 0 { return explanation(status) }
        guard !configuration.allowedClientNames.isEmpty else { return nil }
        let names = names(own)
        if names.contains(where: configuration.allowedClientNames.contains) { return nil }
        return names.isEmpty
            ? "it has no subject alternative name"
            : "none of its names is allowed: \(names.joined(separator: ", "))"
    }

    private static func first(in session: gnutls_session_t) -> gnutls_datum_t? {
        var count = CUnsignedInt(0)
        guard let list = gnutls_certificate_get_peers(session, &count), count > 0 else { return nil }
        return list[0]
    }

    private static func explanation(_ status: CUnsignedInt) -> String {
        var text = gnutls_datum_t()
        guard gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) == 0, let data = text.data
        else { return "it is not valid (status \(status))" }
        defer { axiom_gnutls_free(data) }
        return String(decoding: UnsafeBufferPointer(start: data, count: Int(text.size)), as: UTF8.self)
            .split(whereSeparator: { "\0 ".contains($0) || $0.isNewline }).joined(separator: " ")
    }

    /// The DNS names, addresses, e-mail addresses and URIs of a certificate in DER format.
    private static func names(_ certificate: gnutls_datum_t) -> [String] {
        var made: gnutls_x509_crt_t?
        guard gnutls_x509_crt_init(&made) == 0, let made else { return [] }
        defer { gnutls_x509_crt_deinit(made) }
        var datum = certificate
        guard gnutls_x509_crt_import(made, &datum, GNUTLS_X509_FMT_DER) == 0 else { return [] }
        var names: [String] = []
        var buffer = [UInt8](repeating: 0, count: 1_024)
        // A certificate of a hostile client may have thousands; the first hundred are looked at.
        for index in 0..<CUnsignedInt(100) {
            var size = buffer.count
            let type = gnutls_x509_crt_get_subject_alt_name(made, index, &buffer, &size, nil)
            if type == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { break }
            guard type >= 0, let name = name(CUnsignedInt(type), buffer.prefix(size)) else { continue }
            names.append(name)
        }
        return names
    }

    private static func name(_ type: CUnsignedInt, _ bytes: ArraySlice<UInt8>) -> String? {
        switch type {
        case GNUTLS_SAN_DNSNAME.rawValue, GNUTLS_SAN_RFC822NAME.rawValue, GNUTLS_SAN_URI.rawValue:
            // A zero or a line feed within a name is an attempt to deceive.
            bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? String(decoding: bytes, as: UTF8.self) : nil
        case GNUTLS_SAN_IPADDRESS.rawValue: address(Array(bytes))
        default: nil
        }
    }

    private static func address(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
