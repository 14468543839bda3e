import Foundation

/// What every request says unless somebody says otherwise.
enum DefaultHeaders {
    static func merged(with headers: HTTPHeaders) -> HTTPHeaders {
        var merged: HTTPHeaders = ["Accept-Language": acceptLanguage, "User-Agent": userAgent]
        merged.merge(headers)
        return merged
    }

    /// The person's languages, the first with the greatest weight (RFC 9110 section 12.5.4).
    private static let acceptLanguage: String = {
        let languages = Locale.preferredLanguages.prefix(5).filter { ByteSet.token.containsAll(of: $0) }
        if languages.isEmpty { return "en" }
        return languages.enumerated().map { $0 == 0 ? $1 : "\($1);q=0.\(10 - $0)" }.joined(separator: ", ")
    }()

    /// `Shop/1.4 (Linux) RecordKit/0.1` (RFC 9110 section 10.1.5).
    private static let userAgent: String = {
        let info = Bundle.main.infoDictionary ?? [:]
        let name = info["CFBundleName"] as? String ?? ProcessInfo.processInfo.processName
        let version = info["CFBundleShortVersionString"] as? String ?? ""
        let app = [name, version].map(token).filter { !$0.isEmpty }.joined(separator: "/")
        return (app.isEmpty ? "" : app + " ") + "(" + system + ") RecordKit/0.1"
    }()

    private static func token(_ text: String) -> String {
        String(decoding: text.utf8.filter(ByteSet.token.contains), as: UTF8.self)
    }

    private static var system: String {
        #if os(macOS)
        "macOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #elseif os(Linux)
        "Linux"
        #else
        "other"
        #endif
    }
}
