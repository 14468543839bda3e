import CCurl
import Foundation

/// An easy handle of libcurl, which sends one request at a time. It is reused for the next one.
///
/// It isn't Sendable: one thread creates, uses and releases it, that of the event loop for all that send something.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// The place for libcurl's message about a failure.
    private let message: UnsafeMutablePointer<CChar>
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    /// The first of the required options that libcurl didn't take. Nothing may be sent without it.
    private(set) var refusedOption: String?
    /// The proxy of the options, if it is set there.
    private var proxy: CurlTransport.ProxyServer?

    /// Creates a handle. Returns `nil` if there is no memory for it.
    init?() {
        guard CurlLibrary.isReady, let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(pointer)
        freeLists()
        message.deallocate()
    }

    /// Resets all options, and keeps the connections.
    func reset() {
        curl_easy_reset(pointer)
        freeLists()
        message[0] = 0
        (refusedOption, proxy) = (nil, nil)
    }

    /// Notes the proxy of the options.
    func uses(_ proxy: CurlTransport.ProxyServer) {
        self.proxy = proxy
    }

    /// The address of the proxy whose certificate was refused, or `nil` if it wasn't that of a proxy.
    ///
    /// - Parameters:
    ///   - failure: The message of libcurl, which names the host of a certificate for another one.
    ///   - server: The host of the call.
    func distrustedProxy(_ failure: CurlTransport.Failure, besides server: String) -> String? {
        let words = failure.message.components(separatedBy: "target host name '")
        let isOther = words.count == 2 && words[1].prefix { $0 != "'" } != server
        guard isOther || number(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0 else { return nil }
        if let url = proxy.flatMap({ URL(string: $0.url) }), let host = url.host() {
            return "\(host):\(url.port ?? 443)"
        }
        var address: UnsafeMutableRawPointer?
        guard ccurl_get_pointer(pointer, CURLINFO_PRIMARY_IP, &address) == CURLE_OK, let address else { return nil }
        let host = String(cString: address.assumingMemoryBound(to: CChar.self))
        return "\(host.contains(":") ? "[\(host)]" : host):\(number(CURLINFO_PRIMARY_PORT))"
    }

    /// Notes whether libcurl took an option without which nothing may be sent, such as a pin.
    func require(_ name: String, _ isTaken: Bool) {
        if !isTaken, refusedOption == nil { refusedOption = name }
    }

    /// The message of libcurl about the last failure, or its general description.
    func failure(_ code: CURLcode) -> CurlTransport.Failure {
        var text = String(cString: message)
        if text.isEmpty { text = String(cString: curl_easy_strerror(code)) }
        // libcurl quotes the URL of the proxy, which may contain a password.
        if text.hasPrefix("Unsupported proxy"), let quote = text.firstIndex(of: "'") {
            text = "\(text[..<quote])(redacted)"
        }
        return CurlTransport.Failure(code: Int(code.rawValue), message: text)
    }

    /// Whether libcurl has written a message about a failure.
    var hasMessage: Bool { message[0] != 0 }

    private func freeLists() {
        for list in lists { curl_slist_free_all(list) }
        lists = []
    }
}

extension EasyHandle {
    /// Sets an option that is a number or a switch. Returns false if libcurl doesn't support it.
    @discardableResult
    func set(_ option: CURLoption, _ value: Int) -> Bool {
        ccurl_set_long(pointer, option, value) == CURLE_OK
    }

    @discardableResult
    func set(_ option: CURLoption, _ value: String) -> Bool {
        ccurl_set_string(pointer, option, value) == CURLE_OK
    }

    /// Sets an option that is a list of strings. The handle owns the list until it is reset.
    @discardableResult
    func set(_ option: CURLoption, _ values: [String]) -> Bool {
        var lines = LineList()
        for value in values { lines.append(value) }
        return set(option, lines)
    }

    /// Sets an option that is a list of strings. The handle owns the list until it is reset.
    @discardableResult
    func set(_ option: CURLoption, _ lines: LineList) -> Bool {
        guard let list = lines.first else { return !lines.isIncomplete }
        lists.append(list)
        return !lines.isIncomplete && ccurl_set_list(pointer, option, list) == CURLE_OK
    }

    /// Sets an option that is a size in bytes.
    func set(_ option: CURLoption, bytes value: Int) {
        ccurl_set_offset(pointer, option, curl_off_t(value))
    }

    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
        ccurl_set_pointer(pointer, option, value)
    }

    /// Has libcurl write its message about a failure to this handle.
    func collectMessage() {
        ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, message)
    }

    /// Returns a number that libcurl has about the transfer, or 0 if it has none.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    /// Returns a time since the start of the transfer. Zero if that moment hasn't come.
    func time(_ info: CURLINFO) -> Duration {
        var value: curl_off_t = 0
        return ccurl_get_offset(pointer, info, &value) == CURLE_OK ? .microseconds(Int64(value)) : .zero
    }
}

/// A list of strings for libcurl. The handle that it is set for frees it.
///
/// The strings are written to one buffer, which libcurl copies. A Swift string for each would have to be allocated.
struct LineList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?
    /// Whether there was no memory for a string.
    private(set) var isIncomplete = false
    private var buffer: [UInt8] = []

    /// Creates an empty list, with a buffer that is long enough for most lines.
    init() {
        buffer.reserveCapacity(256)
    }

    /// Appends a string that consists of these parts.
    ///
    /// - Parameter isLatin1: Whether the value is sent in ISO 8859-1.
    mutating func append(
        _ name: String, _ separator: String = "", _ value: String = "", isLatin1: Bool = false
    ) {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: name.utf8)
        buffer.append(contentsOf: separator.utf8)
        if isLatin1 {
            buffer.append(contentsOf: value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        } else {
            buffer.append(contentsOf: value.utf8)
        }
        buffer.append(0)
        let longer = buffer.withUnsafeBytes { bytes in
            curl_slist_append(first, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        if let longer { first = longer } else { isIncomplete = true }
    }
}
