// SPDX-License-Identifier: Apache-2.0

#if Macros
// The code that the macros write names these modules.
@_exported public import Axiom
#endif
