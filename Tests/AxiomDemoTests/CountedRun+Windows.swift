// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Foundation

@testable import shop_oracle

extension CountedRun {
    /// A window of the shop without a shopper.
    func newWindow() throws -> ShopWindow {
        let name = "test" + UUID().uuidString.replacing("-", with: "")
        let flow = try orchestrator.navigation(ShopRoute.shop, ShopWindow.options, name: name) {
            $0.screen
        } render: { _ in
        }
        return try window(on: flow)
    }
}
