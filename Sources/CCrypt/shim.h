// SPDX-License-Identifier: Apache-2.0

#ifndef AXIOM_CCRYPT_SHIM_H
#define AXIOM_CCRYPT_SHIM_H

#include <crypt.h>

#endif
