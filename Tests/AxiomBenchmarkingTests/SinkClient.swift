// SPDX-License-Identifier: Apache-2.0

// A program of benchmarks in small, which SinkTests compiles with optimisation. It prints how the time of a loop grows with
// the work and with the iterations, for each kind of value.

import AxiomBenchmarking
import Synchronization

struct Pair { var first: Int, second: Double }
enum Choice {
    case numbers(Int, Int)
    case none
}
protocol Number { var number: Int { get } }
struct Large: Number { var number = 0, b = 1, c = 2, d = 3, e = 4 }
final class Box: Number {
    let number: Int
    init(_ number: Int) { self.number = number }
}
struct Unique: ~Copyable { var number: Int }
struct Nothing {}

/// The work: a chain of multiplications, without effects, so that the optimiser may remove it.
func chain(_ length: Int) -> Int {
    var value = 1
    for step in 0..<length { value = value &* 6_364_136_223 &+ (value >> 7) &+ step }
    return value
}

// Functions that are called and have no effect: an optimiser that knows so removes the call.
@inline(never) func integer(_ length: Int) -> Int { chain(length) }
@inline(never) func floating(_ length: Int) -> Double {
    var value = 1.0
    for _ in 0..<length { value = value * 0.999 + 0.5 }
    return value
}
@inline(never) func pair(_ length: Int) -> Pair { Pair(first: chain(length), second: 1) }
@inline(never) func choice(_ length: Int) -> Choice { .numbers(1, chain(length)) }
@inline(never) func array(_ length: Int) -> [Int] { [1, chain(length)] }
@inline(never) func string(_ length: Int) -> String { chain(length) & 1 == 0 ? "even" : "odd" }
@inline(never) func object(_ length: Int) -> Box { Box(chain(length)) }
@inline(never) func optional(_ length: Int) -> Int? { chain(length) & 1 == 0 ? 1 : nil }
@inline(never) func existential(_ length: Int) -> any Number { Large(number: chain(length)) }
@inline(never) func unique(_ length: Int) -> Unique { Unique(number: chain(length)) }
@inline(never) func function(_ length: Int) -> () -> Int {
    let value = chain(length)
    return { value }
}
func generic<Value: FixedWidthInteger>(_ length: Value) -> Value {
    var (value, step): (Value, Value) = (1, 0)
    while step < length { (value, step) = (value &* 97 &+ (value >> 3) &+ step, step + 1) }
    return value
}
/// The sink of a value whose type is not known here.
@inline(never) func sink<Value>(_ value: Value) { blackHole(value) }
@inline(never) @_optimize(none) func lose<Value>(_ value: Value) { sink(value) }

/// The least time of a body: other processes only make it longer.
func least(_ iterations: Int, _ body: (Int) -> Void) -> Duration {
    (0..<25).map { _ in ContinuousClock().measure { body(iterations) } }.min()!
}

/// The three are measured in turns, because a neighbour can slow the processor down for longer than one of them takes.
func row(_ kind: String, _ body: (_ iterations: Int, _ length: Int) -> Void) {
    let clock = ContinuousClock()
    let rounds = (0..<60).map { _ in
        [(1_000, 200), (1_000, 400), (2_000, 200)].map { size in clock.measure { body(size.0, size.1) } }
    }
    let times = (0..<3).map { index in rounds.map { $0[index] }.min()! }
    print("row", kind, times[1] / times[0], times[2] / times[0], separator: "\t")
}

let total = Atomic<Int>(0)
let addition = least(100_000) { for _ in 0..<$0 { total.wrappingAdd(1, ordering: .relaxed) } }

func cost(_ kind: String, _ body: (_ iterations: Int) -> Void) {
    print("cost", kind, least(100_000, body) / addition, separator: "\t")
}

@main
struct SinkClient {
    static func main() {
        results()
        inputs()
        alone()
    }

    static func results() {
        row("Int") { for _ in 0..<$0 { blackHole(integer(opaque($1))) } }
        row("Int, inlined") { for _ in 0..<$0 { blackHole(chain(opaque($1))) } }
        row("Double") { for _ in 0..<$0 { blackHole(floating(opaque($1))) } }
        row("struct") { for _ in 0..<$0 { blackHole(pair(opaque($1))) } }
        row("tuple") { for _ in 0..<$0 { blackHole((chain(opaque($1)), 1)) } }
        row("enum") { for _ in 0..<$0 { blackHole(choice(opaque($1))) } }
        row("array") { for _ in 0..<$0 { blackHole(array(opaque($1))) } }
        row("String") { for _ in 0..<$0 { blackHole(string(opaque($1))) } }
        row("class") { for _ in 0..<$0 { blackHole(object(opaque($1))) } }
        row("optional") { for _ in 0..<$0 { blackHole(optional(opaque($1))) } }
        row("existential") { for _ in 0..<$0 { blackHole(existential(opaque($1))) } }
        row("noncopyable") { for _ in 0..<$0 { blackHole(unique(opaque($1))) } }
        row("function") { for _ in 0..<$0 { blackHole(function(opaque($1))) } }
        row("generic") { for _ in 0..<$0 { blackHole(generic(opaque($1))) } }
        row("generic, unspecialised") { for _ in 0..<$0 { lose(chain(opaque($1))) } }
    }

    /// Values that the compiler knows, and could compute with in advance.
    static func inputs() {
        row("opaque struct") { count, length in
            for _ in 0..<count { blackHole(chain(opaque(Pair(first: length, second: 1)).first)) }
        }
        row("opaque array") { count, length in
            let lengths = [length, 2]
            for _ in 0..<count { blackHole(chain(opaque(lengths)[0])) }
        }
        row("opaque String") { count, length in
            let text = String(repeating: "x", count: length)
            for _ in 0..<count { blackHole(chain(opaque(text).utf8.count)) }
        }
        row("opaque class") { count, length in
            let box = Box(length)
            for _ in 0..<count { blackHole(chain(opaque(box).number)) }
        }
        row("opaque optional") { count, length in
            for _ in 0..<count { blackHole(chain(opaque(Optional(length)) ?? 0)) }
        }
        row("opaque existential") { count, length in
            let number: any Number = Box(length)
            for _ in 0..<count { blackHole(chain(opaque(number).number)) }
        }
        row("opaque noncopyable") { count, length in
            for _ in 0..<count { blackHole(chain(opaque(Unique(number: length)).number)) }
        }
    }

    /// The sink alone: neither an allocation nor the counting of references fits into the time of an atomic addition.
    static func alone() {
        cost("Int") { for index in 0..<$0 { blackHole(index) } }
        cost("opaque Int") { for index in 0..<$0 { blackHole(opaque(index)) } }
        cost("Void") { for _ in 0..<$0 { blackHole(()) } }
        cost("empty") { for _ in 0..<$0 { blackHole(Nothing()) } }
        let box = opaque(Box(1))
        cost("class") { for _ in 0..<$0 { blackHole(box) } }
        let text = String(repeating: "x", count: opaque(100))
        cost("String") { for _ in 0..<$0 { blackHole(text) } }
        let array = [Int](repeating: 1, count: opaque(100))
        cost("array") { for _ in 0..<$0 { blackHole(array) } }
    }
}
