// SPDX-License-Identifier: Apache-2.0

#ifndef AXIOM_CCURL_SHIM_H
#define AXIOM_CCURL_SHIM_H

#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, and Swift imports no variadic function.

static inline CURLcode
axiom_curl_set_long(CURL *handle, CURLoption option, long value)
{
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode
axiom_curl_set_size(CURL *handle, CURLoption option, curl_off_t value)
{
    return curl_easy_setopt(handle, option, value);
}

/// libcurl copies the text, except that of `CURLOPT_POSTFIELDS`.
static inline CURLcode
axiom_curl_set_text(CURL *handle, CURLoption option, const char *value)
{
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode
axiom_curl_set_pointer(CURL *handle, CURLoption option, void *value)
{
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode
axiom_curl_set_writer(CURL *handle, curl_write_callback writer)
{
    return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
}

/// libcurl passes each line of the header of a response by itself.
static inline CURLcode
axiom_curl_set_header_writer(CURL *handle, curl_write_callback writer)
{
    return curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, writer);
}

/// Allows HTTP and HTTPS only. libcurl 7.85 replaced the option.
static inline CURLcode
axiom_curl_allow_http_only(CURL *handle)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// Requires TLS 1.2 or later, and the checks of the certificate and of the host name.
static inline CURLcode
axiom_curl_verify_peer(CURL *handle)
{
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    return code;
}

/// Sends credentials only in the form that is chosen: the macros of these forms are not imported.
static inline CURLcode
axiom_curl_set_basic(CURL *handle, const char *user, const char *password)
{
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_USERNAME, user);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_PASSWORD, password);
    return code;
}

static inline CURLcode
axiom_curl_set_bearer(CURL *handle, const char *token)
{
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XOAUTH2_BEARER, token);
    return code;
}

static inline long
axiom_curl_status(CURL *handle)
{
    long status = 0;
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

/// The `Retry-After` of the response in seconds, which libcurl also computes from a date; 0 if there is none.
static inline curl_off_t
axiom_curl_retry_after(CURL *handle)
{
    curl_off_t seconds = 0;
    return curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK ? seconds : 0;
}

/// Once per process, before any other thread uses libcurl.
static inline CURLcode
axiom_curl_start(void)
{
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

#endif
