// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// `axiom-demo`: a shop made of Axiom's components, under load.
@main
enum Main {
    static func main() async {
        await DemoCommand.main()
    }
}
