// SPDX-License-Identifier: Apache-2.0

@testable import AxiomHTTP

/// The versions of libmicrohttpd with which the server is tested: those of Debian 12, of Debian 13 and of Debian sid.
enum TestedLibrary: Sendable {
    case v0_9_75
    case v1_0_1
    /// It stands for later versions of 1.0, too.
    case v1_0_10

    static let running: TestedLibrary = {
        if MicrohttpdVersion.running < MicrohttpdVersion("1.0") { return .v0_9_75 }
        return MicrohttpdVersion.running <= MicrohttpdVersion("1.0.1") ? .v1_0_1 : .v1_0_10
    }()
}
