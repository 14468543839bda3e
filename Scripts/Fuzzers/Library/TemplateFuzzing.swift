import Foundation
import RecordKit
import RecordKitTemplates

/// Checks a URI template. Its expansion, as a URL and as a path and a query, only has characters that a URL may
/// contain.
enum TemplateFuzzing {
    private static var values: RouteTemplate.Values {
        ["a": "x/y?z#ü", "b": ["1", "2"], "c": ["k": "v"], "d": nil, "e": 7]
    }

    static func check(_ text: String) {
        let template = RouteTemplate(text)
        _ = template.path(values).encoded
        _ = template.query(values).encoded
        guard let expanded = try? template.expanded(with: values) else { return }
        if !expanded.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            violation("an expanded template is of an address's characters", text, expanded)
        }
    }
}
