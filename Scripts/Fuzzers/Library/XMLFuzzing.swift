import Foundation
import RecordKitXML

/// Checks an XML document, and reads paths in it.
enum XMLFuzzing {
    static func check(_ bytes: [UInt8]) {
        guard let tree = try? XMLTree(Data(bytes)) else { return }
        _ = tree.elements(at: "a/b")
        _ = try? tree.value(at: "a/@b") as Int
        if tree != tree { violation("a document is equal to itself", String(decoding: bytes, as: UTF8.self)) }
    }
}
