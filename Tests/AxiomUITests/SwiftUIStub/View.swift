// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stand-in for SwiftUI: the declarations that Sources/AxiomUI/SwiftUI uses, without behaviour. It is compiled by a
// script, never by the package. See Documentation/user-interface.md for what it proves.

@_exported import Observation

public typealias CGFloat = Double

@MainActor
@preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// A view without a body.
@MainActor
public protocol Primitive: View where Body == Never {}

extension Primitive {
    public var body: Never { fatalError() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}

public struct EmptyView: Primitive {
    nonisolated public init() {}
}

public struct Either<First: View, Second: View>: Primitive {
    nonisolated init() {}
}

public struct Several<each Content: View>: Primitive {
    nonisolated init() {}
}

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Several<repeat each Content> {
        Several()
    }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> Either<First, Second> { Either() }
    public static func buildEither<First: View, Second: View>(second: Second) -> Either<First, Second> { Either() }
}

@MainActor
@preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = ModifiedView<Self>
    @ViewBuilder func body(content: Content) -> Body
}

public struct ModifiedView<Modifier>: Primitive {
    nonisolated init() {}
}

// MARK: - Views

public struct ZStack<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct VStack<Content: View>: Primitive {
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}

public struct ForEach<Data: RandomAccessCollection, Content: View>: Primitive where Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

public struct Text: Primitive {
    public init(verbatim content: String) {}
    public func font(_ font: Font?) -> Text { self }
}

public struct Image: Primitive {
    public init(systemName: String) {}
}

public struct ProgressView: Primitive {
    public init() {}
    public init<S: StringProtocol>(_ title: S) {}
}

public struct Button: Primitive {
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}

public struct NavigationStack<Root: View>: Primitive {
    public init<Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection>(
        path: Binding<Data>,
        @ViewBuilder root: () -> Root
    ) where Data.Element: Hashable {}
}

public struct RoundedRectangle: Shape, Primitive {
    public init(cornerRadius: CGFloat) {}
}

public struct Color: Primitive {
    public static let black = Color()
    public func opacity(_ opacity: Double) -> Color { self }
}
