// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomDashboard

@Suite("Numbers in the tables")
struct FormatTests {
    @Test(
        "Seconds are shown in the unit that fits after rounding",
        arguments: [
            (0.0, "0 s"), (1e-9, "1 ns"), (999e-9, "999 ns"), (999.6e-9, "1 µs"), (1.5e-6, "1.5 µs"),
            (999.4e-6, "999 µs"), (999.5e-6, "1 ms"), (0.0123456, "12.3 ms"), (0.9994, "999 ms"), (0.9996, "1 s"),
            (1, "1 s"), (59.94, "59.9 s"), (59.96, "1 min"), (90, "1.5 min"), (3_599, "1 h"), (3_600, "1 h"),
            (86_399, "1 d"), (86_400, "1 d"), (86_400 * 1_234.5, "1235 d"), (-0.25, "-250 ms"),
        ] as [(Double, String)]
    )
    func seconds(_ value: Double, _ text: String) {
        #expect(QuantityText.seconds(value) == text)
    }

    @Test("What is no number of seconds is shown as such", arguments: [nil, .nan, .infinity, -.infinity] as [Double?])
    func noSeconds(_ value: Double?) {
        #expect(QuantityText.seconds(value) == "n/a")
        #expect(QuantityText.percentage(value) == "n/a")
    }

    @Test(
        "A share that is not 0 is never shown as 0",
        arguments: [
            (0.0, "0 %"), (1, "100 %"), (0.5, "50 %"), (1.0 / 3, "33.3 %"), (0.0512, "5.12 %"), (0.00025, "0.025 %"),
            (1e-5, "0.001 %"), (1e-9, "< 0.001 %"), (0.9999, "100 %"),
        ] as [(Double, String)]
    )
    func percentages(_ ratio: Double, _ text: String) {
        #expect(QuantityText.percentage(ratio) == text)
    }
}
