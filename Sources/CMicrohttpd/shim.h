// SPDX-License-Identifier: Apache-2.0

#ifndef AXIOM_CMICROHTTPD_SHIM_H
#define AXIOM_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
// The Glibc module of Swift has none of these headers. AxiomHTTP watches suspended connections by the first two.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// The C library declares this only with _GNU_SOURCE, which is not defined in a module.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

/// The socket of a connection, or -1. `MHD_get_connection_info` is variadic, and Swift imports no variadic function.
static inline int
axiom_mhd_connection_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// The session of GnuTLS of a connection; NULL without TLS.
static inline void *
axiom_mhd_connection_session(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info == NULL ? NULL : info->tls_session;
}

/// The size of the request line and the header section in bytes. Call it when both have arrived.
static inline size_t
axiom_mhd_request_head_size(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/// Names the calling thread, as the library names its own: `top -H` and debuggers show it. At most 15 bytes.
static inline void
axiom_name_thread(const char *name)
{
    prctl(PR_SET_NAME, name);
}

#endif
