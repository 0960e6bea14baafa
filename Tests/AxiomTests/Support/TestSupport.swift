// SPDX-License-Identifier: Apache-2.0

// Journals, gates and seeds, for every file of these tests.
@_exported import AxiomTestSupport
