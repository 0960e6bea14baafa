// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What the old applications use of Combine, which Linux does not have.

public protocol ObservableObject: AnyObject {}

public final class AnyCancellable: Hashable {
    private var body: (() -> Void)?

    public init(_ cancel: @escaping () -> Void) { body = cancel }
    deinit { cancel() }

    public func cancel() {
        body?()
        body = nil
    }

    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@propertyWrapper
public struct Published<Value> {
    /// The values of a property: the current one at once, then each new one.
    public final class Publisher {
        fileprivate var value: Value
        private var receivers: [Int: (Value) -> Void] = [:]
        private var count = 0

        fileprivate init(_ value: Value) { self.value = value }

        public func sink(receiveValue: @escaping (Value) -> Void) -> AnyCancellable {
            count += 1
            let id = count
            receivers[id] = receiveValue
            receiveValue(value)
            return AnyCancellable { [weak self] in self?.receivers[id] = nil }
        }

        fileprivate func set(_ new: Value) {
            value = new
            for receiver in receivers.sorted(by: { $0.key < $1.key }) { receiver.value(new) }
        }
    }

    public let projectedValue: Publisher

    public init(wrappedValue: Value) { projectedValue = Publisher(wrappedValue) }

    public var wrappedValue: Value {
        get { projectedValue.value }
        nonmutating set { projectedValue.set(newValue) }
    }
}
