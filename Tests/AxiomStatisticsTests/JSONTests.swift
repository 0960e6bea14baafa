// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@testable import AxiomStatistics

@Suite("JSON, its canonical form and its checksum")
struct JSONTests {
    @Test("SHA-256 gives the digests of FIPS 180-4 and of the examples of NIST")
    func digests() {
        let vectors = [
            "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq":
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu":
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
        ]
        for (text, digest) in vectors { #expect(SHA256Digest.hex(text) == digest) }
        let million = String(repeating: "a", count: 1_000_000)
        #expect(
            SHA256Digest.hex(million) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        )
        for (count, start) in [(55, "9f4390f8"), (56, "b35439a4"), (64, "ffe054fe")] {
            let text = String(repeating: "a", count: count)
            #expect(SHA256Digest.hex(text).hasPrefix(start), "\(count) bytes")
        }
    }

    @Test("The canonical form is that of RFC 8785's example")
    func canonical() throws {
        let text = #"""
            { "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false] }
            """#
        let expected =
            #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"#
            + "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
        #expect(JSONWriter.canonical(try JSON(parsing: Array(text.utf8))) == expected)
    }

    @Test("Numbers are printed as RFC 8785's appendix B lists them")
    func numbers() {
        let samples: [UInt64: String] = [
            0x0000_0000_0000_0000: "0", 0x8000_0000_0000_0000: "0", 0x0000_0000_0000_0001: "5e-324",
            0x7fef_ffff_ffff_ffff: "1.7976931348623157e+308", 0x4340_0000_0000_0000: "9007199254740992",
            0x4430_0000_0000_0000: "295147905179352830000", 0x44b5_2d02_c7e1_4af5: "9.999999999999997e+22",
            0x44b5_2d02_c7e1_4af6: "1e+23", 0x444b_1ae4_d6e2_ef4e: "999999999999999700000",
            0x444b_1ae4_d6e2_ef50: "1e+21", 0x3eb0_c6f7_a0b5_ed8c: "9.999999999999997e-7",
            0x3eb0_c6f7_a0b5_ed8d: "0.000001", 0x41b3_de43_5555_5553: "333333333.3333332",
            0xbecb_f647_612f_3696: "-0.0000033333333333333333", 0x4314_3ff3_c1cb_0959: "1424953923781206.2",
        ]
        for (bits, text) in samples { #expect(JSONWriter.digits(Double(bitPattern: bits)) == text) }
    }

    @Test("A value survives being written and read, with all digits of its numbers")
    func roundTrip() throws {
        let text = #"""
            {"a":[{},[],"\u0000\ud83d\ude00",{"runs":[{"x":[1,2]},{"x":[3]}]}],"e":-0E+2,"h":0.1,
             "i":18446744073709551615,"j":-9223372036854775808,"k":1e300,"n":null,"t":true,"z":1.50}
            """#
        let json = try JSON(parsing: Array(text.utf8))
        let written = JSONWriter.text(json, lines: ["runs"])
        #expect(try JSON(parsing: Array(written.utf8)) == json)
        for part in ["18446744073709551615", "-9223372036854775808", "1e+300", "\"z\": 1.5\n", "\"e\": 0,", "true"] {
            #expect(written.contains(part), "\(part) in \(written)")
        }
        #expect(written.contains("\n        {\"x\": [1, 2]},\n"), "\(written)")
    }

    @Test(
        "Text that is not JSON is refused",
        arguments: [
            "", "{", "[,1]", "{\"a\":}", "01", "1.", "+1", "1e", "1e999", "nul", "\"\\x\"",
            "\"a",
            "\"\\ud800\"", "[1] 2", "\"\u{1}\"", "{a:1}", "NaN", String(repeating: "[", count: 100_000),
            String(repeating: "[", count: 80) + String(repeating: "]", count: 80),
        ]
    )
    func refused(text: String) {
        #expect(throws: DecodingError.self) { try JSON(parsing: Array(text.utf8)) }
    }

    @Test("Text that is not UTF-8 is refused")
    func encoding() {
        #expect(throws: DecodingError.self) { try JSON(parsing: [0x22, 0xff, 0x22]) }
    }

    @Test("Of two members with one name both the checksum and the reader take the same one")
    func repeatedMember() throws {
        let text = try BaselineFile.sample().text()
        let values = ["\"name\": \"first\", ", "\"name\": \"second\", "]
        for doubled in ["\"schema\": \"x\", "] + values {
            for position in ["\"schema\":", "\"history\":", "\"sha256\":"] {
                let edited = text.replacingOccurrences(of: position, with: doubled + position)
                guard let read = try? BaselineFile(bytes: Array(edited.utf8), name: "x") else { continue }
                #expect(try read.text() == text)
            }
        }
    }

    @Test("Names have one order, also those that the order of strings leaves undecided")
    func undecidedNames() throws {
        let names = ["\u{E9}+", "e\u{301}", "e+"]
        let texts = try [names, names.reversed()].map { names in
            let members = names.map { "\"\($0)\":1" }.joined(separator: ",")
            return JSONWriter.text(try JSON(parsing: Array("{\(members)}".utf8)), lines: [])
        }
        #expect(texts[0].utf8.elementsEqual(texts[1].utf8), "\(texts)")
    }

    @Test("No cut and no changed byte of a file makes the reader trap")
    func hostile() throws {
        let text = Array(try BaselineFile.sample().text().utf8)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var bytes = text
            bytes[generator.index(below: bytes.count)] = UInt8(generator.index(below: 256))
            if generator.index(below: 2) == 0 { bytes.removeLast(generator.index(below: bytes.count)) }
            guard bytes != text else { continue }
            if let read = try? BaselineFile(bytes: bytes, name: "x") {
                // Only what lies between values may change unnoticed.
                #expect(try Array(read.text().utf8) == text)
            }
        }
    }
}
