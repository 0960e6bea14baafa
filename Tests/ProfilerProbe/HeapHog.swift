// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import Axiom
import AxiomProfiler
import CAxiomProfiler
import Glibc

/// Allocates blocks of two sizes under a span.
struct HeapHog {
    let heap: UnsafePointer<axiom_heap>
    let seed: UInt64

    private typealias Blocks = UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>

    func run() async {
        if let problem = await LabelCalibration.problem { return print("problem \(problem)") }
        let large = Blocks.allocate(capacity: 100)
        let small = Blocks.allocate(capacity: 1_000_000)
        // The first call of backtrace(3) allocates.
        let code = Self.fill(large[..<0], bytes: 0)
        print("start \(heap.pointee.start(512 << 10, seed))")
        let span = SpanContext(trace: 77, span: 77, record: 0, subject: 77)
        OperationContext.$current.withValue(OperationContext(span: span)) {
            _ = Self.fill(large[...], bytes: 1 << 20)
            report("large", code, heap.pointee.drain)
            _ = Self.fill(small[...], bytes: 100)
            report("small", code, heap.pointee.drain)
        }
        report("all", code, heap.pointee.live)
        Self.freeHalf(large, 0)
        Self.freeHalf(small, 0)
        report("half", code, heap.pointee.live)
        Self.freeHalf(large, 1)
        Self.freeHalf(small, 1)
        report("none", code, heap.pointee.live)
        heap.pointee.stop()
        print("lost \(heap.pointee.counts().lost)")
    }

    /// Allocates by malloc and by the runtime in turns. Returns the addresses of its code between its first and last call.
    @inline(never)
    private static func fill(_ blocks: Slice<Blocks>, bytes: Int) -> ClosedRange<UInt> {
        let start = caller()
        for index in blocks.indices {
            blocks.base[index] = index % 4 < 2 ? malloc(bytes) : .allocate(byteCount: bytes, alignment: 16)
        }
        let end = caller()
        return start...max(start, end)
    }

    @inline(never)
    private static func caller() -> UInt {
        var frames: [UnsafeMutableRawPointer?] = [nil, nil]
        return backtrace(&frames, 2) == 2 ? UInt(bitPattern: frames[1]) : 0
    }

    private static func freeHalf(_ blocks: Blocks, _ remainder: Int) {
        for index in blocks.indices where index % 2 == remainder { free(blocks[index]) }
    }

    private func report(
        _ name: String,
        _ code: ClosedRange<UInt>,
        _ deliver: (UnsafeMutableRawPointer?, axiom_take_sample) -> Void
    ) {
        var sums = HeapSums(code: code)
        sums.read(deliver)
        print("\(name)-samples \(sums.inCode)\n\(name)-bytes \(sums.bytes)\n\(name)-labelled \(sums.labelled)")
        print("\(name)-wrong \(sums.wrong)")
    }
}

@_silgen_name("backtrace")
private func backtrace(_ frames: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ limit: Int32) -> Int32
#endif
