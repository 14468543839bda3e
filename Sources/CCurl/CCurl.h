#ifndef CCURL_H
#define CCURL_H

// The macros around the variadic functions check types only in C.
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x074400
#error "RecordKitCurl requires libcurl 7.68 or later"
#endif

// Swift doesn't import variadic C functions. These functions set and get one type of value each.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

/// For the functions that write, read and receive header lines, which have the same type.
static inline CURLcode ccurl_set_data_function(CURL *easy, CURLoption option, curl_write_callback function) {
    return curl_easy_setopt(easy, option, function);
}

static inline CURLcode ccurl_set_seek_function(CURL *easy, curl_seek_callback function) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

typedef int (*ccurl_prereq_callback)(void *context, char *remote_ip, char *local_ip, int remote_port, int local_port);

/// Sets the function that is called before each time the request is sent. libcurl 7.80 or later.
static inline CURLcode ccurl_set_prereq_function(CURL *easy, ccurl_prereq_callback function, void *context) {
    // The numbers of CURLOPT_PREREQFUNCTION and CURLOPT_PREREQDATA, which older headers lack.
    CURLcode code = curl_easy_setopt(easy, (CURLoption)(CURLOPTTYPE_FUNCTIONPOINT + 312), function);
    if (code != CURLE_OK) return code;
    return curl_easy_setopt(easy, (CURLoption)(CURLOPTTYPE_OBJECTPOINT + 313), context);
}

/// Sets the function that is called with each new socket, before it is connected.
static inline CURLcode ccurl_set_sockopt_function(CURL *easy, curl_sockopt_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, function);
    if (code != CURLE_OK) return code;
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
}

/// Sets the function that is called for the trailers, when the body of the request has ended.
static inline CURLcode ccurl_set_trailer_function(CURL *easy, curl_trailer_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_TRAILERFUNCTION, function);
    if (code != CURLE_OK) return code;
    return curl_easy_setopt(easy, CURLOPT_TRAILERDATA, context);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_socket(CURL *easy, curl_socket_t *value) {
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// The result of a finished message. Swift doesn't import the union in `CURLMsg`.
static inline CURLcode ccurl_result(const CURLMsg *message) {
    return message->data.result;
}

static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

/// The session of the connection in OpenSSL. NULL without TLS, and for another TLS library.
static inline void *ccurl_openssl_session(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
    return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

/// Calls SSL_has_pending.
static inline int ccurl_openssl_has_pending(void *function, const void *session) {
    return ((int (*)(const void *))function)(session);
}

/// Calls SSL_get0_alpn_selected. Returns whether HTTP/2 was selected.
static inline int ccurl_openssl_selected_http2(void *function, const void *session) {
    const unsigned char *name = NULL;
    unsigned int length = 0;
    ((void (*)(const void *, const unsigned char **, unsigned int *))function)(session, &name, &length);
    return length == 2 && name[0] == 'h' && name[1] == '2';
}

/// Allows http and https alone. CURLOPT_PROTOCOLS is deprecated, but its successor needs libcurl 7.85.
static inline CURLcode ccurl_allow_http_only(CURL *easy) {
    return curl_easy_setopt(easy, (CURLoption)(CURLOPTTYPE_LONG + 181), 3L);
}

/// Removes a transfer without a wait for its name resolution. Has no effect before libcurl 7.87.
static inline CURLcode ccurl_set_quick_exit(CURL *easy) {
    return curl_easy_setopt(easy, (CURLoption)(CURLOPTTYPE_LONG + 322), 1L);
}

/// The path of the file with the trusted authorities that the library was built with. NULL without one, and before 7.70.
static inline const char *ccurl_bundle(void) {
#if LIBCURL_VERSION_NUM >= 0x074600
    const curl_version_info_data *version = curl_version_info(CURLVERSION_NOW);
    if (version->age >= CURLVERSION_SEVENTH) return version->cainfo;
#endif
    return NULL;
}

/// The version and the features of the library that this process uses.
static inline const curl_version_info_data *ccurl_version(void) {
    return curl_version_info(CURLVERSION_NOW);
}

#endif
