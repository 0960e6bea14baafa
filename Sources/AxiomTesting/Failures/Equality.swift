// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
public import Testing

/// Records a failure with the difference of two values, unless they are equal.
///
/// ```swift
/// expectEqual(client.state, CartState(count: 2))
/// ```
/// - Parameters:
///   - actual: The value to check.
///   - expected: What it has to be.
///   - reporter: Takes the failure.
/// - Returns: Whether they are equal.
@discardableResult
public func expectEqual<Value: Equatable>(
    _ actual: Value,
    _ expected: Value,
    reporter: FailureReporter = .testing,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Bool {
    guard actual != expected else { return true }
    let text = difference(expected: expected, actual: actual)
    reporter.fail("The \(Value.self) is not as expected:\n\n\(text)", at: sourceLocation)
    return false
}

/// The difference of two values that are not equal, as text.
func difference<Value>(expected: Value, actual: Value) -> String {
    let (expected, actual) = (ValueTree(expected), ValueTree(actual))
    return Difference.text(expected: expected, actual: actual) ?? Difference.unseen(expected)
}

extension Difference {
    /// The differences of several values that are not equal, also of those that look the same; nil if there are no values.
    static func text(ofUnequal values: [(label: String?, expected: ValueTree?, actual: ValueTree?)]) -> String? {
        let alike = values.compactMap { value -> String? in
            guard let expected = value.expected, expected == value.actual else { return nil }
            return (value.label.map { "\($0): " } ?? "") + unseen(expected)
        }
        let texts = [text(values)].compactMap(\.self) + alike
        return texts.isEmpty ? nil : texts.joined(separator: "\n\n")
    }

    /// The text for two values that are not equal, although their trees are.
    fileprivate static func unseen(_ value: ValueTree) -> String {
        "Both are \(value.line), but they are not equal. Compare their == and what reflection shows."
    }
}
