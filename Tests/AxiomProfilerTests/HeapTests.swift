// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import AxiomTestSupport
import Foundation
import Glibc
import Testing

private let hasOtherAllocator = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

/// Each test runs a process whose malloc is replaced.
@Suite("Sampled allocations", .disabled(if: hasOtherAllocator, "a sanitizer replaces malloc"))
struct HeapTests {
    /// The lines of `profiler-probe heap`: names and values.
    private func probe(_ command: String, seed: UInt64 = 1) async throws -> [String: String] {
        let program = try BuildFolder().url.appending(path: "profiler-probe").path
        let result = try await Command.run(program, ["heap", command, "\(seed)"])
        try #require(result.status == 0, "\(result)")
        let pairs = result.output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        return Dictionary(uniqueKeysWithValues: pairs.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil })
    }

    private func numbers(_ command: String, seed: UInt64 = 1) async throws -> [String: Double] {
        try await probe(command, seed: seed).compactMapValues(Double.init)
    }

    /// The standard deviation of the estimate for blocks of one size.
    private func deviation(count: Double, bytes: Double) -> Double {
        let probability = -expm1(-bytes / 524_288)
        return bytes * (count * (1 - probability) / probability).squareRoot()
    }

    @Test(
        "The bytes of a function are estimated, and those that live, with its code and span",
        .timeLimit(.minutes(10))
    )
    func hog() async throws {
        let read = try await numbers("hog", seed: TestSeed.drawn())
        let large = (bytes: 100.0 * 1_048_576, deviation: deviation(count: 100, bytes: 1_048_576))
        let small = (bytes: 1e6 * 100, deviation: deviation(count: 1e6, bytes: 100))
        let all = (large.bytes + small.bytes, (pow(large.deviation, 2) + pow(small.deviation, 2)).squareRoot())
        // 5 standard deviations: one of 600,000 seeds is further off.
        func expect(_ name: String, _ bytes: Double, _ deviation: Double) throws {
            let estimate = try #require(read["\(name)-bytes"], "\(read)")
            #expect(abs(estimate - bytes) < 5 * deviation, "\(name): \(estimate) of \(bytes) ± \(deviation); \(read)")
            #expect(read["\(name)-labelled"] == read["\(name)-samples"], "\(read)")
            #expect(read["\(name)-wrong"] == 0, "\(read)")
        }
        try expect("large", large.bytes, large.deviation)
        try expect("small", small.bytes, small.deviation)
        try expect("all", all.0, all.1)
        try expect("half", all.0 / 2, all.1 / 2.0.squareRoot())
        #expect(read["none-samples"] == 0, "\(read)")
        #expect(read["all-samples"] == (read["large-samples"] ?? 0) + (read["small-samples"] ?? 0), "\(read)")
        #expect(read["lost"] == 0, "\(read)")
    }

    @Test("The weights have no bias for any mix of sizes", .timeLimit(.minutes(10)))
    func weights() async throws {
        let deviations = try await numbers("weights", seed: TestSeed.drawn())
        #expect(deviations.count == 8, "\(deviations)")
        // Dozens of blocks or more are sampled, and as many are not: nearly normal sums. One of 30,000 seeds has one above 5.
        for (name, value) in deviations { #expect(abs(value) < 5, "\(name) is \(value) standard deviations off") }
    }

    @Test("What lives is what was sampled and not freed, while sampling starts and ends", .timeLimit(.minutes(10)))
    func model() async throws {
        let read = try await numbers("model", seed: TestSeed.drawn())
        #expect(read == ["compared": 200, "different": 0, "dropped": 0])
    }

    @Test("Blocks that threads free for each other: nothing that was sampled disappears", .timeLimit(.minutes(10)))
    func threads() async throws {
        let read = try await numbers("threads", seed: TestSeed.drawn())
        let sampled = try #require(read["sampled"], "\(read)")
        #expect(sampled > 50_000, "\(read)")
        #expect((read["drained"] ?? 0) + (read["lost"] ?? 0) == sampled, "\(read)")
        #expect((read["freed"] ?? 0) + (read["dropped"] ?? 0) + (read["live"] ?? 0) == sampled, "\(read)")
        #expect(read["wrong"] == 0, "\(read)")
    }

    @Test(
        "A block that is read while its address gets another one is whole, or is left out",
        .enabled(if: ExternalTool.compilerOfC.mayRun, "\(ExternalTool.compilerOfC.installation)"),
        .timeLimit(.minutes(10))
    )
    func replacedBlock() async throws {
        let compiled = try CompiledC()
        defer { withExtendedLifetime(compiled) {} }
        let folder = Repository.root.appending(path: "Sources").path
        let options = ["-O2", "-lpthread", "-I\(folder)/CAxiomHeap", "-I\(folder)/CAxiomProfiler/include"]
        let output = try await Command.run(try await compiled.make("torn", Self.replacing, options), []).output
        let numbers = output.split(separator: " ").compactMap { Int($0) }
        #expect(numbers.count == 2 && numbers[0] > 0 && numbers[1] == 0, "\(output)")
    }

    /// A thread puts two samples in turns at one address; another one reads them. Prints how many were read, and how many were mixed.
    private static let replacing = """
        #define _GNU_SOURCE
        #include <pthread.h>
        #include <stddef.h>
        #include <stdio.h>
        #include <string.h>
        #include <time.h>
        #include "Blocks.h"
        static _Atomic bool is_ended;
        static void *address = (void *)0x1000;
        static void *exchange(void *none) {
            struct axiom_sample samples[2];
            for (int i = 0; i < 2; i++) memset(&samples[i], i + 1, sizeof samples[i]);
            for (unsigned i = 0; !is_ended; i++) put_live(address, &samples[i % 2]), remove_live(address);
            return none;
        }
        int main(void) {
            make_records();
            pthread_t thread;
            pthread_create(&thread, 0, exchange, 0);
            struct axiom_sample sample;
            long read = 0, mixed = 0;
            for (time_t end = time(0) + 20; read < 300000 && time(0) < end;) {
                if (!get(bucket(hash(address)), &sample)) continue;
                read++;
                mixed += memcmp(&sample, (char *)&sample + 1, stored_words * 8 - 1) != 0;
            }
            is_ended = true;
            pthread_join(thread, 0);
            printf("%ld %ld", read, mixed);
        }
        """

    @Test("The child of a fork can sample, while threads of the parent allocate", .timeLimit(.minutes(10)))
    func forks() async throws {
        #expect(try await numbers("forks", seed: TestSeed.drawn()) == ["failed": 0])
    }

    @Test("What does not fit is counted, a deep stack is cut, and a second start is refused", .timeLimit(.minutes(10)))
    func limits() async throws {
        let read = try await numbers("full")
        #expect(read["start"] == 0 && read["again"] == Double(EBUSY) && read["zero"] == Double(EINVAL), "\(read)")
        let (sampled, dropped) = (read["sampled"] ?? 0, read["dropped"] ?? 0)
        #expect(sampled >= 6_000 && dropped >= 1_904, "\(read)")
        #expect(read["live"] == sampled - dropped - (read["freed"] ?? 0), "\(read)")
        #expect(read["drained"] == 256 && read["lost"] == sampled - 256, "\(read)")
        #expect(read["cut"] == 1, "\(read)")
        #expect(read["rest"] == read["expected-rest"], "\(read)")
    }

    @Test("A profile says how many samples and live blocks did not fit", .timeLimit(.minutes(10)))
    func lost() async throws {
        let read = try await numbers("lost")
        // 98 % of 10,000 blocks are sampled, and there is space for 4,096 of them, and for 256 samples in a tenth of a second.
        #expect((read["allocated"] ?? 0) > 1_000, "\(read)")
        #expect((read["live"] ?? 0) > 5_000 && read["live"] ?? 0 <= read["dropped"] ?? 0, "\(read)")
    }

    @Test("A call that is sampled returns what it would", .timeLimit(.minutes(10)))
    func calls() async throws {
        let results = try await probe("calls")
        #expect(results.count == 10)
        for (name, result) in results { #expect(result == "true", "\(name)") }
    }
}
#endif
