package import Foundation

/// Names and values as queries and forms write them.
package enum FormText {
    /// Those of an address.
    package static func items(of url: URL) -> [RequestQuery.Item] {
        items(url.query(percentEncoded: true) ?? "")
    }

    package static func items(_ text: String) -> [RequestQuery.Item] {
        text.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return RequestQuery.Item(name: decoded(name), value: decoded(item.dropFirst(name.count + 1)))
        }
    }

    private static func decoded(_ text: Substring) -> String {
        PercentEncoding.decoded(Array(text.utf8)[...])
    }
}
