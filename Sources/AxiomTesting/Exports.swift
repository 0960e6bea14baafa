// SPDX-License-Identifier: Apache-2.0

// The functions of the kit take the location of their call, which is a macro of Testing. With this, a file that calls them
// does not have to import Testing.
@_exported public import Testing
