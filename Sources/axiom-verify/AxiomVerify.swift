// SPDX-License-Identifier: Apache-2.0

#if Tools
@main
enum AxiomVerify {
    static func main() {}
}
#else
import Foundation

/// Says how to build the tool.
@main
enum AxiomVerify {
    static func main() {
        let message =
            "axiom-verify was built without the trait Tools. Run `swift run --traits Tools axiom-verify`, "
            + "or add traits: [\"Tools\"] to the dependency on Axiom.\n"
        FileHandle.standardError.write(Data(message.utf8))
        exit(2)
    }
}
#endif
