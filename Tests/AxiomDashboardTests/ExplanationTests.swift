// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("Why calls are slow", .timeLimit(.minutes(10)))
struct ExplanationTests {
    private typealias Call = RecordedCalls.Call

    private enum Fault: Error { case timeout }

    /// Calls every 20 ms with durations around 5 ms that differ by some percent, of which each one with a chance of `share` is
    /// changed.
    private static func calls(
        _ count: Int = 400,
        seed: UInt64,
        share: Double = 0.1,
        _ change: (inout Call) -> Void = { _ in }
    ) -> [Call] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            var call = Call(at: Double(number) * 20, own: 4 + 2 * random.unit())
            (call.caller, call.instance) = (random.index(below: 3), 1 + UInt64(random.index(below: 4)))
            (call.gateway, call.vault) = (0.5 + 0.2 * random.unit(), 0.3 + 0.2 * random.unit())
            if random.unit() < share { change(&call) }
            return call
        }
    }

    /// Each kind of cause: how it changes a call, and how it is named.
    private static let causes: [(change: @Sendable (inout Call) -> Void, feature: String, says: String)] = [
        ({ $0.gateway = 40 }, "part", "in Gateway.fetch instead of"),
        ({ $0.vault = 30 }, "part", "in Vault.key instead of 400 µs, called by Gateway.fetch"),
        ({ $0.retries = [10, 12, 14] }, "retries", "3 retries of Gateway.fetch instead of 0"),
        ({ $0.wait = 25 }, "wait", "25 ms of waiting for the main actor instead of 0 s"),
        ({ $0.pool = 25 }, "wait", "25 ms of waiting for pool reports instead of 0 s"),
        ({ $0.cache = 30 }, "part", "in Cache.get instead of 0 s, 1 calls instead of 0"),
        ({ ($0.own, $0.error) = (60, Fault.timeout) }, "error", "calls with the error timeout take 6"),
    ]

    @Test("A planted cause is named first, with its numbers and a trace", arguments: 0..<causes.count, 1...3)
    func planted(_ number: Int, _ seed: Int) throws {
        let (change, feature, says) = Self.causes[number]
        let found = try RecordedCalls(Self.calls(seed: UInt64(seed), change)).explanation
        let cause = try #require(found.causes.first, "\(found)")
        #expect(cause.feature == feature && cause.says.contains(Self.stable(says)), "\(cause.says)")
        #expect(cause.share > 0.85 && cause.q <= 0.01 && cause.trace != nil && cause.slow > cause.ordinary)
        #expect(found.says == cause.text && found.says.contains(" % of the excess: "))
    }

    /// A text up to a number that the seed changes.
    private static func stable(_ says: String) -> String {
        says.split(separator: "400 µs").first.map(String.init) ?? says
    }

    @Test("A caller, an instance, a crowd and a time are named", arguments: 1...3)
    func properties(_ seed: Int) throws {
        func first(_ change: (inout Call, Int) -> Void, ofEach number: Int = 400) throws -> String {
            var calls = Self.calls(seed: UInt64(seed))
            for index in calls.indices { change(&calls[index], index) }
            return try RecordedCalls(calls).explanation.causes.first.map { "\($0.feature): \($0.says)" } ?? "nothing"
        }
        #expect(
            try first { call, _ in if call.caller == 1 { call.own += 30 } }.hasPrefix("caller: calls by Screen1 take 3")
        )
        #expect(
            try first { call, _ in if call.instance == 3 { call.own += 30 } }.hasPrefix(
                "instance: calls of instance 3 take 3"
            )
        )
        #expect(try first { if $1 >= 300 { $0.own += 30 } }.hasPrefix("time: calls since "))
        #expect(try first { if (100..<150).contains($1) { $0.own += 30 } }.hasPrefix("time: calls from "))
        // Each tenth moment five calls come together, and each one takes longer because of those before it.
        let crowd = try first { call, index in
            guard index % 50 < 5 else { return }
            call.at = Double(index - index % 50) * 20 + Double(index % 50) / 10
            call.own += 15 * Double(index % 50)
        }
        #expect(crowd.hasPrefix("in flight: calls that begin while "))
    }

    @Test("Two causes at once are both named")
    func two() throws {
        var calls = Self.calls(seed: 9, share: 0.08) { $0.gateway = 40 }
        for index in calls.indices where calls[index].instance == 2 { calls[index].own += 20 }
        let found = try RecordedCalls(calls).explanation
        #expect(Set(found.causes.map(\.feature)) == ["instance", "part"], "\(found.causes)")
        #expect(found.causes.reduce(0) { $0 + $1.share } < 1.1)
    }

    @Test(
        "Durations with a heavy tail and labels that mean nothing have no cause; nor has a moment when everything is slower"
    )
    func healthy() throws {
        var named: [Int] = []
        for seed in 0..<60 {
            var random = SeededGenerator(seed: UInt64(seed), stream: 5)
            var calls = Self.calls(60 + random.index(below: 500), seed: UInt64(seed))
            for index in calls.indices {
                calls[index].own *= pow(1 - random.unit(), -1 / 1.6)
                if random.unit() < 0.6 { calls[index].instance = 1 + UInt64(calls[index].caller) }
                guard seed % 2 == 0, random.unit() < 0.06 else { continue }
                calls[index].own *= 4
                calls[index].gateway = 4 * (calls[index].gateway ?? 0)
                calls[index].vault *= 4
            }
            let found = try RecordedCalls(calls).explanation
            if !found.causes.isEmpty { named.append(seed) }
            #expect(!found.says.isEmpty)
        }
        #expect(named.count <= 1, "seeds \(named)")
    }

    @Test("If all parts become slower alike, none is accused, and the own work is")
    func alike() throws {
        let calls = Self.calls(seed: 4) { call in
            (call.own, call.gateway, call.vault) = (call.own * 6, call.gateway.map { $0 * 60 }, call.vault * 6)
        }
        // Gateway grew tenfold more than the rest.
        #expect(try RecordedCalls(calls).explanation.causes.first?.feature == "part")
        let even = Self.calls(seed: 4) { call in
            (call.own, call.gateway, call.vault) = (call.own * 6, call.gateway.map { $0 * 6 }, call.vault * 6)
        }
        let found = try RecordedCalls(even).explanation
        #expect(found.causes.isEmpty && found.own > 0.7)
        #expect(
            found.says.hasPrefix("Nothing explains it. 8")
                && found.says.contains("own work. Compared: time in Gateway, ")
        )
    }

    @Test("Of steps at the same time, the one that ends last is waited for")
    func parallel() throws {
        let calls = Self.calls(seed: 5).map { call in
            var call = call
            call.cache = 0.2
            return call
        }
        var slow = calls
        for index in slow.indices where index % 9 == 0 { (slow[index].cache, slow[index].gateway) = (20, 80) }
        let found = try RecordedCalls(slow).explanation
        #expect(
            found.causes.map(\.says).first?.contains("Gateway.fetch") == true && found.causes.count == 1,
            "\(found.causes)"
        )
    }

    @Test("Nothing, one call, and equal calls have a sentence and no cause")
    func few() throws {
        let none = try RecordedCalls([]).explanation
        #expect(none.says == "Too few calls: 0 are known with all that they caused, and 30 are needed.")
        let one = try RecordedCalls([Call(at: 0)]).explanation
        #expect(one.causes.isEmpty && one.spans == 1 && one.says.hasPrefix("Too few calls: 1 "))
        for own in [0.0, 5] {
            let equal = try RecordedCalls((0..<100).map { Call(at: Double($0) * 10, own: own) }).explanation
            #expect(equal.says == "No call is much slower than the others." && equal.causes.isEmpty)
        }
    }

    @Test("5,000 of more calls are compared, in bounded time, and the answer is small")
    func many() throws {
        let calls = try RecordedCalls(Self.calls(6_000, seed: 8) { $0.gateway = 40 })
        let clock = ContinuousClock()
        var answer: [String: JSONItem] = [:]
        let time = try clock.measure { answer = try calls.answer() }
        #expect(answer["spans"] == .value(5_000))
        #expect(time < .seconds(30), "a debug build, on a machine with other work")
        #expect(try calls.dashboard.explanation(of: "Trips", nil).count < 8_000)
    }

    @Test("The answer names what was asked for, and unknown names are refused")
    func endpoint() throws {
        let calls = try RecordedCalls(Self.calls(seed: 2) { $0.gateway = 40 })
        let answer = try calls.answer("Trips", action: "load")
        #expect(answer["schema"] == .text("axiom/explanation") && answer["action"] == .text("load"))
        // The default budget of a client's action is 5 ms, which half of the calls exceed.
        #expect(answer["slow"]?.number ?? 0 > 30 && answer["threshold"]?.number ?? 0 >= 0.005)
        let cause = try #require(answer["causes"]?.list.first?.object)
        #expect(cause["feature"] == .text("part") && cause["trace"]?.string?.count == 32)
        #expect(try calls.answer("Gateway")["causes"]?.list.isEmpty == true, "it is its own work")
        let unknown: [(String, String?, String)] = [
            ("", nil, "component"), ("Trip", nil, "component"), ("Trips", "store", "action"),
        ]
        for (component, action, parameter) in unknown {
            let error = #expect(throws: QueryError.self) { _ = try calls.answer(component, action: action) }
            #expect(error?.parameter == parameter)
        }
        let off = try Dashboard(telemetry: Telemetry(flightRecorder: .off))
        #expect(throws: QueryError.self) { _ = try off.explanation(of: "Trips", nil) }
    }

    private static let python = ExternalTool.schemaPython

    @Test(
        "Answers fit the schema, also with names that try to be something else",
        .enabled(if: python.mayRun, Comment(rawValue: python.installation)),
        arguments: [[""], HostileName.all]
    )
    func schema(_ prefixes: [String]) async throws {
        let script = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(sys.stdin)): print(error)
            """
        let schema = Repository.root.appending(path: "Dashboards/web/explanation-1.schema.json").path
        for prefix in prefixes {
            for changed in [Self.calls(seed: 3) { $0.vault = 40 }, Self.calls(seed: 3), []] {
                let calls = try RecordedCalls(changed, prefix: prefix)
                guard let json = try? calls.dashboard.explanation(of: prefix + "Trips", nil) else {
                    continue
                }
                let output = try await Self.python.run(["-c", script, schema], input: Data(json))
                #expect(output.output + output.errors == "")
                #expect(!json.contains(UInt8(ascii: "<")))
            }
        }
    }

    @Test("A slow problem of the diagnosis has what explains it as its evidence, and so has a slow observation")
    func diagnosis() throws {
        let calls = try RecordedCalls(Self.calls(seed: 6) { $0.retries = [100, 100] })
        var json = JSONText()
        calls.dashboard.writeExplanations(calls.telemetry.readings.knownSpans, calls.dashboard.origin.grid, to: &json)
        #expect(String(decoding: json.bytes, as: UTF8.self) == "[]", "there is no problem")
        let text = "92 % of the excess: 3.9 retries of Gateway.fetch instead of 0"
        for (kind, panel) in [("bad", "components"), ("note", "budgets")] {
            let snapshot: [String: Any] = [
                "schema": "axiom/snapshot", "version": 2, "capturedAt": 1_700_000_100,
                "components": [["id": 3, "kind": "client", "name": "Trips"]],
                "problems": [
                    [
                        "id": 5, "kind": kind, "panel": panel, "text": "Trips is slow", "since": 1_700_000_000,
                        "component": 3,
                    ]
                ],
                "explanations": [["problem": 5, "component": 3, "action": "load", "text": text, "trace": "aa"]],
            ]
            let file = Array(try JSONSerialization.data(withJSONObject: snapshot))
            let diagnosis = try Diagnosis(file, from: "test")
            if kind == "bad" {
                #expect(diagnosis.causes.first?.evidence == "Trips.load: " + text)
                #expect(diagnosis.causes.first?.next == "#trace=aa")
            } else {
                #expect(diagnosis.observed == ["Trips is slow; Trips.load: " + text])
            }
        }
    }
}
#endif
