// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Lets a function burn processor time. The time is given instead of the rounds: what a round takes differs between machines,
/// and between moments if others use the machine.
func spend(_ milliseconds: Double, _ work: (Int) -> UInt64) -> UInt64 {
    let end = ThreadTime.seconds + milliseconds / 1_000
    var (rounds, sum, start) = (1_000, UInt64(0), ThreadTime.seconds)
    while start < end {
        sum &+= work(rounds)
        let now = ThreadTime.seconds
        // The last call is a sixteenth of the whole, or two.
        if now - start < milliseconds / 32_000 { rounds *= 2 }
        start = now
    }
    return sum
}

// Functions that burn the processor for some rounds. No two of them have the same body: the compiler would merge them.

@inline(never)
func burnInPlace(_ rounds: Int) -> UInt64 {
    var value: UInt64 = 1
    for round in 0..<rounds { value = value &* 6_364_136_223_846_793_005 &+ UInt64(truncatingIfNeeded: round) }
    return value
}

@inline(never)
func firstDecoy(_ rounds: Int) -> UInt64 {
    var (value, other): (UInt64, UInt64) = (3, 5)
    for _ in 0..<rounds { (value, other) = (other ^ (value << 13), value &+ (other >> 7)) }
    return value
}

@inline(never)
func secondDecoy(_ rounds: Int) -> UInt64 {
    var value = 1.5
    for _ in 0..<rounds { value = value * 1.000_000_1 + 0.5 }
    return value.bitPattern
}

@inline(never)
func otherWork(_ rounds: Int) -> UInt64 {
    var (value, count): (UInt64, UInt64) = (7, 0)
    for _ in 0..<rounds {
        value = value.byteSwapped &* 31
        count &+= value & 1
    }
    return count
}

// MARK: Recursion

@inline(never)
func descend(_ rounds: Int, _ depth: Int) -> UInt64 {
    guard depth > 0 else { return 1 }
    let part = max(1, rounds / depth)
    var value = UInt64(depth)
    for _ in 0..<part { value = value &* 2_862_933_555_777_941_757 ^ 3 }
    return value &+ descend(rounds - part, depth - 1)
}

@inline(never)
func pingRound(_ rounds: Int, _ depth: Int) -> UInt64 {
    guard depth > 0 else { return 2 }
    let part = max(1, rounds / depth)
    var value: UInt64 = 11
    for _ in 0..<part { value = (value >> 3) &+ value &* 77 }
    return value ^ pongRound(rounds - part, depth - 1)
}

@inline(never)
func pongRound(_ rounds: Int, _ depth: Int) -> UInt64 {
    depth > 0 ? pingRound(rounds, depth - 1) &+ 1 : 3
}

// MARK: Generics

@inline(never)
func sumGeneric<Number: FixedWidthInteger>(_ start: Number, _ rounds: Int) -> Number {
    var value = start
    for _ in 0..<rounds { value = value &* 5 &+ 1 }
    return value
}

@inline(never)
@_semantics("optimize.sil.specialize.generic.never")
func sumUnspecialised<Number: FixedWidthInteger>(_ start: Number, _ rounds: Int) -> Number {
    var value = start
    for _ in 0..<rounds { value = value &* 3 &+ 1 }
    return value
}

// MARK: Closures

@inline(never)
func makeClosure(_ factor: UInt64) -> @Sendable (Int) -> UInt64 {
    { rounds in
        var value = factor
        for _ in 0..<rounds { value = value &* factor &+ 99 }
        return value
    }
}

@inline(never)
func mapNumbers(_ rounds: Int) -> UInt64 {
    let numbers = (0..<UInt64(max(1, rounds / 200))).map { number in
        var value = number
        for _ in 0..<200 { value = value &* 1_103_515_245 &+ (value >> 16) }
        return value
    }
    return numbers.reduce(0, ^)
}

// MARK: Inlined, awaited, dispatched

@inline(__always)
func tinyStep(_ value: UInt64) -> UInt64 { value &* 69_069 &+ 1 }

@inline(never)
func holdTinySteps(_ rounds: Int) -> UInt64 {
    var value: UInt64 = 13
    for _ in 0..<rounds { value = tinyStep(value) }
    return value
}

@inline(never)
func burnAfterAwait(_ milliseconds: Double) async -> UInt64 {
    await Task.yield()
    return spend(milliseconds) { rounds in
        var value: UInt64 = 17
        for _ in 0..<rounds { value = (value &+ 12_345) &* 1_664_525 }
        return value
    }
}

protocol Burning: Sendable {
    func burnThroughWitness(_ rounds: Int) -> UInt64
}

struct FirstBurning: Burning {
    @inline(never)
    func burnThroughWitness(_ rounds: Int) -> UInt64 {
        var value: UInt64 = 19
        for _ in 0..<rounds { value ^= value << 5 &+ 11 &- value >> 3 }
        return value
    }
}

struct SecondBurning: Burning {
    func burnThroughWitness(_ rounds: Int) -> UInt64 { UInt64(rounds) }
}

class BaseBurner: @unchecked Sendable {
    func burnByTable(_ rounds: Int) -> UInt64 { UInt64(rounds) }
}

final class HotBurner: BaseBurner, @unchecked Sendable {
    @inline(never)
    override func burnByTable(_ rounds: Int) -> UInt64 {
        var value: UInt64 = 23
        for _ in 0..<rounds { value = ~value &* 134_775_813 &+ 1 }
        return value
    }
}

// MARK: Libraries

@inline(never)
func countWords(_ rounds: Int) -> UInt64 {
    var counts: [String: Int] = [:]
    for round in 0..<max(1, rounds / 300) { counts["the word with the number \(round % 97)", default: 0] += 1 }
    return UInt64(counts.count)
}

/// The C library searches without a frame pointer.
@inline(never)
func searchByLibrary(_ rounds: Int) -> UInt64 {
    var bytes = [UInt8](repeating: 1, count: 8_192)
    var sum: UInt64 = 0
    for round in 0..<max(1, rounds / 400) {
        bytes[bytes.count - 1] = UInt8(truncatingIfNeeded: round)
        sum &+= bytes.withUnsafeBytes { UInt64(UInt(bitPattern: memchr($0.baseAddress!, 0xff, $0.count)) & 1) }
    }
    return sum
}

// MARK: Memory

@inline(never)
func allocateMuch(_ rounds: Int) -> UInt64 {
    var sum: UInt64 = 0
    for round in 0..<max(1, rounds / 50_000) {
        let block = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 100_000)
        sum &+= UInt64(block[round % block.count])
    }
    return sum
}

@inline(never)
func allocateLittle(_ rounds: Int) -> UInt64 {
    var sum: UInt64 = 0
    for round in 0..<max(1, rounds / 1_000) {
        let block = [UInt64](repeating: UInt64(round), count: 16 + round % 2)
        sum &+= block[round % block.count]
    }
    return sum
}
