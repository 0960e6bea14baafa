// SPDX-License-Identifier: Apache-2.0

public import CAxiomProcess

/// Keeps the compiler from removing the computation of `value`: machine code that it cannot look into may read the value,
/// and all memory that the value refers to. Call it within the loop of a body, once for each result.
///
/// Costs about a nanosecond: the value is written to the stack. It allocates nothing and counts no references, except that
/// an existential is copied.
@inlinable
@inline(__always)
public func blackHole<Value: ~Copyable>(_ value: borrowing Value) {
    withUnsafePointer(to: value) { axiom_sink($0) }
}

/// Returns `value`, which the compiler must take for another one: machine code that it cannot look into may have replaced
/// it. Without it, the compiler computes a result once, before the loop, or during the build. Call it within the loop, on
/// what the operation starts from.
///
/// Costs about a nanosecond, and a retain and a release for each reference in the value.
@inlinable
@inline(__always)
public func opaque<Value: ~Copyable>(_ value: consuming Value) -> Value {
    withUnsafeMutablePointer(to: &value) { axiom_replace($0) }
    return value
}
