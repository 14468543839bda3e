import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkError {
    /// Foundation's errors carry the address, and with it whatever is secret in its query.
    static func withoutAddresses(_ error: any Error) -> any Error {
        guard let error = error as? URLError else { return error }
        return URLError(error.code, userInfo: [NSLocalizedDescriptionKey: error.text])
    }
}

extension URLError {
    /// What was reported, in words.
    var text: String {
        (errorUserInfo[NSLocalizedDescriptionKey] as? String) ?? "error \(code.rawValue)"
    }
}
