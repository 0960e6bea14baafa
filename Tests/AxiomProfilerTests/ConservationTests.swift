// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomDashboard
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomInstrumentation
@testable import AxiomProfiler
@testable import AxiomSymbols

/// Names many functions alike: the parts of a function have its name, and of long names only the middle differs.
private final class AmbiguousFunctions: Symbolizing {
    func frames(of sample: RawSample) -> [CodeAddress] {
        sample.frames.enumerated().map { index, offset in
            CodeAddress(module: 1, offset: UInt64(offset), isReturn: index > 0, isGuessed: index > 0 && offset % 5 == 0)
        }
    }

    func locations(of address: CodeAddress) -> [CodeLocation] {
        let offset = Int(address.offset)
        let function =
            switch offset % 3 {
            case 0: "closure 1 in Cart.total(\(offset / 12))"
            case 1: String(repeating: "Outer.", count: 20) + "f\(offset)" + String(repeating: ".g", count: 40)
            default: "closure \(offset) in " + String(repeating: "Outer.", count: 30) + "f"
            }
        return [CodeLocation(function: function, module: "m\(offset % 2)", file: "/a.swift", line: offset)]
    }
}

@Suite("What is sampled is in all formats", .timeLimit(.minutes(10)))
struct ConservationTests {
    /// A profile of the store: samples of threads and of allocations, live blocks and waits.
    private func random(_ generator: inout SeededGenerator) throws -> Profile {
        let fixture = try StoreFixture(symbolizer: AmbiguousFunctions())
        func frames() -> [UInt] { (0...generator.index(below: 5)).map { _ in UInt(1 + generator.index(below: 17)) } }
        for _ in 0..<300 {
            fixture.telemetry.span("outer\(generator.index(below: 2))") {
                fixture.telemetry.span("inner") {
                    fixture.time.advance(by: .milliseconds(generator.index(below: 40)))
                    let span = OperationContext.currentSpan
                    let spans = generator.index(below: 3) == 0 ? [] : [span]
                    let amount = Int64(1 + generator.index(below: 1 << 24))
                    fixture.take(spans, frames(), amount: amount, isAllocation: generator.index(below: 2) == 0)
                }
            }
            fixture.store.tick(lost: 0)
        }
        let live = (0..<50).map { _ in
            StoreFixture.sample([], frames(), amount: Int64(generator.index(below: 1 << 20)))
        }
        return fixture.profile(live: live)
    }

    /// The samples, nanoseconds on a processor and of waiting, and bytes allocated and live.
    private func sums(_ stacks: [Profile.Stack]) -> [Int64] {
        let sum = stacks.reduce(into: Profile.Stack(frames: [])) { $0.add($1) }
        return [Int64(sum.samples), sum.processor, sum.waiting, sum.allocated, sum.live]
    }

    @Test("The samples, nanoseconds and bytes of a profile have one sum in JSON, pprof, collapsed text and speedscope")
    func formats() throws {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        for _ in 0..<TestScale.count(100) {
            let profile = try random(&generator)
            let expected = sums(profile.stacks)
            #expect(expected.allSatisfy { $0 > 0 } && Int(expected[0]) == profile.samples)
            #expect(sums(try Profile(profile.json(), from: "test").stacks) == expected)
            let pprof = try DecodedPprof(ProfileFormat.pprof.file(of: profile, began: 0))
            #expect((0..<5).map { index in Int64(pprof.samples.reduce(0) { $0 + $1.values[index] }) } == expected)
            let text = String(decoding: ProfileFormat.collapsed.file(of: profile, began: 0), as: UTF8.self)
            let counts = text.split(separator: "\n").map { Int64($0.split(separator: " ").last ?? "") ?? 0 }
            #expect(counts.reduce(0, +) == expected[0])
            let speedscope = ProfileFormat.speedscope.file(of: profile, began: 0)
            let json = try JSONSerialization.jsonObject(with: Data(speedscope)) as? [String: Any]
            let weights = (json?["profiles"] as? [[String: Any]])?.map { $0["weights"] as? [Int64] ?? [] } ?? []
            #expect(weights.map { $0.reduce(0, +) } == Array(expected.dropFirst()))
        }
    }

    @Test("No two functions of a table and no two siblings of the tree read the same, in no format")
    func names() throws {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        for _ in 0..<TestScale.count(100) {
            let profile = try random(&generator)
            let read = try Profile(profile.json(), from: "test")
            for one in [profile, read] {
                #expect(one.frames.allSatisfy { $0.name.count <= 120 })
                #expect(Set(one.frames.map { "\($0.title) \($0.module ?? "")" }).count == one.frames.count)
                #expect(Set(one.stacks.map(\.frames)).count == one.stacks.count)
            }
            #expect(Set(read.frames.map(\.title)) == Set(profile.frames.map(\.title)))
            let lines = ProfileTable(profile).text.split(separator: "\n").drop { !$0.hasSuffix("  Function") }
            let functions = lines.dropFirst().map { String($0.dropFirst(42)) }
            #expect(functions.count > 5 && functions.count < 20 && Set(functions).count == functions.count)
            let running = profile.stacks.filter { $0.samples > 0 }.compactMap(\.frames.last).map { profile.frames[$0] }
            #expect(Set(functions) == Set(running.map { "\($0.name)  (\($0.module ?? ""))" }))
        }
    }

    @Test("The parts of a function are one frame with their sum")
    func parts() throws {
        let fixture = try StoreFixture(symbolizer: AmbiguousFunctions())
        // A function and its cold part, then two closures whose names differ in the middle.
        for frame: UInt in [12, 18, 18, 4, 10, 10, 2] { fixture.take([], [frame]) }
        // A forwarder calls the closure; `f4` calls itself.
        fixture.take([], [18, 12])
        fixture.take([], [4, 4])
        fixture.advance(1)
        let counts = fixture.profile().samplesByStack
        #expect(counts.count == 4 && counts["outside of actions;closure 1 in Cart.total(1)"] == 4)
        #expect(counts.filter { $0.key.contains("…") }.values.sorted() == [1, 1, 3])
    }
}
