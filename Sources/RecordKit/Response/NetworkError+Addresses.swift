import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkError {
    /// Foundation's errors carry the address, and with it every sensitive item of its query.
    static func withoutAddresses(_ error: any Error) -> any Error {
        if let error = error as? POSIXError { return POSIXError(error.code) }
        guard let error = error as? URLError else { return error }
        return URLError(error.code, userInfo: [NSLocalizedDescriptionKey: error.text])
    }
}

extension URLError {
    /// What was reported, in words. Of a proxy that it does not take libcurl quotes the whole address, with what may be
    /// a password in it, and where that is too long, without the quotation mark at its end.
    var text: String {
        let text = (errorUserInfo[NSLocalizedDescriptionKey] as? String) ?? "error \(code.rawValue)"
        guard text.hasPrefix("Unsupported proxy"), let quote = text.firstIndex(of: "'") else { return text }
        return "\(text[..<quote])\(SensitiveNames.replacement)"
    }
}
