// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomStatistics
import AxiomTestSupport
import CPlantedCode
import Foundation
import Testing

@testable import AxiomProfiler

/// Burns the processor for about this many milliseconds of the thread.
@inline(never)
func burn(milliseconds: Int) {
    let end = ThreadTime.seconds + Double(milliseconds) / 1_000
    while ThreadTime.seconds < end { _ = planted_c_burn(20_000) }
}

// One profiler runs in a process at a time.
@Suite("The profiler", .serialized, .timeLimit(.minutes(10)))
struct ProfilerTests {
    @Test("Options that are out of range are errors that name the option, its value and its range")
    func options() async throws {
        let telemetry = try Telemetry()
        var options = Profiler.Options()
        for rate in [0, -1, 251] {
            options.rate = rate
            let error = await #expect(throws: ProfilerError.self) { try await Profiler.start(telemetry, options) }
            #expect(error?.code == .invalidProfilerOption)
            #expect(error?.message.contains("rate of the profiler is \(rate): samples per second are 1 to 250") == true)
            #expect(error?.suggestedAction == .contactSupport)
        }
        options = Profiler.Options()
        for interval in [0, 4_095, 1 << 30 + 1] {
            options.allocationInterval = interval
            let error = await #expect(throws: ProfilerError.self) { try await Profiler.start(telemetry, options) }
            #expect(error?.message.contains("allocationInterval of the profiler is \(interval)") == true)
            #expect(error?.recoverySuggestion.contains("524,288") == true)
        }
        let manual = try Telemetry(clock: .manual(ManualTime()))
        let error = await #expect(throws: ProfilerError.self) { try await Profiler.start(manual) }
        #expect(error?.code == .profilerUnsupported && error?.message.contains("manual clock") == true)
        #expect(telemetry.readings.profiler == nil)
    }

    @Test("A second profiler in the process is an error, until the first one is stopped; one ends with its telemetry")
    func second() async throws {
        let telemetry = try Telemetry()
        #if Instrumented
        let app = try await CallingApp.started(telemetry)
        #endif
        let profiler = try await Profiler.start(telemetry)
        #expect(telemetry.readings.profiler === profiler)
        let error = await #expect(throws: ProfilerError.self) { try await Profiler.start(telemetry) }
        #expect(error?.code == .profilerRunning)
        let other = try Telemetry()
        await #expect(throws: ProfilerError.self) { try await Profiler.start(other) }
        #if Instrumented
        #expect(try await app.binds == true)
        #endif
        profiler.stop()
        profiler.stop()
        #if Instrumented
        #expect(try await app.binds == false)
        #endif
        #expect(telemetry.readings.profiler == nil)
        #expect(telemetry.registry.collect().family("axiom_profiler_samples_total") == nil)
        var baseline = BaselineFile()
        baseline.liveProfiles = [LiveProfile(operation: "process/Cart/add", group: "Cart")]
        for regressions in [nil, RegressionOptions.judging(against: baseline)] {
            weak var (ended, telemetry, registry): (Profiler?, Telemetry?, Registry?)
            do {
                let third = try Telemetry(regressions: regressions)
                (telemetry, registry) = (third, third.registry)
                ended = try await Profiler.start(third)
                #expect(third.registry.collect().family("axiom_profiler_samples_total") != nil)
                _ = third.regressions.report
            }
            #expect(ended == nil && telemetry == nil && registry == nil)
        }
        try await Profiler.start(other).stop()
    }

    @Test("Work in a task, in an async let and in a Task has the path of its operations, and other work is outside")
    func paths() async throws {
        let telemetry = try Telemetry()
        let profiler = try await Profiler.start(telemetry)
        defer { profiler.stop() }
        await telemetry.span("outer") {
            burn(milliseconds: 100)
            await telemetry.span("child") {
                async let burned: Void = burn(milliseconds: 200)
                await burned
            }
            await telemetry.span("unstructured") {
                await Task { burn(milliseconds: 200) }.value
            }
        }
        await Task.detached { burn(milliseconds: 200) }.value
        let profile = try await profile(profiler) { self.share($0, under: ["outer", "unstructured"]) > 0 }
        for path in [["outer"], ["outer", "child"], ["outer", "unstructured"], ["outside of actions"]] {
            let processor = share(profile, under: path)
            // Outside of actions is the rest of the process.
            let most: Int64 = path[0].hasPrefix("outside") ? .max : 320_000_000
            #expect(processor > 60_000_000 && processor < most, "\(path): \(processor)")
        }
        #expect(share(profile, under: ["unstructured"]) == 0)
        // A busy machine gives fewer samples, each of more time.
        for _ in 0..<100 where profiler.counts.labelled < 60 {
            telemetry.span("outer") { burn(milliseconds: 100) }
            try await Task.sleep(for: .milliseconds(20))
        }
        let counts = profiler.counts
        #expect(counts.samples == counts.labelled + counts.outside && counts.labelled >= 30 && counts.outside >= 10)
        #expect(counts.threads > 0 && counts.unsampledThreads == 0 && counts.end == nil)
        #expect(profile.lost <= counts.lost)
        #expect(profiler.profile(ProfileQuery()).hotFunction(of: "outer")?.name == "planted_c_burn")
    }

    #if os(Linux) && canImport(Glibc)
    @Test("A stack with callers that the C library hides says so, and no other does")
    func hiddenCallers() async throws {
        let telemetry = try Telemetry()
        let profiler = try await Profiler.start(telemetry)
        defer { profiler.stop() }
        telemetry.span("plain") { burn(milliseconds: 500) }
        telemetry.span("sorted") {
            var numbers = Array(0..<16)
            qsort(&numbers, numbers.count, MemoryLayout<Int>.stride) { _, _ in
                burn(milliseconds: 10)
                return 0
            }
        }
        func marked(_ profile: Profile, _ span: String, _ names: Set<String>) -> (marked: Int64, all: Int64) {
            let stacks = profile.stacks.filter { profile.frames[$0.frames[0]].name == span && $0.samples > 0 }
            let marked = stacks.filter { $0.frames.contains { names.contains(profile.frames[$0].name) } }
            return (marked.reduce(0) { $0 + $1.processor }, stacks.reduce(0) { $0 + $1.processor })
        }
        let (hidden, suspended) = ("callers that cannot be read", "callers before the last suspension")
        let profile = try await profile(profiler) {
            marked($0, "sorted", []).all > 200_000_000 && marked($0, "plain", []).all > 200_000_000
        }
        let (sorted, plain) = (marked(profile, "sorted", [hidden, suspended]), marked(profile, "plain", [hidden]))
        #expect(sorted.all > 0 && sorted.marked == sorted.all)
        #expect(plain.all > 0 && plain.marked * 10 <= plain.all)
    }

    @Test("A profile says how many threads are not sampled, and why the sampling ended by itself")
    func silentThreads() async throws {
        let profiler = try await Profiler.start(Telemetry())
        defer { profiler.stop() }
        let before = try await profile(profiler) { $0.samples > 0 || $0.unsampled == 0 }
        #expect(before.unsampled == 0 && before.ended == nil)
        // Each timer takes a pending signal.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(__RLIMIT_SIGPENDING.rawValue), &limit)
        var none = limit
        none.rlim_cur = 0
        setrlimit(__rlimit_resource_t(__RLIMIT_SIGPENDING.rawValue), &none)
        let gate = DispatchSemaphore(value: 0)
        Thread.detachNewThread { gate.wait() }
        let silent = try await profile(profiler) { $0.unsampled > 0 }
        #expect(silent.unsampled > 0 && silent.ended == nil)
        setrlimit(__rlimit_resource_t(__RLIMIT_SIGPENDING.rawValue), &limit)
        gate.signal()
        signal(SIGPROF) { _ in }
        let ended = try await profile(profiler) { $0.ended != nil && profiler.counts.threads == 0 }
        #expect(ended.ended?.contains("SIGPROF") == true && ended.ended == profiler.counts.end && ended.unsampled == 0)
        // Ignored first: what waits to be delivered is discarded.
        signal(SIGPROF, SIG_IGN)
        signal(SIGPROF, SIG_DFL)
    }
    #endif

    /// Nanoseconds directly under a path of operations.
    func share(_ profile: Profile, under path: [String]) -> Int64 {
        profile.stacks.reduce(0) { sum, stack in
            let operations = stack.frames.map { profile.frames[$0] }.prefix { $0.isOperation || $0.kind == .outside }
            return sum + (operations.map(\.name) == path ? stack.processor : 0)
        }
    }

    /// Reads the last minute until `isReady`.
    func profile(_ profiler: Profiler, _ isReady: (Profile) -> Bool) async throws -> Profile {
        for _ in 0..<600 {
            let profile = profiler.profile(ProfileQuery())
            if isReady(profile) { return profile }
            try await Task.sleep(for: .milliseconds(50))
        }
        return profiler.profile(ProfileQuery())
    }

    @Test("A profile is written in each format, and what cannot be written is an error that names the path")
    func files() async throws {
        let telemetry = try Telemetry()
        let profiler = try await Profiler.start(telemetry)
        telemetry.span("work") { burn(milliseconds: 100) }
        _ = try await profile(profiler) { $0.samples > 3 }
        let folder = FileManager.default.temporaryDirectory.appending(path: "profile-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for format in ProfileFormat.allCases {
            let path = "\(folder)/profile.\(format.rawValue)"
            try profiler.write(format, to: path)
            #expect(try Data(contentsOf: URL(filePath: path)).count > 20)
        }
        let collapsed = try String(contentsOfFile: "\(folder)/profile.collapsed", encoding: .utf8)
        #expect(collapsed.contains("work;"))
        #expect(profiler.file(of: profiler.profile(ProfileQuery()), format: "svg") == nil)
        let range = #expect(throws: ProfilerError.self) { try profiler.write(.pprof, seconds: 61, to: "\(folder)/a") }
        #expect(range?.message.contains("seconds of the profiler is 61") == true)
        let unwritable = #expect(throws: ProfilerError.self) { try profiler.write(.pprof, to: "\(folder)/none/a") }
        #expect(unwritable?.code == .profileNotWritten && unwritable?.message.contains("\(folder)/none/a") == true)
        profiler.stop()
        // Still readable.
        try profiler.write(.pprof, to: "\(folder)/later")
    }

    @Test("The counters of the page are those of the profiler")
    func metrics() async throws {
        let telemetry = try Telemetry()
        let profiler = try await Profiler.start(telemetry)
        defer { profiler.stop() }
        telemetry.span("work") { burn(milliseconds: 100) }
        _ = try await profile(profiler) { $0.samples > $0.outside + 3 }
        let text = telemetry.registry.collect().text
        for result in ["labelled", "outside", "lost"] {
            #expect(text.contains("axiom_profiler_samples_total{result=\"\(result)\"}"))
        }
    }
}
