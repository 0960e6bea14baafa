// SPDX-License-Identifier: Apache-2.0

/// The processor time of stacks of functions, as samples have it.
struct StackCosts: Sendable {
    /// Nanoseconds, by the names of the functions, the outermost one first. A function of a library has the library's name in brackets.
    private(set) var stacks: [[String]: Double] = [:]
    /// The samples, and the iterations that took the time.
    var (samples, iterations) = (0, 0)

    var time: Double { stacks.values.reduce(0, +) }
    /// Nanoseconds for each iteration.
    var perIteration: Double { time / Double(max(1, iterations)) }

    mutating func add(_ stack: [String], _ nanoseconds: Double) { stacks[stack, default: 0] += nanoseconds }

    mutating func add(_ other: StackCosts) {
        (samples, iterations) = (samples + other.samples, iterations + other.iterations)
        for (stack, time) in other.stacks { add(stack, time) }
    }
}

extension StackCosts {
    /// A line for each stack, `outer;inner 123000`. The first one has the numbers of samples and iterations.
    var text: String {
        let lines = stacks.map { stack, time in
            let names = stack.map { name in String(name.map { $0 == ";" ? ":" : $0.isNewline ? " " : $0 }) }
            return "\(names.joined(separator: ";")) \(Int64(time))"
        }
        return (["samples \(samples) iterations \(iterations)"] + lines.sorted()).joined(separator: "\n") + "\n"
    }

    /// Reads what ``text`` has, with stable names of functions; nil for another text.
    init?(text: String) {
        let lines = text.split(separator: "\n")
        guard let counts = lines.first?.wholeMatch(of: /samples (\d+) iterations (\d+)/) else { return nil }
        (samples, iterations) = (Int(counts.1) ?? 0, Int(counts.2) ?? 0)
        var names: [Substring: String] = [:]
        for line in lines.dropFirst() {
            guard let blank = line.lastIndex(of: " "), let time = Double(line[blank...].dropFirst()) else { return nil }
            let stack = line[..<blank].split(separator: ";").map { name in
                let stable = names[name] ?? Self.stableName(String(name))
                names[name] = stable
                return stable
            }
            add(stack, time)
        }
    }

    /// The name without what differs between builds of the same function: the arguments of generic types and functions, the
    /// numbers of closures and local functions, and what makes private names unique.
    static func stableName(_ name: String) -> String {
        var name = name.replacing("->", with: "→")
            .replacing(/closure \d+/, with: "closure")
            .replacing(/\s?#\d+/, with: "")
            .replacing(/\((\w+) in _[0-9A-F]+\)/) { $0.1 }
        while let match = name.firstMatch(of: /(\w)<[^<>]*>/) { name.replaceSubrange(match.range, with: match.1) }
        return name.replacing("→", with: "->")
    }

    /// Whether the function is one of a library: its time is that of the function of the program that called it.
    static func isOfLibrary(_ name: String) -> Bool { name.hasSuffix("]") && name.contains(" [") }
}
