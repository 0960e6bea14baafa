// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@testable import AxiomResilience

@Suite("Export and import of a circuit breaker's state")
struct ExportTests {
    private static func throughJSON(_ record: CircuitRecord) throws -> CircuitRecord {
        try JSONDecoder().decode(CircuitRecord.self, from: try JSONEncoder().encode(record))
    }

    private static func again(_ test: BreakerUnderTest, _ record: CircuitRecord) throws -> CircuitBreaker {
        let configuration = test.breaker.configuration
        return try CircuitBreaker(name: "shop", configuration, clock: .manual(test.time), importing: record)
    }

    @Test("A breaker that imports a record exports the same record, in any state", arguments: 0..<60)
    func roundTrip(seed: Int) throws {
        let window: CircuitBreakerConfiguration.Window = seed % 2 == 0 ? .count(7) : .time(.seconds(3))
        let test = try BreakerUnderTest { configuration in
            configuration.mode = seed % 3 == 0 ? .shadow : .enforcing
            configuration.window = window
            configuration.minimumCalls = 3
            configuration.openDuration = .seconds(1)
            configuration.halfOpenPermits = 3
            configuration.slowCallDuration = .seconds(2)
            configuration.ramp = seed % 5 == 0 ? .init(duration: .seconds(4)) : nil
        }
        var dice = Dice(seed: UInt64(seed))
        for step in 0..<Int.random(in: 1...60, using: &dice) {
            test.call(Bool.random(using: &dice) ? .failure : .success)
            test.advance(.milliseconds(Int.random(in: 0...400, using: &dice)))
            if step == 50, seed % 7 == 0 { test.breaker.forceOpen() }
        }
        let record = test.breaker.export()
        let imported = try Self.again(test, try Self.throughJSON(record))
        let again = imported.export()
        #expect(try Self.comparable(again) == Self.comparable(record))
        let (old, new) = (test.breaker.summary(), imported.summary())
        #expect(old.state == new.state && old.decidedState == new.decidedState)
        #expect(old.window == new.window && old.openRemaining == new.openRemaining)
        #expect(old.counts == new.counts && old.transitions == new.transitions && old.timeInState == new.timeInState)
        #expect(new.generation > old.generation)
    }

    /// All but the generation, which is a new one.
    private static func comparable(_ record: CircuitRecord) throws -> [String: String] {
        let data = try JSONEncoder().encode(record)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        return object.filter { $0.key != "generation" }.mapValues { value in
            // Sets and dictionaries in one order.
            guard
                let data = try? JSONSerialization.data(
                    withJSONObject: value,
                    options: [.sortedKeys, .fragmentsAllowed]
                )
            else { return "\(value)" }
            return String(decoding: data, as: UTF8.self)
        }
    }

    @Test("The open time and the age of calls advance while no process runs; calls and probes in flight are dropped")
    func timePasses() throws {
        let test = try BreakerUnderTest { configuration in
            configuration.window = .time(.seconds(10))
            configuration.minimumCalls = 2
        }
        test.calls(.failure, .failure)
        let open = test.breaker.export()
        test.advance(.seconds(2))
        #expect(try Self.again(test, open).summary().openRemaining == .seconds(3))
        #expect(try Self.again(test, open).summary().window.failures == 2)
        test.advance(.seconds(100))
        let late = try Self.again(test, open).summary()
        #expect(late.state == .halfOpen && late.openRemaining == nil && late.window.failures == 0)

        _ = try #require(test.admit())
        #expect(test.state == .halfOpen && !test.call())
        let probing = try Self.again(test, test.breaker.export())
        #expect(probing.state == .halfOpen && probing.counts().inFlight == 0)
        guard case .admitted(let permit) = probing.admit(at: test.time.now) else {
            Issue.record("The permit is lost.")
            return
        }
        probing.record(permit, .success, at: test.time.now)
        #expect(probing.state == .closed && probing.counts().isConserved)
    }

    @Test(
        "A record that contradicts itself is an error that says how, and never a trap",
        arguments: [
            ("version", "7"), ("state", "\"shadow\""), ("windowAge", "-1"), ("marks", "\"0192\""),
            ("consecutiveFailures", "-3"), ("nextOpenTime", "-1.5"), ("openRemaining", "-4"),
            ("timeInState", "{\"open\":-1}"), ("exportedAt", "1e300"),
            (
                "calls",
                """
                [{"age":0,"calls":4294967295,"failures":0,"slow":0},{"age":0,"calls":1,"failures":0,"slow":0}]
                """
            ),
            ("generation", "18446744073709551615"),
        ]
    )
    func hostile(field: String, value: String) throws {
        let test = try BreakerUnderTest()
        test.call()
        let data = try JSONEncoder().encode(test.breaker.export())
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        object[field] = try JSONSerialization.jsonObject(with: Data(value.utf8), options: .fragmentsAllowed)
        let hostile = try JSONDecoder().decode(CircuitRecord.self, from: JSONSerialization.data(withJSONObject: object))
        guard field != "exportedAt", field != "generation" else {
            // These are strange, and harmless.
            #expect(try Self.again(test, hostile).state == .closed)
            return
        }
        let error = #expect(throws: ResilienceError.self) { try Self.again(test, hostile) }
        #expect(error?.code == .invalidRecord)
        #expect(error?.message.contains(field) == true)
    }
}
