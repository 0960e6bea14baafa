// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Testing

@Suite("The judge of a running application, over ten minutes of 60 windows")
struct LiveJudgeTests {
    /// Runs replays on all cores.
    private static func results<Result: Sendable>(
        _ seeds: Range<UInt64>,
        _ run: @escaping @Sendable (UInt64) throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup { group in
            for seed in seeds { group.addTask { try run(seed) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("100 quiet runs of six operations give at most one alarm")
    func quiet() async throws {
        let results = try await Self.results(0..<100) { try Replay(seed: $0).run() }
        #expect(results.filter { !$0.alarms.isEmpty }.count <= 1)
        // They were judged, and not passed over as insufficient.
        let verdicts = results.flatMap(\.verdicts)
        #expect(Double(verdicts.filter { $0.verdict.kind == .ok }.count) > 0.9 * Double(verdicts.count))
    }

    @Test("A shift of 10 % in one operation is flagged within ten minutes, and only there")
    func shift() async throws {
        let slowed: @Sendable (UInt64) -> String = { Replay.shop[Int($0) % 6].name }
        let results = try await Self.results(500..<512) { seed in
            let alarms = try Replay(seed: seed).run(slowing: [slowed(seed): 1.1]).alarms.keys
            return (isFound: alarms.contains(slowed(seed)), elsewhere: alarms.filter { $0 != slowed(seed) } as [String])
        }
        #expect(results.flatMap(\.elsewhere).isEmpty)
        #expect(results.count(where: \.isFound) >= 11)
        let fixed = try Replay(seed: 1).run(slowing: ["Cart/add": 1.1])
        #expect(fixed.alarms.keys.sorted() == ["Cart/add"])
        let verdict = try #require(fixed.verdicts.first { $0.operation == "Cart/add" })
        #expect(verdict.verdict.kind == .regressed && verdict.verdict.reason == .slower)
        #expect(verdict.findings.contains { $0.isRegressed && abs($0.ratio - 1.1) < 0.04 })
        #expect(verdict.findings.map(\.percentile) == [0.5, 0.9, 0.99])
    }

    @Test("A shift below the effect that matters, and one for the better, are no regressions")
    func harmless() throws {
        for factor in [1.02, 0.7] {
            let result = try Replay(seed: 3).run(slowing: ["Cart/add": factor])
            #expect(result.alarms.isEmpty)
        }
    }

    @Test("Growth that is certain and lasts, but is below the effect that matters, is no regression")
    func certain() throws {
        var replay = Replay(seed: 14)
        replay.operations = [.init(name: "Cart/add", spread: 0.05, drift: 0.005, memory: 0, requests: 200)]
        let result = try replay.run(slowing: ["Cart/add": 1.035])
        #expect(result.alarms.isEmpty)
        let findings = try #require(result.verdicts.first).findings
        #expect(!findings.isEmpty && findings.allSatisfy { $0.adjustedP < replay.policy.levelOfLook })
        #expect(try replay.run(slowing: ["Cart/add": 1.1]).alarms.keys.sorted() == ["Cart/add"])
    }

    @Test("A shift that comes in the middle is found, though the windows now contain a step")
    func step() throws {
        let result = try Replay(seed: 5).run(slowing: ["User/login": 1.3], from: 20)
        #expect(result.alarms.keys.sorted() == ["User/login"])
    }

    @Test("A verdict says how many requests it looked at: those of the windows within the horizon that have enough")
    func requests() throws {
        var replay = Replay(seed: 8)
        replay.policy.horizon = 40
        var judge = try LiveJudge(
            baseline: replay.baseline,
            recordedOn: Fingerprint(),
            runningOn: Fingerprint(),
            policy: replay.policy
        )
        var seen: [UInt64] = []
        for window in replay.windows(0, later: true) {
            _ = judge.close(["Cart/add": window])
            seen.append(window.requests >= replay.policy.minimumRequests ? window.durations.count : 0)
            let verdict = try #require(judge.verdicts.first { $0.operation == "Cart/add" })
            #expect(verdict.requests == seen.suffix(40).reduce(0, +))
        }
        #expect(seen.count > 40)
    }

    @Test("A burst that has ended is no regression")
    func burst() throws {
        var replay = Replay(seed: 6)
        replay.policy.persistence = 18
        let baseline = replay.baseline
        var judge = try LiveJudge(
            baseline: baseline,
            recordedOn: Fingerprint(),
            runningOn: Fingerprint(),
            policy: replay.policy
        )
        let windows = replay.windows(0, later: true) { (20..<32).contains($0) ? 2 : 1 }
        for window in windows {
            #expect(judge.close(["Cart/add": window]).allSatisfy { $0.verdict.kind != .regressed })
        }
    }

    @Test("A percentile that could not be judged for a while begins again: earlier findings do not count")
    func interrupted() throws {
        var busy = Replay(seed: 9)
        busy.operations = [Replay.Operation(name: "Cart/add", drift: 0.001, memory: 0, requests: 12)]
        (busy.policy.horizon, busy.policy.minimumWindows, busy.policy.persistence) = (24, 24, 24)
        (busy.policy.lookInterval, busy.policy.minimumBlocks, busy.policy.minimumRequests) = (1, 3, 1)
        (busy.policy.percentiles, busy.policy.falseAlarmRate) = ([0.5, 0.9], 0.5)
        var quiet = busy
        quiet.operations[0].requests = 2
        let steady = try history(busy) { _ in busy.windows(0, later: true) { _ in 3 } }
        #expect(steady[46] == [0.5, 0.9], "24 looks, the first of them after 24 windows")
        // So few requests in the middle that the 90th percentile cannot be judged from look 43 to look 50.
        let broken = try history(busy) { number in
            ((24..<46).contains(number) ? quiet : busy).windows(0, later: true) { _ in 3 }
        }
        #expect(broken[51].contains(0.5))
        #expect(broken[51...].allSatisfy { !$0.contains(0.9) })
    }

    /// The percentiles that are judged regressed after each window.
    private func history(_ replay: Replay, _ windows: (Int) -> [ProfileWindow]) throws -> [[Double]] {
        var judge = try LiveJudge(
            baseline: replay.baseline,
            recordedOn: Fingerprint(),
            runningOn: Fingerprint(),
            policy: replay.policy
        )
        return (0..<60).map { number in
            _ = judge.close(["Cart/add": windows(number)[number]])
            return judge.verdicts.first?.findings.filter(\.isRegressed).map(\.percentile) ?? []
        }
    }

    @Test("Fewer requests than the minimum are insufficient, and the reason says so")
    func fewRequests() throws {
        var replay = Replay(seed: 7)
        replay.policy.minimumRequests = 50
        let result = try replay.run(slowing: ["Price/tax": 2])
        let tax = try #require(result.verdicts.first { $0.operation == "Price/tax" })
        #expect(tax.verdict.kind == .insufficient && tax.verdict.reason == .shortBaseline)
        #expect(result.alarms.isEmpty)

        let recorded = Replay(seed: 7)
        var today = recorded
        today.operations[0].requests = 5
        var judge = try LiveJudge(baseline: recorded.baseline, recordedOn: Fingerprint(), runningOn: Fingerprint())
        for window in today.windows(0, later: true) { _ = judge.close(["Cart/add": window]) }
        let verdicts = judge.verdicts
        #expect(verdicts.first { $0.operation == "Cart/add" }?.verdict.reason == .tooFewRequests)
        #expect(verdicts.first { $0.operation == "Cart/remove" }?.verdict.reason == .tooFewWindows)
        #expect(verdicts.allSatisfy { $0.verdict.kind == .insufficient })
    }

    @Test("Another machine's profile is incomparable, and the verdict says what differs")
    func otherMachine() throws {
        var other = Fingerprint()
        other.mustMatch.processor = "another processor"
        let replay = Replay(seed: 8)
        var judge = try LiveJudge(baseline: replay.baseline, recordedOn: other, runningOn: Fingerprint())
        for window in replay.windows(0, later: true, { _ in 3 }) { _ = judge.close(["Cart/add": window]) }
        for verdict in judge.verdicts {
            #expect(verdict.verdict.kind == .incomparable && verdict.verdict.reason == .fingerprint)
            #expect(verdict.verdict.detail == "cpu_model was another processor and is unknown")
        }
    }

    @Test("An operation that the baseline does not have is incomparable")
    func newOperation() throws {
        let replay = Replay(seed: 9)
        var judge = try LiveJudge(baseline: [], recordedOn: Fingerprint(), runningOn: Fingerprint())
        var changes: [LiveVerdict] = []
        for window in replay.windows(0, later: true) { changes += judge.close(["new": window]) }
        #expect(changes.map(\.verdict.reason) == [.noBaseline])
    }

    @Test("Windows that resemble their neighbours too much are insufficient, not an alarm")
    func memory() async throws {
        let results = try await Self.results(0..<20) { seed in
            var replay = Replay(seed: seed)
            replay.operations = (0..<3).map { .init(name: "\($0)", drift: 0.1, memory: 0.95) }
            return try replay.run()
        }
        let reasons = results.flatMap(\.verdicts).map(\.verdict.reason)
        #expect(reasons.filter { $0 == .autocorrelation }.count > 30)
        #expect(results.filter { !$0.alarms.isEmpty }.count <= 1)
    }

    @Test("Buckets wider than the effect that matters are insufficient")
    func resolution() throws {
        let replay = Replay(seed: 10)
        var judge = try LiveJudge(baseline: replay.baseline, recordedOn: Fingerprint(), runningOn: Fingerprint())
        for var window in replay.windows(0, later: true) {
            window.durations.downscale(to: 3)
            _ = judge.close(["Cart/add": window])
        }
        #expect(judge.verdicts.first?.verdict.reason == .resolution)
    }

    @Test("Work that moved from a sibling is no regression; when the sibling is not quicker, it is one")
    func movedCost() throws {
        var replay = Replay(seed: 11)
        replay.operations = ["Cart/add", "Cart/remove", "User/load"].map {
            .init(name: $0, group: String($0.prefix(4)))
        }
        let moved = try replay.run(slowing: ["Cart/add": 1.15, "Cart/remove": 0.85])
        let verdict = try #require(moved.verdicts.first { $0.operation == "Cart/add" })
        #expect(verdict.verdict.kind == .ok && verdict.verdict.reason == .costMoved)
        #expect(verdict.verdict.detail.contains("Cart/remove"))
        #expect(moved.alarms.isEmpty)
        let slower = try replay.run(slowing: ["Cart/add": 1.15, "User/load": 0.85])
        #expect(slower.alarms.keys.sorted() == ["Cart/add"])
    }

    @Test("A regression ends when the durations are as before again")
    func recovery() throws {
        let replay = Replay(seed: 12)
        var judge = try LiveJudge(baseline: replay.baseline, recordedOn: Fingerprint(), runningOn: Fingerprint())
        var kinds: [Verdict.Kind] = []
        for (number, window) in (replay.windows(0, later: true) { _ in 1.3 }).enumerated() where number < 48 {
            kinds += judge.close(["Cart/add": window]).map(\.verdict.kind)
        }
        for window in replay.windows(0, later: true) {
            kinds += judge.close(["Cart/add": window]).map(\.verdict.kind)
        }
        #expect(kinds.contains(.regressed) && kinds.last == .ok)
    }

    @Test("The same windows give the same verdicts")
    func determinism() throws {
        let first = try Replay(seed: 13).run(slowing: ["Cart/add": 1.1])
        let second = try Replay(seed: 13).run(slowing: ["Cart/add": 1.1])
        #expect(first.verdicts == second.verdicts)
    }

    @Test("A policy that contradicts itself and windows of another length are refused")
    func refused() {
        func judge(_ baseline: [LiveProfile] = [], _ change: (inout LivePolicy) -> Void) -> ProfileError? {
            var policy = LivePolicy()
            change(&policy)
            do {
                _ = try LiveJudge(
                    baseline: baseline,
                    recordedOn: Fingerprint(),
                    runningOn: Fingerprint(),
                    policy: policy
                )
                return nil
            } catch { return error }
        }
        #expect(judge { _ in } == nil)
        #expect(judge { $0.minimumWindows = 61 }?.message.contains("at most the horizon, 60") == true)
        #expect(judge { $0.falseAlarmRate = .nan } != nil)
        #expect(judge { $0.percentiles = [] } != nil)
        #expect(judge { $0.percentiles = [0.99, 0.5, 0.5] }?.message.contains("0.5 and 0.5 are the same") == true)
        #expect(judge { $0.percentiles = [0.5, 0.500_000_001] } != nil)
        #expect(judge { $0.percentiles = [0.9999, 0.9998] } == nil)
        #expect(judge { $0.minimumEffect = 0 } != nil)
        let hourly = LiveProfile(operation: "x", windowLength: 3_600)
        #expect(judge([hourly]) { _ in }?.message.contains("3600.0 s") == true)
    }
}
