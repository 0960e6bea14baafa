// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The draft: version 0.x of the migration guide in the framework's documentation. Clients were classes.

@_exported import Combine
import Foundation

public protocol State {
    var id: UUID { get }
}

open class BaseClient<S: State, A>: ObservableObject {
    @Published public private(set) var state: S

    public init(initialState: S) { state = initialState }

    open func dispatch(_ action: A) { fatalError("Subclasses must implement dispatch(_:)") }

    public func updateState(_ newState: S) { state = newState }
}

@MainActor
open class BaseContext: ObservableObject {
    public init() {}
    open func viewDidAppear() {}
    open func viewDidDisappear() {}
}

open class BaseCapability {
    public private(set) var isAvailable = false

    public init() {}

    open func initialize() async throws { isAvailable = true }
    open func terminate() async { isAvailable = false }
    public func setAvailability(_ available: Bool) { isAvailable = available }
}
