// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

extension FaultMode: ExpressibleByArgument {}
