// SPDX-License-Identifier: Apache-2.0

#ifndef AXIOM_CCRYPTO_SHIM_H
#define AXIOM_CCRYPTO_SHIM_H

#include <openssl/sha.h>

#endif
