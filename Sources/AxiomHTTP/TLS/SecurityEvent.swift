// SPDX-License-Identifier: Apache-2.0

/// What a server reports of its TLS and of the credentials of its clients. No event has a secret in it.
package enum SecurityEvent: Sendable, Hashable {
    /// Files of certificates were read again and are in use. The certificate of the server expires at this time, in seconds
    /// since 1970.
    case certificatesReloaded(expiry: Int)
    /// Files of certificates cannot be used; the last good ones stay. The cause and the remedy.
    case reloadFailed(String)
    /// The certificate of a client was refused. The address and the cause.
    case clientCertificateRefused(String)
    /// A connection ended before its handshake did.
    case handshakeFailed
    /// A request without credentials, or with wrong ones, was answered 401.
    case credentialsRefused
}
