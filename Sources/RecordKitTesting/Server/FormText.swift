import Foundation
import RecordKit

/// Names and values as queries and forms write them.
enum FormText {
    /// Those of an address.
    static func items(of url: URL) -> [RequestQuery.Item] {
        items(url.query(percentEncoded: true) ?? "")
    }

    static func items(_ text: String) -> [RequestQuery.Item] {
        text.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return RequestQuery.Item(name: decoded(name), value: decoded(item.dropFirst(name.count + 1)))
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let text = String(text).replacing("+", with: " ")
        return text.removingPercentEncoding ?? text
    }
}
