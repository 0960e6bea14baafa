// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// A real Pushgateway at a free port of this machine.
final class PushgatewayServer: Sendable {
    let url: String
    private let program: RunningProgram

    init(port: Int = 0) async throws {
        program = try ExternalTool.pushgateway.start([
            "--web.listen-address=127.0.0.1:\(port)", "--log.level=info", "--web.enable-lifecycle",
        ])
        // level=info msg="Listening on" address=127.0.0.1:43021, or listen_address in earlier versions, which show the port
        // that was asked for.
        let address = try await program.firstLine("its address") { line in
            line.firstMatch(of: /msg="Listening on".*?address=(\S+)/).map { String($0.1) }
        }
        url = "http://\(address)"
        try await Loopback.wait(for: "the Pushgateway") { [url] in
            try await Loopback.text("\(url)/-/ready").contains("OK")
        }
    }

    deinit {
        program.signal(SIGKILL)
    }

    func kill() async {
        program.signal(SIGKILL)
        _ = await program.exitCode()
    }

    /// The page that Prometheus would scrape, as the reference parser reads it.
    func page() async throws -> String { try await Loopback.text("\(url)/metrics") }
}
