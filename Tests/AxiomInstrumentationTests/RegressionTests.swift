// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomStatistics
import AxiomSampleApp
import Testing

/// A profiler of calls of which 2.4 begin in a second, each with a millisecond in `parse(_:)`, and with three after 300 s.
private final class GrowingProfiler: ProfileSource {
    private let clock: TimeSource
    private let onset: Instant

    init(_ clock: TimeSource) {
        (self.clock, onset) = (clock, clock.now.advanced(by: .seconds(300)))
    }

    func profile(_ query: ProfileQuery) -> Profile {
        let end = clock.now.advanced(by: .seconds(-query.ago))
        var profile = Profile(start: end.advanced(by: .seconds(-query.seconds)), end: end, rate: 97)
        let late = max(0, min(Double(query.seconds), end.seconds(since: onset)))
        let seconds = 2.4 * 0.001 * (Double(query.seconds) + 2 * late)
        profile.frames = [Profile.Frame(.client, "MailClient.send"), Profile.Frame(.function, "parse(_:)")]
        var stack = Profile.Stack(frames: [0, 1])
        (stack.samples, stack.processor) = (Int((seconds * 97).rounded()), Int64(seconds * 1e9))
        profile.stacks = [stack]
        return profile
    }

    func file(of profile: Profile, format: String) -> [UInt8]? { nil }
}

@Suite("Regressions of a running application")
@MainActor
struct RegressionTests {
    /// The defaults, but for less exact standard errors, which are quicker.
    nonisolated static var policy: LivePolicy {
        var policy = LivePolicy()
        policy.replicates = 80
        return policy
    }

    /// Ten minutes in which nothing is slow.
    private static func recorded(windows: Int = 60) async throws -> BaselineFile {
        var replay = try await RegressionReplay(seed: 1, .recording(policy))
        try await replay.run(windows: windows)
        let profile = try replay.telemetry.recordProfile()
        await replay.shutdown()
        return profile
    }

    @Test("A client that became slower by 10 % is the only regression; its verdict is published and exported, and ends")
    func shift() async throws {
        let baseline = try await Self.recorded()
        var replay = try await RegressionReplay(seed: 2, .judging(against: baseline, Self.policy))
        let changes = replay.telemetry.regressions.changes()
        try await replay.run(windows: 60, slowing: [.send: 1.1])
        let report = replay.telemetry.regressions.report
        #expect(report.regressed.map { "\($0.component).\($0.action)" } == ["MailClient.send"])
        #expect(report.windows == 60 && report.missedWindows == 0)
        #expect(replay.verdict(.sell)?.verdict.kind == .ok)
        #expect(replay.verdict(.think)?.verdict.kind == .ok)
        let finding = try #require(replay.verdict(.send)?.findings.first { $0.isRegressed })
        #expect(abs(finding.ratio - 1.1) < 0.05)

        let metrics = replay.app.metrics
        #expect(metrics.total("axiom_regression_active", where: ["component": "MailClient"]) >= 1)
        let active = metrics.total("axiom_regression_active")
        #expect(active == metrics.total("axiom_regression_active", where: ["component": "MailClient"]))
        let labels = ["component": "MailClient", "action": "send", "percentile": "p50"]
        #expect(abs(try #require(metrics.value("axiom_regression_ratio", labels)) - 1.1) < 0.05)

        await replay.shutdown()
        var published: [RegressionVerdict] = []
        for await change in changes { published.append(change) }
        let regressed = published.filter { $0.verdict.kind == .regressed }
        #expect(regressed.map(\.component) == ["MailClient"])
        #expect(published.filter { $0.component == "TillClient" }.map(\.verdict.kind) == [.ok])
    }

    @Test("With a profiler the verdict says in which function the calls take longer, as long as they do")
    func functions() async throws {
        let baseline = try await Self.recorded()
        var replay = try await RegressionReplay(seed: 9, .judging(against: baseline, Self.policy))
        let changes = replay.telemetry.regressions.changes()
        #expect(replay.telemetry.attach(GrowingProfiler(replay.telemetry.timeSource)))
        try await replay.run(windows: 30)
        try await replay.run(windows: 30, slowing: [.send: 2])
        let words = try #require(replay.verdict(.send)?.functions)
        #expect(words.contains(" more per call, ") && words.hasSuffix(" are in parse(_:)"), "\(words)")
        #expect(replay.verdict(.send)?.description.hasSuffix(words) == true)
        #expect(replay.verdict(.sell)?.functions == nil)
        try await replay.run(windows: 60)
        #expect(replay.verdict(.send)?.verdict.kind == .ok && replay.verdict(.send)?.functions == nil)
        await replay.shutdown()
        var published: [RegressionVerdict] = []
        for await change in changes where change.verdict.kind == .regressed { published.append(change) }
        #expect(published.map(\.component) == ["MailClient"])
        #expect(published.allSatisfy { $0.functions?.hasSuffix(" are in parse(_:)") == true })
    }

    @Test("An operation of the baseline that the application does not have is named as unknown")
    func unknown() async throws {
        var baseline = try await Self.recorded()
        for index in baseline.liveProfiles.indices where baseline.liveProfiles[index].group == "MailClient" {
            (baseline.liveProfiles[index].operation, baseline.liveProfiles[index].group) = ("process/Post/send", "Post")
        }
        var replay = try await RegressionReplay(seed: 5, .judging(against: baseline, Self.policy))
        try await replay.run(windows: 6, requests: 24)
        let verdicts = replay.telemetry.regressions.report.verdicts
        let unknown = try #require(verdicts.first { $0.component == "Post" }?.verdict)
        #expect(unknown.kind == .insufficient && "\(unknown.reason)" == "unknown operation")
        #expect(unknown.detail.hasPrefix("this application has no process/Post/send so far"))
        #expect(replay.verdict(.sell)?.verdict.reason == .tooFewWindows)
        await replay.shutdown()
    }

    @Test("Contexts' actions are judged like clients'")
    func contexts() async throws {
        let baseline = try await Self.recorded()
        var replay = try await RegressionReplay(seed: 3, .judging(against: baseline, Self.policy))
        try await replay.run(windows: 48, slowing: [.think: 1.25])
        #expect(replay.telemetry.regressions.report.regressed.map(\.component) == ["CounterContext"])
        await replay.shutdown()
    }

    @Test("Fewer requests than the minimum are insufficient, however slow they are")
    func fewRequests() async throws {
        let baseline = try await Self.recorded()
        var replay = try await RegressionReplay(seed: 4, .judging(against: baseline, Self.policy))
        try await replay.run(windows: 36, requests: 12, slowing: [.send: 3])
        let verdict = try #require(replay.verdict(.send)?.verdict)
        #expect(verdict.kind == .insufficient && verdict.reason == .tooFewRequests)
        #expect(replay.app.metrics.total("axiom_regression_active") == 0)
        await replay.shutdown()
    }

    @Test("Another machine's profile is incomparable, and so is an action that the baseline does not have")
    func incomparable() async throws {
        var other = try await Self.recorded(windows: 1)
        other.fingerprint.mustMatch.processor = "another processor"
        var replay = try await RegressionReplay(seed: 5, .judging(against: other, Self.policy))
        try await replay.run(windows: 6, requests: 2)
        let verdict = try #require(replay.verdict(.send)?.verdict)
        #expect(verdict.kind == .incomparable && verdict.reason == .fingerprint)
        #expect(verdict.detail.contains("another processor"))
        await replay.shutdown()

        let known = RegressionOptions.judging(against: RegressionReplay.baseline(), Self.policy)
        var second = try await RegressionReplay(seed: 6, known)
        try await second.run(windows: 6, requests: 2)
        #expect(second.verdict(.sell)?.verdict.reason == .noBaseline)
        #expect(second.verdict(.send)?.verdict.reason == .shortBaseline)
        await second.shutdown()
    }

    @Test("Every series is there from the registration on, quiet and not a number, and every action has a verdict")
    func fromRegistration() async throws {
        let app = try await SampleApp.started(
            clock: .manual(ManualTime()),
            regressions: .judging(against: RegressionReplay.baseline())
        )
        let metrics = app.metrics
        for (component, action) in [("TillClient", "close"), ("MailClient", "send"), ("CounterContext", "mail")] {
            for percentile in ["p50", "p90", "p99"] {
                let labels = ["component": component, "action": action, "percentile": percentile]
                #expect(metrics.value("axiom_regression_active", labels) == 0)
                #expect(metrics.value("axiom_regression_ratio", labels)?.isNaN == true)
            }
        }
        let actions = 4 + 2 + 5
        #expect(metrics.family("axiom_regression_active")?.count == actions * 3)
        let verdicts = app.telemetry.regressions.report.verdicts
        #expect(verdicts.count == actions)
        #expect(verdicts.allSatisfy { $0.verdict == Verdict(.insufficient, .notJudged) && $0.findings.isEmpty })
        await app.orchestrator.shutdown()
    }

    @Test("With both options off, nothing is recorded, judged or exported, and no task waits")
    func off() async throws {
        for options in [nil, RegressionOptions()] {
            let time = ManualTime()
            let app = try await SampleApp.started(clock: .manual(time), regressions: options)
            try await app.runOnce()
            time.advance(by: .seconds(60))
            let report = app.telemetry.regressions.report
            #expect(report.verdicts.isEmpty && report.windows == 0)
            #expect(app.metrics.family("axiom_regression_active") == nil)
            #expect(time.sleeperCount == 0)
            let error = #expect(throws: TelemetryError.self) { try app.telemetry.recordProfile() }
            #expect(error?.code == .noProfile)
            await app.orchestrator.shutdown()
        }
    }

    @Test("A profile has all requests of the windows that are over, none of the others, and survives its file")
    func profile() async throws {
        var options = RegressionOptions.recording(Self.policy)
        options.recordedWindows = 3
        var replay = try await RegressionReplay(seed: 7, options)
        let error = #expect(throws: TelemetryError.self) { try replay.telemetry.recordProfile() }
        #expect(error?.message.contains("no window of 10.0 seconds is over") == true)
        try await replay.run(windows: 1, requests: 30, slowing: [.send: 100])
        try await replay.run(windows: 3, requests: 5)
        let file = try replay.telemetry.recordProfile()
        #expect(
            file.liveProfiles.map(\.operation)
                == ["process/MailClient/send", "process/TillClient/sell", "send/CounterContext/think"]
        )
        #expect(file.liveProfiles.map(\.group) == ["MailClient", "TillClient", "CounterContext"])
        for profile in file.liveProfiles {
            #expect(profile.windows.map(\.requests) == [5, 5, 5])
            #expect(profile.windows.map(\.start) == [1_700_000_010, 1_700_000_020, 1_700_000_030])
            for window in profile.windows {
                // The window before was a hundred times slower; nothing of it is left.
                #expect((0.0005...0.01).contains(window.durations.quantile(1)))
                #expect((0.0025...0.05).contains(window.durations.sum))
            }
        }
        #expect(file.createdAt == "2023-11-14T22:14:00Z" && file.source.sha == "abc123")
        #expect(try BaselineFile(bytes: Array(file.text().utf8), name: "profile") == file)
        await replay.shutdown()
    }

    @Test("Windows that were not closed in time are omitted and counted, and later windows are complete")
    func missed() async throws {
        var replay = try await RegressionReplay(seed: 8, .recording(Self.policy))
        try await replay.run(windows: 1, requests: 4)
        try await replay.perform(.send, 0.002)
        replay.pause(.seconds(30))
        try await replay.run(windows: 1, requests: 6)
        let report = replay.telemetry.regressions.report
        #expect(report.windows == 5 && report.missedWindows == 3)
        #expect(try replay.telemetry.recordProfile().liveProfiles.first?.windows.map(\.requests) == [4, 6])
        await replay.shutdown()
    }

    @Test("A task closes the windows if no scrape does, and ends at the shutdown")
    func closer() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time), regressions: .recording())
        for _ in 0..<3 {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(10))
        }
        await time.waitForSleepers(1)
        #expect(app.telemetry.regressions.report.windows == 3)
        #expect(app.telemetry.regressions.report.missedWindows == 0)
        await app.orchestrator.shutdown()
        #expect(time.sleeperCount == 0)
    }

    @Test("Options that contradict themselves or the baseline are refused, and the message names them")
    func refused() throws {
        func message(_ options: RegressionOptions) -> String? {
            do {
                _ = try Telemetry(regressions: options)
                return nil
            } catch let error as TelemetryError {
                return error.code == .invalidRegressions ? error.message : "another code"
            } catch { return "another error" }
        }
        var none = RegressionOptions.recording()
        none.recordedWindows = 0
        #expect(message(none)?.contains("recordedWindows is 0") == true)
        var endless = LivePolicy()
        endless.windowLength = .infinity
        #expect(message(.recording(endless))?.contains("inf s") == true)
        #expect(message(.judging(against: BaselineFile()))?.contains("no live profile") == true)
        #expect(message(.judging(against: BaselineFile()))?.contains("axiom-bench baseline accept --live") == true)
        let ten = LivePolicy()
        var hourly = RegressionReplay.baseline()
        hourly.liveProfiles[0].windowLength = 3_600
        #expect(message(.judging(against: hourly, ten))?.contains("3600.0 s") == true)
        #expect(message(.judging(against: hourly)) == nil)
    }
}
#endif
