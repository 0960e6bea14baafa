// SPDX-License-Identifier: Apache-2.0

/// Keeps the compiler from removing the computation of `value`. Cost: a call.
@inline(never)
public func blackHole<Value>(_ value: Value) {}

/// Returns `value` in a way that the compiler cannot see through, so that it computes nothing from it in advance.
@inline(never)
@_optimize(none)
public func opaque<Value>(_ value: Value) -> Value { value }
