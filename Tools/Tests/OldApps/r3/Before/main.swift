// SPDX-License-Identifier: Apache-2.0

import Foundation

let checks = Checks()
let app = AppOrchestrator()
let products = app.createContext(ProductContext.self, parent: nil)
await products.onAppear()
await checkProducts(products, checks)
let user = app.createContext(UserContext.self, parent: nil)
await user.onAppear()
await checkUser(user, checks)
exit(checks.failures == 0 ? 0 : 1)
