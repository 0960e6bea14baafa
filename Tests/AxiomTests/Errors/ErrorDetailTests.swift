// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomResilience
import Testing

@Suite("Details of errors")
struct ErrorDetailTests {
    @Test("Severities are ordered, the critical one last (ERR-03)")
    func severities() {
        #expect(ErrorSeverity.allCases.sorted() == [.warning, .nonCritical, .critical])
    }

    @Test("The error of a circuit breaker has the state in which it refused (ERR-03)")
    func states() {
        #expect(CircuitError.open("payments").state == CircuitState.open)
        #expect(CircuitError.forcedOpen("payments").state == CircuitState.forcedOpen)
        #expect(CircuitError.probing("payments").state == CircuitState.halfOpen)
        #expect(CircuitError.probing("payments").breaker == "payments")
    }

    @Test("A code that an application reads from a text is the one that it declared (ERR-03)")
    func codes() {
        let declared: ErrorCode = "SHOP_STOCK_001"
        #expect(ErrorCode(rawValue: "SHOP_STOCK_001") == declared)
    }
}
