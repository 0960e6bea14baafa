// SPDX-License-Identifier: Apache-2.0

public import AxiomNavigation

/// One screen of a flow, for a renderer.
public struct NavigationScreen<R: Route, Output>: Identifiable {
    /// The same as long as the screen is in the history. A route that is shown twice is two screens.
    public let id: Int
    /// The route.
    public let route: R
    /// The latest output; nil if the screen has none at the moment, because it is deep in the history.
    public internal(set) var output: Output?
}

/// The screens that are pushed on each other, in the window of the flow or in a modal one over it.
public struct NavigationLayer<R: Route, Output>: Identifiable {
    /// The frame of a modal layer; nil for the lowest one.
    public let style: ModalStyle?
    /// The screens, the lowest first. There is at least one.
    public internal(set) var screens: [NavigationScreen<R, Output>]

    /// That of the lowest screen.
    public var id: Int { screens.first?.id ?? 0 }

    /// The lowest screen.
    public var root: NavigationScreen<R, Output>? { screens.first }

    /// The ids of the screens above the lowest one: the path of a navigation stack.
    public var path: [Int] { screens.dropFirst().map(\.id) }

    /// Distributes the screens of a history: each modal one begins a layer. The first screen is never modal.
    static func layers(of screens: [NavigationScreen<R, Output>]) -> [NavigationLayer] {
        screens.reduce(into: []) { layers, screen in
            let transition = screen.route.metadata.transition
            if layers.isEmpty {
                layers.append(NavigationLayer(style: nil, screens: [screen]))
            } else if case .modal(let style) = transition {
                layers.append(NavigationLayer(style: style, screens: [screen]))
            } else {
                layers[layers.count - 1].screens.append(screen)
            }
        }
    }
}

/// The screens of a history with their outputs.
struct NavigationScreens<R: Route, Output> {
    private(set) var all: [NavigationScreen<R, Output>] = []
    private var lastID = 0

    /// Follows the history. Screens that stay keep their ids and, except for the oldest, their outputs.
    ///
    /// - Parameters:
    ///   - routes: The history, the root first.
    ///   - outputs: The outputs of the last screens of the history.
    ///   - kept: How many screens at the end of the history keep an output. An output may retain its context.
    mutating func update(_ routes: [R], _ outputs: [Output], keeping kept: Int) {
        let next = routes.enumerated().map { index, route in
            NavigationScreen<R, Output>(id: lastID + index + 1, route: route, output: nil)
        }
        lastID += routes.count
        let changes = next.difference(from: all) { $0.route == $1.route }
        all = all.applying(changes) ?? next
        for (index, output) in zip(all.indices.suffix(outputs.count), outputs.suffix(all.count)) {
            all[index].output = output
        }
        for index in all.indices.dropLast(max(1, kept)) { all[index].output = nil }
    }
}
