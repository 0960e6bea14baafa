// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import shop_oracle

@Suite("The command line of the oracle")
struct OracleCommandTests {
    @Test("It has the options of the demo, and by default its breakers refuse calls")
    func options() throws {
        let command = try OracleCommand.parse(["--rate", "5", "--ledger", "/tmp/ledger.json"])
        #expect(command.demo.rate == 5 && command.ledger == "/tmp/ledger.json" && command.breakers == .on)
        #expect(try OracleCommand.parse(["--breakers", "off"]).breakers == .off)
    }

    @Test("The mode off has no breaker rules, and the mode on has those of the clients that use the server")
    func breakers() {
        #expect(BreakerMode.off.rules.isEmpty)
        #expect(BreakerMode.on.rules.count == 4)
    }

    @Test(
        "A wrong option is named, with the allowed values",
        arguments: [
            (["--breakers", "half"], "'on' and 'off'"),
            (["--ledger", ""], "--ledger is empty"),
            (["--rate", "0"], "--rate is 0.0; 0.01 to 100000"),
        ]
    )
    func mistakes(_ arguments: [String], _ complaint: String) {
        let error = #expect(throws: (any Error).self) { try OracleCommand.parse(arguments) }
        #expect(error.map { OracleCommand.fullMessage(for: $0) }?.contains(complaint) == true)
    }
}
