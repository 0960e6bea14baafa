// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

/// A profiler that has what a test planted.
private final class PlantedProfiler: ProfileSource {
    let planted: Profile
    let queries = Lock<[ProfileQuery]>([])

    init(_ planted: Profile) { self.planted = planted }

    func profile(_ query: ProfileQuery) -> Profile {
        queries.withLock { $0.append(query) }
        return planted
    }

    func file(of profile: Profile, format: String) -> [UInt8]? { Array(format.utf8) }
}

private func profile(
    _ frames: [(Profile.Frame.Kind, String)],
    _ stacks: [([Int], samples: Int, waiting: Double)]
) -> Profile {
    var profile = Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 60_000_000_000), rate: 97)
    profile.frames = frames.map { Profile.Frame($0, $1) }
    for (frames, samples, waiting) in stacks {
        var stack = Profile.Stack(frames: frames)
        (stack.samples, stack.processor) = (samples, Int64(samples) * 10_309_278)
        stack.waiting = Int64(waiting * 1e9)
        profile.stacks.append(stack)
        profile.samples += samples
    }
    return profile
}

/// Of 100 samples of Cart.add, 62 are in `hash`.
private var shop: Profile {
    var shop = profile(
        [
            (.context, "ShopContext.open"), (.client, "Cart.add"), (.function, "hash"), (.function, "copy"),
            (.wait, "pool"),
            (.outside, "outside of actions"),
        ],
        [([0, 1, 2], 62, 0), ([0, 1, 3], 38, 0), ([0, 1, 4], 0, 0.5), ([0, 4], 0, 9), ([5, 3], 20, 0)]
    )
    (shop.frames[2].module, shop.frames[2].file, shop.frames[2].line) = ("libcrypto.so", "/a/b.c", 7)
    (shop.frames[3].isGuessed, shop.outside, shop.lost) = (true, 20, 3)
    return shop
}

@Suite("The profile as a document", .timeLimit(.minutes(10)))
struct ProfileDocumentTests {
    private func dashboard(_ planted: Profile?) throws -> (Dashboard, PlantedProfiler?) {
        let telemetry = try Telemetry(clock: .manual(ManualTime(secondsSinceEpoch: 1_700_000_000)))
        let profiler = planted.map { PlantedProfiler($0) }
        if let profiler { #expect(telemetry.attach(profiler)) }
        return (Dashboard(telemetry: telemetry, name: "Shop"), profiler)
    }

    private func written(_ profile: Profile) throws -> [UInt8] {
        try #require(try dashboard(profile).0.profile(ProfileQuery()))
    }

    private struct Sums: Equatable {
        var samples = 0
        var times: [Int64] = [0, 0, 0, 0]

        init(_ stacks: some Sequence<Profile.Stack>) {
            for stack in stacks {
                samples += stack.samples
                times = zip(times, [stack.processor, stack.waiting, stack.allocated, stack.live]).map { $0 + $1 }
            }
        }
    }

    @Test("What is written is read again, to the nanosecond, with the time since 1970")
    func roundTrip() throws {
        var planted = shop
        planted.waitsSince = Instant(nanoseconds: 30_000_000_000)
        (planted.lostAllocated, planted.lostLive) = (5, 2)
        (planted.ended, planted.unsampled) = ("The program handles SIGPROF.", 7)
        let read = try Profile(written(planted), from: "test")
        #expect(read.ended == planted.ended && read.unsampled == 7)
        #expect(read.lostAllocated == 5 && read.lostLive == 2)
        #expect(read.start.nanoseconds == 1_700_000_000_000_000_000)
        #expect(read.end.nanoseconds(since: read.start) == 60_000_000_000)
        #expect(read.waitsSince?.nanoseconds == 1_700_000_030_000_000_000)
        #expect(read.rate == 97 && read.samples == 120 && read.outside == 20 && read.lost == 3 && !read.hasAllocations)
        #expect(
            read.stacks.map { $0.frames.map { read.frames[$0] } }
                == planted.stacks.map { $0.frames.map { planted.frames[$0] } }
        )
        for (one, other) in zip(read.stacks, planted.stacks) { #expect(Sums([one]) == Sums([other])) }
    }

    #if Instrumented
    @Test(
        "The document fits its schema, and so does an export with it, also with names that try to be something else",
        .enabled(if: ExternalTool.schemaPython.mayRun, Comment(rawValue: ExternalTool.schemaPython.installation))
    )
    func schema() async throws {
        var hostile = shop
        hostile.frames += HostileName.all.map { Profile.Frame(.function, $0) }
        hostile.stacks += hostile.frames.indices.map { Profile.Stack(frames: [$0]) }
        let dashboard = try dashboard(hostile).0
        for (name, document) in [
            ("profile-1", try dashboard.profile(ProfileQuery()) ?? []), ("snapshot-2", dashboard.exportedSnapshot()),
            ("snapshot-1", dashboard.snapshot()),
        ] {
            let script = """
                import json, sys, jsonschema
                schema = json.load(open(sys.argv[1]))
                for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(sys.stdin)): print(error)
                """
            let path = Repository.root.appending(path: "Dashboards/web/\(name).schema.json").path
            let output = try await ExternalTool.schemaPython.run(["-c", script, path], input: Data(document))
            #expect(output.output + output.errors == "", "\(name)")
        }
    }
    #endif

    @Test("Of more than 4,000 stacks the heaviest stay, and each operation keeps the sums of the others")
    func bound() throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        for run in 0..<TestScale.count(60) {
            // Also more operations than there may be stacks.
            let operations = run % 3 == 0 ? 6_000 : Int.random(in: 1...40, using: &random)
            var planted = profile((0..<operations).map { (.client, "C\($0).run") } + [(.outside, "outside")], [])
            planted.hasAllocations = true
            planted.frames += (0..<300).map { Profile.Frame(.function, "f\($0)") }
            for _ in 0..<Int.random(in: 3_900...9_000, using: &random) {
                let depth = Int.random(in: 0...5, using: &random)
                let functions = (0..<depth).map { _ in Int.random(in: 0..<300, using: &random) + operations + 1 }
                var stack = Profile.Stack(frames: [Int.random(in: 0...operations, using: &random)] + functions)
                (stack.samples, stack.processor) = (1, Int64.random(in: 0...1_000_000, using: &random))
                (stack.allocated, stack.live) = (Int64.random(in: 0...99, using: &random), 1)
                planted.stacks.append(stack)
            }
            let bounded = planted.bounded(to: 4_000)
            #expect(bounded.stacks.count <= 4_000 && Sums(bounded.stacks) == Sums(planted.stacks))
            #expect(Set(bounded.stacks.flatMap(\.frames)) == Set(bounded.frames.indices))
            guard operations < 100 else { continue }
            func byRoot(_ profile: Profile) -> [Profile.Frame: Sums] {
                Dictionary(grouping: profile.stacks) { profile.frames[$0.frames[0]] }.mapValues { Sums($0) }
            }
            #expect(byRoot(bounded) == byRoot(planted))
            let (heaviest, most) = (
                planted.stacks.map(\.processor).max() ?? 0, bounded.stacks.map(\.processor).max() ?? 0
            )
            #expect(most >= heaviest)
        }
    }

    @Test("Whatever is cut, changed or out of range is refused with the name of the file, and nothing ends the program")
    func hostile() throws {
        let whole = String(decoding: try written(shop), as: UTF8.self)
        for (part, other) in [
            ("\"frames\":[0,1]", "\"frames\":[0,99]"), ("\"frames\":[0,1]", "\"frames\":[-1]"),
            ("\"samples\":62", "\"samples\":-62"), ("\"samples\":62", "\"samples\":9223372036854775807"),
            ("\"waiting\":0.5", "\"waiting\":1e300"), ("\"waiting\":0.5", "\"waiting\":-1"),
            ("\"rate\":97", "\"rate\":0"),
            ("\"live\":0", "\"live\":9223372036854775807"), ("\"lost\":3", "\"lost\":-3"),
            ("\"lostAllocated\":0", "\"lostAllocated\":-1"), ("\"lostLive\":0", "\"lostLive\":9223372036854775807"),
            ("\"unsampled\":0", "\"unsampled\":-1"), ("\"ended\":null", "\"ended\":1"),
            ("\"start\":1700000000", "\"start\":1e300"), ("\"start\":1700000000", "\"start\":1900000000"),
            ("axiom/profile", "axiom/other"), ("\"version\":1", "\"version\":2"), ("\"kind\":\"context\",", ""),
        ] {
            let changed = whole.replacing(part, with: other, maxReplacements: 1)
            let target = changed == whole ? whole.replacing("\"frames\":[0,1,2]", with: other) : changed
            #expect(target != whole, "\(part)")
            let error = #expect(throws: DashboardFileError.self) { try Profile(Array(target.utf8), from: "a.json") }
            #expect(error?.message.hasPrefix("a.json ") == true, "\(other)")
        }
        for length in stride(from: 0, to: whole.utf8.count, by: 37) {
            #expect(throws: DashboardFileError.self) { try Profile(Array(whole.utf8.prefix(length)), from: "a.json") }
        }
        let next = whole.replacing("\"version\":1", with: "\"version\":2")
        let error = #expect(throws: DashboardFileError.self) { try Profile(Array(next.utf8), from: "a.json") }
        #expect(error?.message.contains("another version") == true)
        // Of an earlier version.
        let earlier = whole.replacing("\"lostAllocated\":0,\"lostLive\":0,", with: "")
        #expect(try earlier != whole && Profile(Array(earlier.utf8), from: "a.json").lostAllocated == 0)
        let silent = whole.replacing("\"ended\":null,\"unsampled\":0,", with: "")
        #expect(try silent != whole && Profile(Array(silent.utf8), from: "a.json").unsampled == 0)
        // A kind of a later version.
        let later = whole.replacing("\"kind\":\"context\"", with: "\"kind\":\"fiber\"")
        #expect(try Profile(Array(later.utf8), from: "a.json").frames[0].kind == .missing)
    }

    @Test("A parameter that is not permitted is named with what is permitted")
    func parameters() throws {
        func query(_ values: [String: String]) throws -> ProfileQuery { try ProfileQuery { values[$0] } }
        for (name, value, remedy) in [
            ("seconds", "0", "1 to 60"), ("seconds", "61", "1 to 60"), ("seconds", "a", "1 to 60"),
            ("ago", "-1", "0 to 840"),
            ("ago", "841", "0 to 840"), ("ago", "", "0 to 840"), ("trace", "12", "32 hexadecimal digits"),
            ("trace", "", "32 hexadecimal digits"),
        ] {
            let error = #expect(throws: QueryError.self) { _ = try query([name: value]) }
            #expect(error?.parameter == name && error?.description.contains(remedy) == true)
        }
        #expect(try query([:]) == ProfileQuery())
        // Not all actions: the dashboard does not know it.
        #expect(try query(["action": ""]).action == "")
        let all = try query([
            "seconds": "5", "ago": "840", "action": "Cart.add", "trace": String(repeating: "a", count: 32),
        ])
        #expect(all.seconds == 5 && all.ago == 840 && all.action == "Cart.add" && all.trace != nil)
    }

    @Test("Without a profiler there is neither a profile nor the flag; with one the export has the last minute")
    func exports() throws {
        func member(_ name: String, _ json: [UInt8]) throws -> Any? {
            (try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])?[name]
        }
        let without = try dashboard(nil).0
        #expect(try without.profile(ProfileQuery()) == nil)
        #expect(try without.profile(ProfileQuery(), format: "pprof") == nil)
        for json in [without.snapshot(), without.exportedSnapshot()] {
            #expect((try member("app", json) as? [String: Any])?["profile"] == nil)
            #expect(try member("profile", json) == nil)
        }
        let (with, profiler) = try dashboard(shop)
        #expect(try with.profile(ProfileQuery(), format: "pprof") == Array("pprof".utf8))
        for json in [with.snapshot(), with.exportedSnapshot()] {
            #expect((try member("app", json) as? [String: Any])?["profile"] as? Bool == true)
        }
        #expect(try member("profile", with.snapshot()) == nil)
        let exported = with.exportedSnapshot()
        #expect((try member("profile", exported) as? [String: Any])?["schema"] as? String == "axiom/profile")
        let queries = profiler?.queries.withLock { $0 } ?? []
        #expect(queries.contains { !$0.hasLines } && queries.allSatisfy { $0.seconds == 60 && $0.ago == 0 })
        let document = try #require(try with.profile(ProfileQuery()))
        for file in [exported, with.exportedPage(), document] {
            let profile = try Profile(file, from: "test")
            #expect(profile.samples == 120 && profile.json() == document)
        }
        #expect(throws: DashboardFileError.self) { try Profile(without.exportedSnapshot(), from: "test") }
    }

    @Test("The table names the hottest operations and functions with their error, in at most 40 lines")
    func table() throws {
        let text = ProfileTable(try Profile(written(shop), from: "test")).text
        #expect(
            text == """
                60 s until 2023-11-14T22:14:20Z: 120 samples at 97 Hz, 16.7 % outside of actions, 3 lost. A share is that of the \
                processor time, ± its 95 % error.

                processor     share         waiting       Operation
                0 s           0 % ± 2 %     9 s           ShopContext.open
                1.03 s        83 % ± 7 %    500 ms        Cart.add
                206 ms        17 % ± 7 %    0 s           outside of actions

                self          share         total         Function
                639 ms        52 % ± 9 %    639 ms        hash  (libcrypto.so)
                598 ms        48 % ± 9 %    598 ms        copy

                """
        )
        var lossy = shop
        (lossy.lostAllocated, lossy.lostLive) = (5, 2)
        #expect(ProfileTable(lossy).text.contains("error. 5 samples and 2 live blocks of allocations were lost.\n"))
        (lossy.unsampled, lossy.ended) = (2, "The program\nhandles SIGPROF.")
        #expect(
            ProfileTable(lossy).text.contains(
                "lost. 2 threads are not sampled. The sampling ended: The program handles SIGPROF.\n"
            )
        )
        // With one action, the samples are those of the whole range.
        var filtered = shop
        filtered.stacks = Array(filtered.stacks.prefix(1))
        #expect(ProfileTable(filtered).text.contains("120 samples at 97 Hz, 16.7 % outside of actions"))
        // The total has what a function calls; a recursive function counts once.
        let recursive = profile(
            [(.client, "Cart.add"), (.function, "f"), (.function, "g")],
            [([0, 1, 1, 2], 100, 0), ([0, 1], 100, 0)]
        )
        #expect(ProfileTable(recursive).text.contains("\n1.03 s        50 % ± 7 %    2.06 s        f\n"))
        #expect(ProfileTable(recursive).text.contains("\n1.03 s        50 % ± 7 %    1.03 s        g\n"))
        let names = (0..<500).map { (Profile.Frame.Kind.function, "f\n\($0)" + String(repeating: "x", count: $0)) }
        let many = profile(
            names + (0..<99).map { (.client, "C.\($0)") },
            (0..<500).map { ([500 + $0 % 99, $0], $0, 0) }
        )
        let lines = ProfileTable(many).text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 40 && lines.contains { $0.hasSuffix("480 more") || $0.hasSuffix("479 more") })
        #expect(ProfileTable(profile([], [])).text.contains("0 samples"))
    }

    @Test("Shares are those of the processor time; what is not known of waits is said")
    func tableOfTimes() {
        var planted = shop
        planted.stacks[0].processor *= 3
        #expect(ProfileTable(planted).text.contains("76 % ± 9 %    1.92 s        hash"))
        planted.waitsSince = Instant(nanoseconds: 30_000_000_000)
        let part = ProfileTable(planted).text
        #expect(part.contains("error. Waits are known since 1970-01-01T00:00:30Z.\n"))
        #expect(part.contains("9 s           ShopContext.open"))
        // Waits of a part of the range do not say which operation takes most of it.
        #expect(!part.split(separator: "Cart.add")[0].contains("ShopContext.open"))
        #expect(ProfileTable(shop).text.split(separator: "Cart.add")[0].contains("ShopContext.open"))
        planted.waitsSince = planted.end
        #expect(ProfileTable(planted).text.contains("unknown       ShopContext.open"))
    }
}

#if Instrumented
@Suite("The profile in the diagnosis", .timeLimit(.minutes(10)))
struct ProfileDiagnosisTests {
    /// A snapshot in which Cart.add has regressed.
    private func snapshot(_ profile: Profile?) throws -> [UInt8] {
        let telemetry = try Telemetry(clock: .manual(ManualTime(secondsSinceEpoch: 1_700_000_000)))
        if let profile { #expect(telemetry.attach(PlantedProfiler(profile))) }
        let json = Dashboard(telemetry: telemetry, name: "Shop").exportedSnapshot()
        var object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        object["components"] = [["id": 0, "kind": "client", "name": "Cart"]]
        object["problems"] = [
            [
                "id": 1, "kind": "bad", "panel": "regressions", "text": "Cart.add is slower", "component": 0,
                "since": 1_700_000_000,
            ]
        ]
        object["regressions"] = [
            ["id": 1, "component": 0, "action": "add", "verdict": "regressed", "baseline": 0.01, "current": 0.02]
        ]
        return Array(try JSONSerialization.data(withJSONObject: object))
    }

    private func evidence(_ profile: Profile?) throws -> String? {
        let diagnosis = try Diagnosis(try snapshot(profile), from: "test")
        #expect(diagnosis.json.count <= Diagnosis.limit && diagnosis.markdown().utf8.count <= Diagnosis.limit)
        return diagnosis.causes.first?.evidence
    }

    private static let measured = "Cart.add takes 20 ms, in the baseline 10 ms"

    @Test("It names the function that takes the processor time of a slow action, or what the action waits for")
    func named() throws {
        #expect(try evidence(nil) == Self.measured)
        let hot = "; `hash` in libcrypto.so takes 62 % ± 10 % of its processor time (100 samples)"
        #expect(try evidence(shop) == Self.measured + hot)
        var waiting = shop
        waiting.stacks[2].waiting = 5_000_000_000
        #expect(try evidence(waiting) == Self.measured + "; waits 83 % of its time in pool")
        waiting.frames[4] = Profile.Frame(.wait, "waits for the main actor")
        #expect(try evidence(waiting) == Self.measured + "; waits 83 % of its time for the main actor")
        // A call of something else.
        waiting.frames[4] = Profile.Frame(.wait, "waits")
        #expect(try evidence(waiting) == Self.measured + "; waits 83 % of its time")
        waiting.frames.append(Profile.Frame(.capability, "Bank.pay"))
        waiting.stacks[2] = Profile.Stack(frames: [0, 1, 6, 4])
        waiting.stacks[2].waiting = 9_000_000_000
        #expect(try evidence(waiting) == Self.measured + "; waits 90 % of its time in Bank.pay")
    }

    @Test("It names none if the samples do not prove it, or if they are of another action")
    func unproven() throws {
        for (first, second) in [(5, 3), (12, 10), (20, 18)] {
            var few = shop
            few.stacks = Array(few.stacks.prefix(2))
            (few.stacks[0].samples, few.stacks[1].samples) = (first, second)
            #expect(try evidence(few) == Self.measured)
        }
        var other = shop
        other.frames[1] = Profile.Frame(.client, "Cart.remove")
        #expect(try evidence(other) == Self.measured)
    }

    @Test("A long or hostile name of a function keeps the diagnosis within 2 kB")
    func limit() throws {
        for name in [String(repeating: "`\"<\n\u{202E}", count: 300), String(repeating: "漢", count: 900)] {
            var long = shop
            long.frames[2] = Profile.Frame(.function, name)
            long.frames[2].module = name
            let evidence = try #require(try evidence(long))
            #expect(evidence.hasPrefix(Self.measured + "; `") && evidence.count(where: { $0 == "`" }) == 2)
        }
    }
}
#endif
