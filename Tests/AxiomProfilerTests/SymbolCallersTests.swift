// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc) && arch(x86_64)
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomProfiler

/// Runs functions without frame pointers one instruction at a time, and asks for the caller at each: the stack says which it is.
@Suite(
    "Callers of functions without frame pointers",
    .enabled(if: ExternalTool.compilerOfC.mayRun, "\(ExternalTool.compilerOfC.installation)"),
    .timeLimit(.minutes(10))
)
struct SymbolCallersTests {
    @Test("The caller is right at nearly all instructions, and one that is not is marked")
    func singleSteps() async throws {
        let compiled = try CompiledC()
        defer { withExtendedLifetime(compiled) {} }
        let folder = Repository.root.appending(path: "Sources/CAxiomProfiler").path
        let options = ["-I\(folder)/include", "-lpthread", "-Wl,-z,now"]
        let planted = try await compiled.make("planted.o", Self.planted, ["-c", "-O2", "-fomit-frame-pointer"])
        let tableless = try await compiled.make(
            "tableless.o",
            Self.planted.replacing("planted", with: "tableless"),
            ["-c", "-O2", "-fomit-frame-pointer", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]
        )
        let program = try await compiled.make(
            "steps",
            Self.program,
            ["-O1", "-fno-omit-frame-pointer", "-fno-builtin", planted, tableless, "\(folder)/modules.c"] + options
        )
        let output = try await Command.run(program, []).output
        print(output)
        let lines = output.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count == 4 }
        #expect(lines.map { $0[0] } == ["memcpy", "strlen", "qsort", "malloc", "snprintf", "planted", "tableless"])
        for line in lines {
            let (steps, right, unmarked) = (Double(line[1]) ?? 0, Double(line[2]) ?? 0, Int(line[3]) ?? -1)
            #expect(steps > 300)
            // snprintf has more on its stack than a sample has words.
            #expect(right / steps > (line[0] == "snprintf" ? 0.5 : 0.99), "\(line)")
            #expect(Double(unmarked) <= steps * 0.002, "\(line)")
        }
    }

    private static let planted = """
        #include <stdint.h>
        #define PLAIN __attribute__((noinline))
        PLAIN uint64_t planted_leaf(uint64_t n) { uint64_t v = n; while (n--) v = v * 3 + (n ^ v); return v; }
        PLAIN uint64_t planted_mid(uint64_t n) { return planted_leaf(n) + planted_leaf(n / 2) + 1; }
        PLAIN uint64_t planted(uint64_t n) { uint64_t a = planted_mid(n); return a ^ planted_mid(n + 1); }
        """

    private static let program = """
        #define _GNU_SOURCE
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <ucontext.h>
        #include "CAxiomModules.h"
        static struct step { uintptr_t caller, frames[4], words[16]; size_t frame_count; int kind; } *steps;
        static size_t count, depth, limit = 300000;
        static int kind;
        static uintptr_t slots[4096], last_code, last_stack, top;
        static void step(int number, siginfo_t *info, void *context) {
            greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
            uintptr_t code = registers[REG_RIP], stack = registers[REG_RSP], frame = registers[REG_RBP];
            while (depth && slots[depth - 1] < stack) depth--;
            uintptr_t pushed = *(uintptr_t *)stack;
            int is_call = last_code && (*(uint8_t *)last_code == 0xe8 || memchr((void *)last_code, 0xff, 3));
            if (is_call && stack == last_stack - 8 && pushed - last_code <= 8) slots[depth++] = stack;
            last_code = code, last_stack = stack;
            if (count == limit || !depth) return;
            struct step *step = &steps[count++];
            *step = (struct step){.caller = *(uintptr_t *)slots[depth - 1], .frames = {code}, .frame_count = 1, .kind = kind};
            memcpy(step->words, (void *)stack, sizeof step->words);
            if (frame % 8 == 0 && frame > stack - 64 && frame < top) step->frames[step->frame_count++] = ((uintptr_t *)frame)[1];
        }
        #define TRAP(change) __asm__ volatile("pushfq; " change " (%%rsp); popfq" ::: "memory", "cc")
        #define RUN(code) { last_code = depth = 0; TRAP("orq $0x100,"); code; TRAP("andq $~0x100,"); kind++; }
        static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
        uint64_t planted(uint64_t), tableless(uint64_t);
        static char one[8000], two[8000], text[500];
        static int numbers[80];
        static void *kept[60];
        volatile uint64_t sink;
        int main(void) {
            steps = calloc(limit, sizeof *steps);
            top = (uintptr_t)__builtin_frame_address(0) + 64;
            static char alternate[1 << 16];
            stack_t signals = {.ss_sp = alternate, .ss_size = sizeof alternate};
            sigaltstack(&signals, 0);
            struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
            sigaction(SIGTRAP, &action, 0);
            memset(one, 'a', sizeof one - 1);
            for (int i = 0; i < 80; i++) numbers[i] = i * 7919 % 1000;
            RUN(memcpy(two, one, sizeof one); for (int i = 0; i < 60; i++) memcpy(two, one, i))
            RUN(sink = strlen(one))
            RUN(qsort(numbers, 80, 4, compare))
            RUN(for (int i = 1; i < 60; i++) { kept[i] = malloc(i * 97); if (i % 3) free(kept[i]); })
            RUN(snprintf(text, 500, "%d %s %f %lx", 42, "abc", 3.14159, 77L))
            RUN(sink = planted(300))
            RUN(sink = tableless(300))
            const char *names[] = {"memcpy", "strlen", "qsort", "malloc", "snprintf", "planted", "tableless"};
            for (kind = 0; kind < 7; kind++) {
                size_t all = 0, right = 0, unmarked = 0;
                for (struct step *step = steps; step < steps + count; step++) {
                    if (step->kind != kind) continue;
                    struct axiom_callers found;
                    axiom_missing_callers(step->frames, step->frame_count, step->words, 16, &found);
                    uintptr_t chain = found.next < step->frame_count ? step->frames[found.next] : 0;
                    uintptr_t caller = found.count ? found.callers[0] : chain;
                    all++;
                    right += caller == step->caller;
                    unmarked += caller && caller != step->caller && found.guessed != 1;
                }
                printf("%s %zu %zu %zu\\n", names[kind], all, right, unmarked);
            }
        }
        """
}
#endif
