import Foundation
@testable import RecordKit

/// Checks the `Location` of a redirect. It leads to one plain http or https URL or is refused, and no sensitive header
/// is sent to another origin.
enum LocationFuzzing {
    private static let base = URL(string: "https://store.example/a/b?c=d")!

    static func check(_ location: String) {
        if let url = RedirectTarget.resolve(location, against: base) {
            let text = url.absoluteString
            let authority = text.drop { $0 != "/" }.dropFirst(2).prefix { !"/?#".contains($0) }
            if url.scheme != "http" && url.scheme != "https" || url.host()?.isEmpty != false || url.user() != nil
                || url.fragment() != nil || authority.contains(where: { "@\\".contains($0) })
            {
                violation("a redirect leads to a plain address", location, text)
            }
            if RedirectTarget.resolve(text, against: base) != url {
                violation("an address leads to itself", location, text)
            }
        }

        let call = NetworkCall(
            url: base, headers: ["Authorization": "Bearer x", "Cookie": "sid=x", "Referer": "https://store.example/"])
        let answer = NetworkResponse(statusCode: 302, headers: ["Location": location], url: base)
        var redirects = Redirects(of: call)
        do throws(NetworkError) {
            guard let next = try redirects.next(after: answer, of: call), next.origin != call.origin else { return }
            if !next.headers.isEmpty {
                violation("no sensitive header goes to another origin", location, "\(next.headers)")
            }
        } catch {
            _ = error.description
        }
    }
}
