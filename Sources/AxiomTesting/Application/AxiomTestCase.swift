// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Testing

/// A test of one presentation under the specification's name.
public enum AxiomTestCase {
    /// Mounts a presentation, runs a scenario with its context, and finishes it.
    ///
    /// ```swift
    /// try await AxiomTestCase.test(presentation: CartView.self, configure: Shop.register) { cart in
    ///     await cart.send(.clear) { $0.items = [] }
    /// }
    /// ```
    /// - Parameters:
    ///   - presentation: The presentation, whose context takes no input.
    ///   - exhaustivity: Whether the scenario has to assert everything that happens.
    ///   - configure: Registers the components and their doubles.
    ///   - scenario: The test.
    /// - Throws: The errors of `configure`, of the mount, and of `scenario`.
    @MainActor
    public static func test<P: Presentation>(
        presentation: P.Type,
        exhaustivity: Exhaustivity = .on,
        sourceLocation location: SourceLocation = #_sourceLocation,
        configure: (TestOrchestrator) throws -> Void,
        scenario: @MainActor (TestContext<P.ContextType>) async throws -> Void
    ) async throws where P.ContextType.Input == Void {
        let app = TestOrchestrator(exhaustivity: exhaustivity)
        try configure(app)
        let context = try await app.present(presentation, (), sourceLocation: location)
        do {
            try await scenario(context)
        } catch {
            await context.abandon()
            throw error
        }
        await context.finish(sourceLocation: location)
    }
}
