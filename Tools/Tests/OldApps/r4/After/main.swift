// SPDX-License-Identifier: Apache-2.0

import Axiom
import Foundation

let checks = Checks()
let app = AppOrchestrator()
try await app.orchestrator.start()
let products = PresentationHost(ProductView.self, app.orchestrator) { _ in }
try await products.mount()
await checkProducts(products.context!, checks)
let user = PresentationHost(UserView.self, app.orchestrator) { _ in }
try await user.mount()
await checkUser(user.context!, checks)
exit(checks.failures == 0 ? 0 : 1)
