// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("JSON")
struct JSONTests {
    @Test(
        "Every string reads back as it was, and holds nothing that HTML minds",
        arguments: HostileName.all + ["", "é€𝄞"]
    )
    func strings(_ text: String) throws {
        var json = JSONText()
        json.string(text)
        #expect(try JSONItem(Array("[".utf8) + json.bytes + Array("]".utf8)).list == [.text(text)])
        #expect(!json.bytes.contains(UInt8(ascii: "<")))
        #expect(json.bytes.allSatisfy { $0 >= 0x20 })
    }

    @Test(
        "A clipped text is the beginning of the text, and no longer in JSON than it may be",
        arguments: HostileName.all
    )
    func clipping(_ text: String) {
        for limit in [20, 100, 240, 1_000] {
            var json = JSONText()
            let clipped = text.clipped(limit)
            json.string(clipped)
            #expect(json.count <= limit + 2)
            #expect(clipped == text || text.unicodeScalars.starts(with: clipped.unicodeScalars.dropLast()))
        }
    }

    @Test("A number keeps its digits and no more", arguments: 0..<200 as Range<UInt64>)
    func significant(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let value =
            Double.random(in: -1...1, using: &random)
            * Double(sign: .plus, exponent: Int.random(in: -60...60, using: &random), significand: 1)
        let rounded = value.significant()
        #expect(abs(rounded - value) <= abs(value) * 0.000_51)
        #expect("\(rounded)".count { $0.isNumber && $0 != "0" } <= 8)
    }

    @Test("What JSON cannot say is null", arguments: [Double.nan, .infinity, -.infinity])
    func nulls(_ value: Double) {
        var json = JSONText()
        json.number(value)
        json.number(Float(value))
        RowValue.measured(value).write(to: &json)
        #expect(json.bytes == Array("nullnullnull".utf8))
    }
}
