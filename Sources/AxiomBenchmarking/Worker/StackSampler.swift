// SPDX-License-Identifier: Apache-2.0

internal import AxiomSymbols
internal import Foundation

#if os(Linux) && canImport(Glibc)
internal import CAxiomProfiler

/// Samples the stacks of this process by the clock, with the processor time that each one stands for.
final class StackSampler {
    /// 4,000 samples a second. A prime number is no multiple of what an iteration takes.
    private static let period: Int64 = 249_989

    private let symbolizer = Symbolizer(naming: StackSampler.name)
    private let program = URL(filePath: MeasuredProgram.current.path).lastPathComponent
    /// By their addresses, the innermost one first. Changed on the sampler's thread, which has ended when they are read.
    private var sampled: [[CodeAddress]: Double] = [:]
    private var samples = 0

    /// Whether samples count; not before a body starts.
    func measure(_ isMeasuring: Bool) { axiom_sampler_pause(!isMeasuring) }

    /// What is sampled while a body runs.
    ///
    /// - Throws: ``BenchmarkError`` if this process cannot be sampled.
    func costs(during body: () throws -> Void) throws -> StackCosts {
        (sampled, samples) = ([:], 0)
        var options = axiom_sampler_options(
            period: Self.period,
            by_clock: true,
            take: { context, sample in
                guard let context, let sample else { return }
                Unmanaged<StackSampler>.fromOpaque(context).takeUnretainedValue().take(sample)
            },
            tick: { _ in },
            finish: { _ in },
            context: Unmanaged.passUnretained(self).toOpaque()
        )
        let problem = axiom_sampler_start(&options)
        guard problem == axiom_sampler_works else {
            throw BenchmarkError(.system, "stacks cannot be sampled (\(problem.rawValue)): another profiler may run")
        }
        axiom_sampler_pause(true)
        do {
            defer { axiom_sampler_stop() }
            try body()
        }
        return named()
    }

    private func take(_ sample: UnsafePointer<axiom_sample>) {
        samples += 1
        sampled[symbolizer.frames(of: sample), default: 0] += Double(sample.pointee.amount)
    }

    private func named() -> StackCosts {
        let addresses = Set(sampled.keys.joined())
        symbolizer.prepare(Array(addresses), withLines: false)
        let names = Dictionary(uniqueKeysWithValues: addresses.map { ($0, name(of: $0)) })
        var costs = StackCosts()
        costs.samples = samples
        for (stack, time) in sampled { costs.add(stack.reversed().compactMap { names[$0] }, time) }
        return costs
    }

    /// A function of the harness or of its sampler explains nothing to a reader, and neither does one that the compiler copied from
    /// the standard library: it has the name of its module in brackets, as one of a library.
    static func name(_ symbol: String) -> String {
        let name = SymbolName.readable(symbol)
        let isOfHarness = symbol.hasPrefix("$s17AxiomBenchmarking") || symbol.hasPrefix("axiom_")
        if isOfHarness { return "\(name) [AxiomBenchmarking]" }
        return isOfSwift(symbol) ? "\(name) [Swift]" : name
    }

    /// Whether the symbol is that of a function of the standard library outside of types: in a type, it may be an extension's.
    private static func isOfSwift(_ symbol: String) -> Bool {
        guard let length = symbol.prefixMatch(of: /\$ss(\d+)/), let count = Int(length.1) else { return false }
        let kind = symbol[length.range.upperBound...].dropFirst(count).first
        return kind.map { !"VCOPa".contains($0) } ?? false
    }

    private func name(of address: CodeAddress) -> String {
        guard let location = symbolizer.locations(of: address).last else { return "" }
        return location.module == program ? location.function : "\(location.function) [\(location.module)]"
    }
}
#else
/// Stands for it on systems whose stacks cannot be sampled.
final class StackSampler {
    func measure(_ isMeasuring: Bool) {}

    func costs(during body: () throws -> Void) throws -> StackCosts {
        throw BenchmarkError(.system, "stacks are sampled on Linux only")
    }
}
#endif
