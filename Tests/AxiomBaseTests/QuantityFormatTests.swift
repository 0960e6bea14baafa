// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomBase

@Suite("Numbers for people")
struct QuantityFormatTests {
    @Test(
        "Times have three significant digits in the unit that suits them",
        arguments: [
            (0.0, "0 ns"), (1e-9, "1 ns"), (999e-9, "999 ns"), (999.6e-9, "1 µs"), (12.34e-6, "12.3 µs"),
            (0.008, "8 ms"),
            (0.0099951, "10 ms"), (1, "1 s"), (90, "90 s"), (1_234.4, "1234 s"), (-0.25, "-250 ms"),
        ] as [(Double, String)]
    )
    func times(seconds: Double, text: String) {
        #expect(QuantityFormat.time(seconds) == text)
    }

    @Test(
        "Durations go up to days and round up to the next unit",
        arguments: [
            (0.0, "0 s"), (0.5, "500 ms"), (59.94, "59.9 s"), (59.96, "1 min"), (90, "1.5 min"), (7_200, "2 h"),
            (86_400 * 400, "400 d"),
        ] as [(Double, String)]
    )
    func durations(seconds: Double, text: String) {
        #expect(QuantityFormat.duration(seconds) == text)
    }

    @Test("Sizes use units of 1,024")
    func sizes() {
        #expect(QuantityFormat.size(512) == "512 B")
        #expect(QuantityFormat.size(1_024) == "1 kB")
        #expect(QuantityFormat.size(50 * 1_048_576) == "50 MB")
        #expect(QuantityFormat.size(1_048_576 * 2_000) == "2000 MB")
    }

    @Test("A ratio that is not 0 is not shown as 0, and numbers that are not finite have one text")
    func edges() {
        #expect(QuantityFormat.percentage(0) == "0 %")
        #expect(QuantityFormat.percentage(1e-6) == "< 0.001 %")
        #expect(QuantityFormat.percentage(0.125) == "12.5 %")
        #expect(QuantityFormat.percentage(.nan) == nil)
        #expect(QuantityFormat.duration(.infinity) == nil)
        #expect(QuantityFormat.time(.nan) == "nan")
        #expect(QuantityFormat.number(1_234.4) == "1234")
        #expect(QuantityFormat.number(0.12345) == "0.123")
        #expect(QuantityFormat.number(1e20) == "1e+20")
    }
}
