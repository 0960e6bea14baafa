// SPDX-License-Identifier: Apache-2.0

import AxiomR4
import SwiftUI

// View with lifecycle integration
struct UserView: View {
    @ObservedObject var context: UserContext  // ✅ Exactly one context

    var body: some View {
        Group {
            if context.isLoggedIn {
                Text("Welcome, \(context.username)")
            } else if let error = context.error {
                Text("Error: \(error)")
                    .foregroundColor(.red)
            } else {
                Text("Please log in")
            }
        }
        .task {
            await context.onAppear()
        }
        .onDisappear {
            Task { await context.onDisappear() }
        }
    }
}

struct ProductView: View {
    @ObservedObject var context: ProductContext

    var body: some View {
        Text("\(context.items.count) for \(context.totalPrice)")
    }
}
