// SPDX-License-Identifier: Apache-2.0

#ifndef AXIOM_CGNUTLS_SHIM_H
#define AXIOM_CGNUTLS_SHIM_H

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/// The purpose of a certificate for TLS clients (RFC 5280): a macro, which Swift would import as a String.
static const char axiom_purpose_client[] = GNUTLS_KP_TLS_WWW_CLIENT;

/// Checks the certificate chain of the peer: signatures up to a trusted authority, dates, and the purpose "TLS client".
/// Writes the flags of what is wrong to `status`. Returns a negative number if there is nothing to check.
static inline int axiom_tls_verify_client(gnutls_session_t session, unsigned int *status)
{
    gnutls_typed_vdata_st purpose = {
        .type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)axiom_purpose_client, .size = 0};
    return gnutls_certificate_verify_peers(session, &purpose, 1, status);
}

/// Frees memory that GnuTLS allocated. `gnutls_free` is a variable, which Swift regards as unsafe shared state.
static inline void axiom_gnutls_free(void *memory)
{
    gnutls_free(memory);
}

#endif
