// SPDX-License-Identifier: Apache-2.0

// Runs one target under libFuzzer. Scripts/fuzz builds and starts it.
//
//     axiom-fuzz --list                    the targets, with the longest input and the share of each
//     axiom-fuzz --dictionary TARGET       the words of a target, as libFuzzer reads them
//     AXIOM_FUZZ_TARGET=NAME axiom-fuzz    libFuzzer, with its options; it starts itself again to merge a corpus, so the
//                                          target is not among them

import CFuzzSteps
import Foundation

/// libFuzzer, without its own `main`.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The target of this process.
nonisolated(unsafe) private var target = FuzzTarget.all[0]
/// The most comparisons for each byte, of inputs that are not short.
nonisolated(unsafe) private var steepest = 0
private let shortest = 64

func printError(_ message: String) {
    let line = Array("axiom-fuzz: \(message)\n".utf8)
    write(STDERR_FILENO, line, line.count)
}

func fail(_ message: String) -> Never {
    printError(message)
    exit(2)
}

func named(_ name: String?) -> FuzzTarget {
    guard let name, let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fail("there is no target \(name ?? "(none)"); --list lists them")
    }
    return target
}

func word(_ text: String) -> String {
    let bytes = text.utf8.map { byte -> String in
        let isPlain = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        let digits = String(byte, radix: 16, uppercase: true)
        return isPlain ? String(UnicodeScalar(byte)) : "\\x" + (digits.count == 1 ? "0" : "") + digits
    }
    return "\"\(bytes.joined())\""
}

func check(_ bytes: [UInt8]) {
    _ = axiom_fuzz_take_steps()
    do {
        try target.check(bytes)
    } catch {
        printError("\(target.name): \(error)")
        abort()
    }
    let steps = axiom_fuzz_take_steps()
    if steps > target.steps.base + target.steps.perByte * bytes.count {
        printError("\(target.name): \(steps) comparisons for \(bytes.count) bytes")
        abort()
    }
    if bytes.count >= shortest { steepest = max(steepest, steps / bytes.count) }
}

switch CommandLine.arguments.dropFirst().first {
case "--list":
    for target in FuzzTarget.all { print(target.name, target.maximumLength, target.share) }
case "--dictionary":
    for text in named(CommandLine.arguments.dropFirst(2).first).words { print(word(text)) }
default:
    target = named(getenv("AXIOM_FUZZ_TARGET").map { String(cString: $0) })
    atexit { print("comparisons: \(steepest)") }
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
        runFuzzer(&count, &arguments) { start, length in
            check(Array(UnsafeBufferPointer(start: start, count: length)))
            return 0
        }
    )
}
