// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation

/// The format that flamegraph.pl and its successors read: `Cart.add;parse;strlen 12`. The root comes first, and the number is that
/// of the samples on a processor. A stack without one, which only waited or allocated, is left out. If all are, a line says so.
enum CollapsedText {
    static func bytes(of profile: Profile) -> [UInt8] {
        let names = profile.frames.map { name(of: $0) }
        var samples: [String: Int] = [:]
        for stack in profile.stacks where stack.samples > 0 {
            samples[stack.frames.map { names[$0] }.joined(separator: ";"), default: 0] += stack.samples
        }
        let lines = samples.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
        return Array((lines.isEmpty ? "[nothing was sampled] 0\n" : lines.joined()).utf8)
    }

    /// A name has neither the separator of frames nor that of lines: they become a colon and a space.
    private static func name(of frame: Profile.Frame) -> String {
        String(frame.title.map { $0 == ";" ? ":" : $0.isNewline ? " " : $0 })
    }
}
