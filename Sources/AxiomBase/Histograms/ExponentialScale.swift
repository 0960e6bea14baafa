// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The bounds of base-2 exponential buckets: at schema n, bucket i holds 2^((i-1)·2^-n) < |x| <= 2^(i·2^-n).
///
/// The definition is that of Prometheus' native histograms
/// (https://prometheus.io/docs/specs/native_histograms/#schema). A table maps the highest bits of the significand to a
/// bucket of schema 8 or to the one before it, one comparison decides which, and a shift gives the bucket of a coarser
/// schema. Therefore a downscaled histogram equals the one that would have been recorded at the coarser schema.
@frozen
@usableFromInline
package struct ExponentialScale: @unchecked Sendable {
    // Unchecked because of the pointers: their memory is written once, in `init`, and never freed.

    /// The schemas that Prometheus supports: bounds grow by a factor of 65,536 at schema -4 and of 1.0027 at schema 8.
    package static let schemas = -4...8

    /// The one instance.
    package static let shared = ExponentialScale()

    /// For each of 512 equal parts of the significand's range, the first bucket whose bound is not below the part.
    @usableFromInline let starts: UnsafePointer<Int>
    /// The significands of 2^(k/256) without their leading 1, for k from 0; the last is above every significand.
    @usableFromInline let significands: UnsafePointer<UInt64>

    private init() {
        let bounds = UnsafeMutablePointer<UInt64>.allocate(capacity: 257)
        for step in 0..<256 {
            (bounds + step).initialize(to: exp2(Double(step) / 256).significandBitPattern)
        }
        (bounds + 256).initialize(to: 1 << 52)
        let starts = UnsafeMutablePointer<Int>.allocate(capacity: 512)
        var bucket = 0
        for part in 0..<512 {
            while bounds[bucket] < UInt64(part) << 43 { bucket += 1 }
            (starts + part).initialize(to: bucket)
        }
        self.starts = UnsafePointer(starts)
        significands = UnsafePointer(bounds)
    }

    /// The bucket of `magnitude` at schema 8. Cost: two table look-ups, no branch that depends on the value.
    ///
    /// - Parameter magnitude: Positive and finite; anything else gives a meaningless index.
    @inlinable
    @inline(__always)
    package func finestIndex(of magnitude: Double) -> Int {
        let bits = magnitude.bitPattern
        guard bits >> 52 != 0 else { return subnormalIndex(of: magnitude) }
        let significand = bits & 0xf_ffff_ffff_ffff
        let bucket = starts[Int(truncatingIfNeeded: significand >> 43)]
        let step = significand > significands[bucket] ? 1 : 0
        return (Int(truncatingIfNeeded: bits >> 52) &- 1_023) &<< 8 &+ bucket &+ step
    }

    /// The bucket of `magnitude` at `schema`.
    ///
    /// - Parameters:
    ///   - magnitude: Positive and finite; anything else gives a meaningless index.
    ///   - schema: One of ``schemas``.
    @inlinable
    package func index(of magnitude: Double, schema: Int) -> Int {
        Self.coarsened(finestIndex(of: magnitude), by: 8 &- schema)
    }

    /// The bucket that contains bucket `index` after the schema is lowered by `steps`, 0...63.
    @inlinable
    package static func coarsened(_ index: Int, by steps: Int) -> Int {
        (index &- 1) &>> steps &+ 1
    }

    /// The inclusive upper bound of a bucket. For the last bucket, whose bound would be 2^1024, the largest finite number.
    ///
    /// - Parameter schema: One of ``schemas``.
    package func upperBound(of index: Int, schema: Int) -> Double {
        let (scaled, overflow) = index.multipliedReportingOverflow(by: 1 << (8 - schema))
        guard !overflow, scaled.magnitude < 1 << 20 else { return index < 0 ? 0 : .greatestFiniteMagnitude }
        let fraction = Double(sign: .plus, exponentBitPattern: 1_023, significandBitPattern: significands[scaled & 255])
        return min(scalbn(fraction, Int32(scaled >> 8)), .greatestFiniteMagnitude)
    }

    /// The magnitude is scaled into the range of normal numbers first.
    @usableFromInline
    func subnormalIndex(of magnitude: Double) -> Int {
        guard magnitude > 0 else { return .min >> 1 }
        return finestIndex(of: magnitude * 0x1p64) - (64 << 8)
    }
}
