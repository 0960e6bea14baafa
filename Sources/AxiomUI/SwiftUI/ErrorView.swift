// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import Axiom
public import SwiftUI

/// Shows an error: icon, title, message, suggestion, options and code.
@MainActor
public struct ErrorView: View {
    private let error: ErrorPresentation
    private let choose: @MainActor (ErrorPresentation.Option.ID) async -> Void

    /// Creates a view of an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - choose: Called with the id of the option that the user chose.
    public init(
        _ error: ErrorPresentation,
        choose: @escaping @MainActor (ErrorPresentation.Option.ID) async -> Void
    ) {
        self.error = error
        self.choose = choose
    }

    /// Creates a view of an error of `boundary`, which carries out the option that the user chose.
    public init(_ error: ErrorPresentation, of boundary: ErrorBoundary) {
        self.init(error) { await boundary.choose($0, of: error) }
    }

    /// The parts of the error, one below the other.
    public var body: some View {
        VStack(spacing: 12) {
            Image(systemName: error.kind.symbolName).font(.largeTitle).accessibilityHidden(true)
            Text(verbatim: error.title).font(.headline)
            Text(verbatim: error.message).multilineTextAlignment(.center)
            if let suggestion = error.suggestion {
                Text(verbatim: suggestion).font(.subheadline).foregroundStyle(.secondary)
                    .multilineTextAlignment(.center)
            }
            if error.isRecovering {
                ProgressView(error.recoveringLabel)
            } else {
                ForEach(error.options) { option in button(option) }
            }
            Text(verbatim: error.code.rawValue).font(.caption).foregroundStyle(.secondary)
        }
        .padding()
    }

    @ViewBuilder
    private func button(_ option: ErrorPresentation.Option) -> some View {
        let button = Button(option.title) { Task { await choose(option.id) } }
        if option.isPrimary {
            button.buttonStyle(.borderedProminent)
        } else {
            button.buttonStyle(.bordered)
        }
    }
}
#endif
