import Foundation

extension CurlTransport.ProxyServer {
    /// The exceptions in the form that libcurl reads.
    var exceptionList: String {
        // libcurl reads it only if nothing else is in the list.
        exceptions.contains("*") ? "*" : exceptions.map(Self.plain).joined(separator: ",")
    }

    /// What is wrong with the exceptions, and what to do. libcurl would ignore such an exception, and use the proxy.
    var exceptionProblem: String? {
        for exception in exceptions where exception != "*" {
            if let fault = Self.fault(in: exception) {
                return "the proxy exception \"\(exception)\" \(fault)"
            }
        }
        return nil
    }

    private static func fault(in exception: String) -> String? {
        let plain = plain(exception)
        if CurlTransport.Options.isAddress(plain) { return nil }
        if exception.hasPrefix("*.") {
            return "has a wildcard; write \"\(exception.dropFirst(2))\", which includes its subdomains"
        }
        if exception.contains("*") { return "has a wildcard; write a domain, or a network like \"192.168.0.0/16\"" }
        let parts = plain.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, CurlTransport.Options.isAddress(String(parts[0])) {
            let bits = parts[0].contains(":") ? 128 : 32
            guard let count = Int(parts[1]), (0...bits).contains(count), parts[1].allSatisfy(\.isNumber) else {
                return "is not a network; write the number of its bits, 0 to \(bits), after the slash"
            }
            if CurlLibrary.versionNumber >= 0x07_56_00 { return nil }
            return "is a network, which libcurl \(CurlLibrary.version) does not support; install 7.86 or later"
        }
        if exception.contains(":") { return "has a port or a scheme; write the host alone" }
        let isName = plain.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            default: false
            }
        }
        if plain.isEmpty || !isName {
            return "is not a host; write a name in ASCII, an address, or a network, each as a string of its own"
        }
        return nil
    }

    /// Returns an exception without the brackets of an IPv6 address, and without the dot before a domain.
    private static func plain(_ exception: String) -> String {
        if exception.hasPrefix("["), exception.hasSuffix("]") { return String(exception.dropFirst().dropLast()) }
        return exception.hasPrefix(".") ? String(exception.dropFirst()) : exception
    }
}
