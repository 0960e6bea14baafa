// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom

private enum Layout: String, FlagValue { case list, grid }

extension FeatureFlag where Value == Bool {
    fileprivate static let checkout = FeatureFlag("checkout", fallback: false)
    fileprivate static let search = FeatureFlag("search", fallback: false)
}

extension FeatureFlag where Value == Layout {
    fileprivate static let layout = FeatureFlag("layout", fallback: .list)
}

/// Calls a closure when it is released.
private final class Leaver: Sendable {
    let leave: @Sendable () -> Void

    init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { leave() }
}

/// Counts signals by their label values.
private final class SignalObserver: Instrumentation {
    let counts = Lock<[[String]: Int]>([:])
    let bound = Lock(0)

    func signal(_ family: SignalFamily, _ values: [String]) -> (any Signal)? {
        guard family.name == "axiom_feature_flag_evaluations_total" else { return nil }
        bound.withLock { $0 += 1 }
        return Counter(observer: self, values: values)
    }

    private struct Counter: Signal {
        let observer: SignalObserver
        let values: [String]
        func add(_ amount: Int) { observer.counts.withLock { $0[values, default: 0] += amount } }
    }
}

@MainActor
@Suite("Feature flags", .timeLimit(.minutes(10)))
struct FeatureFlagTests {
    private let orchestrator = Orchestrator.scripted()

    @Test("The first source that has a flag decides, and the reason is known (FLG-01)")
    func order() {
        let flags = orchestrator.flags
        #expect(flags.evaluate(.checkout) == FlagEvaluation(false, .default, source: nil))
        flags.use([
            FixedFlags(["checkout": "true"], name: "file"),
            FixedFlags(["checkout": "false", "search": "true"], name: "environment"),
        ])
        #expect(flags.evaluate(.checkout) == FlagEvaluation(true, .static, source: "file"))
        #expect(flags.evaluate(.search) == FlagEvaluation(true, .static, source: "environment"))
        orchestrator.values[.checkout] = false
        #expect(flags.evaluate(.checkout) == FlagEvaluation(false, .override, source: "application"))
        #expect(flags.generation == 1)
    }

    @Test("Rules are read from text; a value that does not fit the flag gives the fallback (FLG-01)")
    func rules() {
        let flags = orchestrator.flags
        flags.use([FixedFlags(["checkout": "maybe", "layout": "grid", "search": "100%"])])
        #expect(flags.evaluate(.checkout) == FlagEvaluation(false, .error, source: "fixed"))
        #expect(flags[.layout] == .grid)
        #expect(flags.evaluate(.search) == FlagEvaluation(false, .default, source: "fixed"))
        #expect(flags.evaluate(.search, for: "a") == FlagEvaluation(true, .split, source: "fixed"))
        #expect(FlagRule("grid@12.5%") == FlagRule("grid@12.50%"))
        #expect(FlagRule("grid@12.5%").percent == 12.5 && FlagRule("grid@12.5%").value == "grid")
        for text in ["120%", "-1%", "x%", "%", "a@b", "a@200%", "nan%"] {
            #expect(FlagRule(text).percent == nil && FlagRule(text).value == text)
        }
    }

    @Test("All evaluations of one action agree, also when the sources are replaced between them (FLG-01)")
    func snapshot() async throws {
        orchestrator.flags.use([FixedFlags(["checkout": "false", "search": "false"])])
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        let seen = Journal<Bool>()
        await context.send(
            ScriptAction { [orchestrator] context in
                seen.write(context.isEnabled(.checkout))
                orchestrator.flags.use([FixedFlags(["checkout": "true", "search": "true"])])
                await Task.yield()
                seen.write(context.isEnabled(.checkout))
                seen.write(context.isEnabled(.search))
                let flags = orchestrator.flags
                seen.write(await Task { flags[.search] }.value)
                seen.write(await Task.detached { flags[.search] }.value)
            }
        )
        #expect(seen.entries == [false, false, false, false, true])
        await context.send(ScriptAction { seen.write($0.isEnabled(.checkout)) })
        #expect(seen.entries.last == true)
        await orchestrator.shutdown()
    }

    @Test("The snapshots of actions that have ended do not accumulate")
    func pins() {
        var pins = SnapshotPins()
        for _ in 0..<10_000 { _ = pins.snapshot(of: ErrorTrail(), FeatureFlags.Snapshot()) }
        #expect(pins.count <= 65)
        let trails = (0..<1_000).map { _ in ErrorTrail() }
        for trail in trails { _ = pins.snapshot(of: trail, FeatureFlags.Snapshot()) }
        #expect((1_000...2_000).contains(pins.count))
    }

    @Test("Each evaluation is counted under its flag, variant and reason; series are bound once and bounded (FLG-01)")
    func signals() {
        let observer = SignalObserver()
        let flags = Orchestrator(instrumentation: observer, limits: .endless).flags
        flags.use([FixedFlags(["checkout": "true", "text": "a"])])
        for _ in 0..<10 { _ = flags[.checkout] }
        #if Instrumented
        #expect(observer.counts.withLock { $0 } == [["checkout", "true", "static"]: 10])
        #expect(observer.bound.withLock { $0 } == 1)
        for index in 0..<500 { _ = flags[FeatureFlag("flag \(index)", fallback: 1)] }
        #expect(observer.counts.withLock { $0.count } == 101)
        #expect(observer.counts.withLock { $0[["other", "other", "default"]] } == 401)
        #endif
    }

    @Test("A value that the application replaces is released outside the lock: its deinit may evaluate flags")
    func release() {
        let flags = FeatureFlags(nil)
        let ended = Journal<Bool>()
        flags.override(with: [.flag("checkout"): Leaver { ended.write(flags[.checkout]) }], [.flag("checkout")])
        flags.override(with: [.flag("checkout"): true], [.flag("checkout")])
        flags.override(with: [.flag("search"): Leaver { ended.write(flags[.search]) }], [.flag("search")])
        flags.override(with: [:], [.flag("search")])
        #expect(ended.entries == [true, false])
    }

    @Test("Clients and capabilities resolve the flags as a service (C14)")
    func service() throws {
        let registry = ServiceRegistry([:], orchestrator.flags)
        #expect(try registry.resolve(FeatureFlags.self, for: "The test") === orchestrator.flags)
    }
}

@Suite("The rollout of a flag")
struct FlagRolloutTests {
    @Test("A subject has the same number on each machine: known values of the documented hash (FLG-01)")
    func knownValues() {
        // Computed separately from the documentation, with another program.
        #expect(FlagRollout.number(of: "user-1", flag: "checkout") == 1590)
        #expect(FlagRollout.number(of: "user-2", flag: "checkout") == 4329)
        #expect(FlagRollout.number(of: "", flag: "") == 2267)
        #expect(FlagRollout.number(of: "Zoë", flag: "größe") == 4630)
    }

    @Test("A higher percentage keeps every subject of a lower one, for random flags and percentages (FLG-01)")
    func monotone() {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        for _ in 0..<20_000 {
            let (flag, subject) = ("flag-\(generator.index(below: 50))", "\(generator.next())")
            let shares = [generator.unit() * 100, generator.unit() * 100].sorted()
            let low = FlagRollout.includes(subject, flag: flag, percent: shares[0])
            let high = FlagRollout.includes(subject, flag: flag, percent: shares[1])
            #expect(!low || high, "\(flag) \(subject) \(shares)")
        }
    }

    @Test(
        "The shares are those that were asked for, within five standard deviations",
        arguments: [0, 0.5, 1, 10, 20, 50, 99.9, 100]
    )
    func distribution(percent: Double) {
        for (prefix, flag) in [("user-", "a"), ("", "checkout"), ("0000000", "b")] {
            let count = 50_000
            let included = (0..<count).count { FlagRollout.includes("\(prefix)\($0)", flag: flag, percent: percent) }
            let share = percent / 100
            let deviation = (Double(count) * share * (1 - share)).squareRoot()
            #expect(abs(Double(included) - Double(count) * share) <= 5 * deviation, "\(flag): \(included)")
        }
    }

    @Test("The shares of two flags are independent")
    func independent() {
        let count = 50_000
        let both = (0..<count).count {
            FlagRollout.includes("\($0)", flag: "a", percent: 50)
                && FlagRollout.includes("\($0)", flag: "b", percent: 50)
        }
        #expect(abs(Double(both) - Double(count) / 4) < 5 * (Double(count) * 0.25 * 0.75).squareRoot())
    }
}
