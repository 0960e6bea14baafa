// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomProfiler

/// Profiles of which the tests know everything.
private enum Planted {
    static let began = 1_700_000_000.25

    static func frame(
        _ kind: Profile.Frame.Kind,
        _ name: String,
        _ module: String? = nil,
        _ line: Int? = nil
    ) -> Profile.Frame {
        var frame = Profile.Frame(kind, name)
        (frame.module, frame.line, frame.file) = (module, line, line == nil ? nil : "/src/Cart.swift")
        return frame
    }

    /// A context that calls a client, which parses and waits for a pool, and work outside of actions.
    static var shop: Profile {
        var profile = Profile(
            start: Instant(nanoseconds: 5_000_000_000),
            end: Instant(nanoseconds: 65_000_000_000),
            rate: 97
        )
        profile.frames = [
            frame(.context, "ShopContext.open"), frame(.client, "Cart.add"),
            frame(.function, "closure #1 (Swift.Int) -> () in parse<A>(_: A)", "shop", 12),
            frame(.function, "memcpy", "libc.so.6"), frame(.wait, "pool"), frame(.outside, "outside of actions"),
        ]
        profile.frames[3].isGuessed = true
        for (frames, samples, waiting) in [
            ([0, 1, 2], 60, 0), ([0, 1, 2, 3], 30, 0), ([0, 1, 4], 0, 7), ([5, 3], 10, 0),
        ] {
            var stack = Profile.Stack(frames: frames)
            stack.samples = samples
            stack.processor = Int64(samples) * 10_309_278
            stack.waiting = Int64(waiting) * 1_000_000_000
            profile.stacks.append(stack)
        }
        (profile.samples, profile.outside) = (100, 10)
        return profile
    }

    /// Any frames and stacks, with names that try to be something else.
    static func random(_ random: inout SplitMix64) -> Profile {
        var profile = Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 1_000), rate: 97)
        profile.hasAllocations = Bool.random(using: &random)
        let names = [
            "", ";", "a;b", "a\nb", "a\r\n1", "a 7", "\"\\", "</script>", "漢\u{202E}é",
            String(repeating: "x", count: 400),
        ]
        for number in 0..<Int.random(in: 1...40, using: &random) {
            let kind = Profile.Frame.Kind.allCases.randomElement(using: &random)!
            let module = Bool.random(using: &random) ? nil : "m\(number % 3)"
            profile.frames.append(
                frame(kind, names.randomElement(using: &random)!, module, number % 2 == 0 ? number : nil)
            )
        }
        for _ in 0..<Int.random(in: 0...60, using: &random) {
            let depth = Int.random(in: 1...20, using: &random)
            let frames = (0..<depth).map { _ in profile.frames.indices.randomElement(using: &random)! }
            var stack = Profile.Stack(frames: frames)
            stack.samples = Int.random(in: 0...3, using: &random)
            stack.processor = Int64.random(in: 0...(1 << 40), using: &random)
            stack.waiting = Int64.random(in: 0...2, using: &random)
            stack.allocated = Int64.random(in: 0...(1 << 45), using: &random)
            stack.live = Int64.random(in: 0...1, using: &random)
            profile.stacks.append(stack)
        }
        return profile
    }
}

/// A reader of pprof's message that the tests have of their own. It refuses what pprof refuses.
struct DecodedPprof {
    struct Invalid: Error {
        let what: String
    }

    struct Message {
        private(set) var numbers: [Int: [UInt64]] = [:]
        private(set) var parts: [Int: [[UInt8]]] = [:]

        init(_ bytes: [UInt8]) throws {
            var rest = bytes[...]
            while !rest.isEmpty {
                let key = try Self.varint(&rest)
                switch key & 7 {
                case 0: numbers[Int(key >> 3), default: []].append(try Self.varint(&rest))
                case 2:
                    let count = Int(try Self.varint(&rest))
                    guard count <= rest.count else { throw Invalid(what: "a part is cut") }
                    parts[Int(key >> 3), default: []].append(Array(rest.prefix(count)))
                    rest = rest.dropFirst(count)
                default: throw Invalid(what: "wire type \(key & 7)")
                }
            }
        }

        static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard let byte = rest.popFirst() else { throw Invalid(what: "a varint is cut") }
                value |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { return value }
            }
            throw Invalid(what: "a varint is long")
        }

        func number(_ field: Int) -> Int { Int(truncatingIfNeeded: numbers[field]?.last ?? 0) }

        func messages(_ field: Int) throws -> [Message] { try (parts[field] ?? []).map { try Message($0) } }

        func packed(_ field: Int) throws -> [Int] {
            var rest = (parts[field] ?? []).flatMap { $0 }[...]
            var values: [Int] = []
            while !rest.isEmpty { values.append(Int(truncatingIfNeeded: try Self.varint(&rest))) }
            return values
        }
    }

    struct Place {
        let name, file, module: String
        let line: Int
    }

    struct Sample {
        /// The root first.
        let stack: [Place]
        let values: [Int]
        let labels: [String: String]
    }

    let head: Message
    let texts: [String]
    private(set) var types: [String] = []
    private(set) var samples: [Sample] = []

    init(_ bytes: [UInt8]) throws {
        head = try Message(bytes)
        texts = try (head.parts[6] ?? []).map { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { throw Invalid(what: "a text is no UTF-8") }
            return text
        }
        guard texts.first == "", Set(texts).count == texts.count else { throw Invalid(what: "the texts") }
        types = try head.messages(1).map { try "\(text($0, 1))/\(text($0, 2))" }
        let modules = try table(3)
        guard modules.values.allSatisfy({ module in (7...10).allSatisfy { module.number($0) == 1 } }) else {
            throw Invalid(what: "a module that pprof would look for")
        }
        let (places, functions) = (try table(4), try table(5))
        samples = try head.messages(2).map { sample in
            let stack = try sample.packed(1).reversed().map { id in
                guard let place = places[id], let line = try place.messages(4).first,
                    let function = functions[line.number(1)]
                else { throw Invalid(what: "a sample without its place or function") }
                let module = modules[place.number(2)]
                guard place.number(2) == 0 || module != nil, function.number(3) == 0 else {
                    throw Invalid(what: "a module")
                }
                return Place(
                    name: try text(function, 2),
                    file: try text(function, 4),
                    module: try module.map { try text($0, 5) } ?? "",
                    line: line.number(2)
                )
            }
            let labels = try sample.messages(3).map { (try text($0, 1), try text($0, 2)) }
            let values = try sample.packed(2)
            guard values.count == types.count else { throw Invalid(what: "a sample with too few values") }
            return Sample(stack: stack, values: values, labels: Dictionary(uniqueKeysWithValues: labels))
        }
    }

    /// The modules in the order of the file.
    var modules: [String] { get throws { try head.messages(3).map { try text($0, 5) } } }

    func text(_ message: Message, _ field: Int) throws -> String {
        guard texts.indices.contains(message.number(field)) else { throw Invalid(what: "a text is missing") }
        return texts[message.number(field)]
    }

    /// Messages by their id, which is not 0 and theirs alone.
    private func table(_ field: Int) throws -> [Int: Message] {
        let messages = try head.messages(field).map { ($0.number(1), $0) }
        let table = Dictionary(messages) { first, _ in first }
        guard table.count == messages.count, table[0] == nil else { throw Invalid(what: "ids of \(field)") }
        return table
    }
}

@Suite("The formats of a profile", .timeLimit(.minutes(10)))
struct FormatTests {
    @Test("pprof: the stack begins with the path, the sample has its action, and the head says what was measured when")
    func pprof() throws {
        let file = try DecodedPprof(ProfileFormat.pprof.file(of: Planted.shop, began: Planted.began))
        #expect(file.types == ["samples/count", "cpu/nanoseconds", "waiting/nanoseconds"])
        #expect(try file.text(file.head, 14) == "cpu")
        #expect(file.head.number(9) == 1_700_000_000_250_000_000)
        #expect(file.head.number(10) == 60_000_000_000 && file.head.number(12) == 10_309_278)
        let sample = try #require(file.samples.first { $0.stack.count == 4 })
        #expect(
            sample.stack.map(\.name) == [
                "ShopContext.open", "Cart.add", "closure #1 (Swift.Int) -> () in parse<A>(_: A)", "memcpy [probable]",
            ]
        )
        #expect(sample.stack.map(\.module) == ["", "", "shop", "libc.so.6"])
        #expect(sample.stack[2].file == "/src/Cart.swift" && sample.stack[2].line == 12)
        #expect(sample.values == [30, 309_278_340, 0])
        #expect(sample.labels == ["action": "Cart.add", "component": "Cart"])
        let waits = try #require(file.samples.first { $0.values[2] > 0 })
        #expect(waits.stack.last?.name == "[waits: pool]" && waits.values == [0, 0, 7_000_000_000])
        let outside = try #require(file.samples.first { $0.stack.first?.name == "[outside of actions]" })
        #expect(outside.labels == [:])
        // Readers take the first module for the program.
        var libraryFirst = Planted.shop
        libraryFirst.frames.swapAt(2, 3)
        let modules = try DecodedPprof(ProfileFormat.pprof.file(of: libraryFirst, began: 0)).modules
        #expect(modules == ["shop", "libc.so.6"])
    }

    @Test("The file of a profile without samples says so")
    func empty() {
        var profile = Planted.shop
        profile.stacks = []
        #expect(ProfileFormat.collapsed.file(of: profile, began: 0) == Array("[nothing was sampled] 0\n".utf8))
        let speedscope = String(decoding: ProfileFormat.speedscope.file(of: profile, began: 0), as: UTF8.self)
        #expect(speedscope.contains("\"name\":\"Empty profile of 1970-01-01T00:00:00Z\""))
    }

    @Test("Collapsed text has a line for each stack with samples, the root first")
    func collapsed() {
        let text = String(decoding: ProfileFormat.collapsed.file(of: Planted.shop, began: 0), as: UTF8.self)
        #expect(
            text == """
                ShopContext.open;Cart.add;closure #1 (Swift.Int) -> () in parse<A>(_: A) 60
                ShopContext.open;Cart.add;closure #1 (Swift.Int) -> () in parse<A>(_: A);memcpy [probable] 30
                [outside of actions];memcpy [probable] 10

                """
        )
    }

    /// Checks a document against the rules of speedscope's schema.
    private func checkSpeedscope(_ bytes: [UInt8], _ profile: Profile) throws {
        let file = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(Set(file.keys) == ["$schema", "exporter", "name", "activeProfileIndex", "shared", "profiles"])
        #expect(file["$schema"] as? String == "https://www.speedscope.app/file-format-schema.json")
        let shared = try #require(file["shared"] as? [String: Any])
        let frames = try #require(shared["frames"] as? [[String: Any]])
        #expect(frames.count == profile.frames.count)
        for frame in frames {
            #expect(frame["name"] is String && Set(frame.keys).isSubset(of: ["name", "file", "line"]))
            #expect(frame["file"].map { $0 is String } ?? true && frame["line"].map { $0 is Int } ?? true)
        }
        let profiles = try #require(file["profiles"] as? [[String: Any]])
        #expect(profiles.count == (profile.hasAllocations ? 4 : 2))
        for (found, measure) in zip(profiles, profile.measures) {
            #expect(Set(found.keys) == ["type", "name", "unit", "startValue", "endValue", "samples", "weights"])
            #expect(found["type"] as? String == "sampled" && found["name"] as? String == measure.name)
            let unit = try #require(found["unit"] as? String)
            #expect(["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"].contains(unit))
            let samples = try #require(found["samples"] as? [[Int]])
            let weights = try #require(found["weights"] as? [Int64])
            #expect(samples.count == weights.count && samples.joined().allSatisfy { frames.indices.contains($0) })
            #expect(found["startValue"] as? Int == 0 && found["endValue"] as? Int64 == weights.reduce(0, +))
            #expect(weights.reduce(0, +) == profile.stacks.reduce(0) { $0 + measure.value($1) })
        }
    }

    @Test("speedscope: a profile of samples for each value, as its schema demands")
    func speedscope() throws {
        try checkSpeedscope(ProfileFormat.speedscope.file(of: Planted.shop, began: Planted.began), Planted.shop)
    }

    @Test("Nothing is lost or added in any format, whatever the names are; a profile without stacks is a file too")
    func conservation() throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<TestScale.count(2_000) {
            let profile = Planted.random(&random)
            let pprof = try DecodedPprof(ProfileFormat.pprof.file(of: profile, began: Planted.began))
            #expect(
                pprof.samples.count == profile.stacks.count && pprof.types.count == (profile.hasAllocations ? 5 : 3)
            )
            for (sample, stack) in zip(pprof.samples, profile.stacks) {
                #expect(sample.stack.map(\.name) == stack.frames.map { profile.frames[$0].title })
                #expect(sample.stack.map(\.module) == stack.frames.map { profile.frames[$0].module ?? "" })
                let bytes = profile.hasAllocations ? [stack.allocated, stack.live] : []
                #expect(
                    sample.values == ([Int64(stack.samples), stack.processor, stack.waiting] + bytes).map { Int($0) }
                )
                let operation = stack.frames.last { profile.frames[$0].isOperation }.map { profile.frames[$0].name }
                #expect(sample.labels["action"] == operation)
            }
            try checkSpeedscope(ProfileFormat.speedscope.file(of: profile, began: 0), profile)
            let text = String(decoding: ProfileFormat.collapsed.file(of: profile, began: 0), as: UTF8.self)
            let lines = text.split(whereSeparator: \.isNewline).map {
                $0.split(separator: " ", omittingEmptySubsequences: false)
            }
            #expect(text.hasSuffix("\n"))
            #expect(lines.allSatisfy { $0.count >= 2 })
            let sum = lines.reduce(0) { $0 + (Int($1.last ?? "") ?? -1_000) }
            #expect(sum == profile.stacks.reduce(0) { $0 + $1.samples })
        }
    }
}
