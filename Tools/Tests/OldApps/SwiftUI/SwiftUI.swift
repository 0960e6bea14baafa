// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What the old applications use of SwiftUI, which Linux does not have. Nothing is shown.

@_exported import Combine

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("Never has no body") }
}

/// A view without a body.
public protocol Leaf: View where Body == Never {}
extension Leaf { public var body: Never { fatalError("a leaf has no body") } }

@resultBuilder
@MainActor public enum ViewBuilder {
    public static func buildBlock<V: View>(_ view: V) -> V { view }
    public static func buildBlock<each V: View>(_ views: repeat each V) -> Several<repeat each V> {
        Several(views: (repeat each views))
    }
    public static func buildEither<First: View, Second: View>(first: First) -> Either<First, Second> { .first(first) }
    public static func buildEither<First: View, Second: View>(second: Second) -> Either<First, Second> {
        .second(second)
    }
    public static func buildOptional<V: View>(_ view: V?) -> Maybe<V> { Maybe(view: view) }
}

public struct Several<each V: View>: Leaf { let views: (repeat each V) }
public enum Either<First: View, Second: View>: Leaf {
    case first(First)
    case second(Second)
}
public struct Maybe<V: View>: Leaf { let view: V? }
public struct Modified<V: View>: Leaf { let view: V }

public struct Color: Sendable {
    public static let red = Color()
}

public struct Text: Leaf {
    public let text: String
    public init(_ text: String) { self.text = text }
}

public struct Group<Content: View>: Leaf {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

public struct List<Content: View>: Leaf {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

public struct ForEach<Data, Content: View>: Leaf {
    let views: [Content]
    public init(_ data: [Data], @ViewBuilder content: (Data) -> Content) where Data: Identifiable {
        views = data.map(content)
    }
}

public struct Button: Leaf {
    public let title: String
    public let action: @MainActor () -> Void
    public init(_ title: String, action: @escaping @MainActor () -> Void) {
        (self.title, self.action) = (title, action)
    }
}

extension View {
    public func foregroundColor(_ color: Color) -> some View { Modified(view: self) }
    public func task(_ action: @escaping @MainActor () async -> Void) -> some View { Modified(view: self) }
    public func onAppear(perform action: @escaping @MainActor () -> Void) -> some View { Modified(view: self) }
    public func onDisappear(perform action: @escaping @MainActor () -> Void) -> some View { Modified(view: self) }
}

@propertyWrapper
@MainActor public struct ObservedObject<Object: ObservableObject> {
    public var wrappedValue: Object
    public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }
}
