import Foundation
import RecordKit
import RecordKitJSON

/// Documents whose types try one thing after the other, ask for paths or look for names: no document may cost more than
/// in proportion to its size. RecordKitJSON also reads one of twice the size.
extension Workload {
    static let jsonShapes = JSONShape.all.map { shape in
        Workload(
            name: "json-\(shape.name)", title: "JSON of 100 KB, \(shape.name.replacing("-", with: " "))", count: 10,
            quickCount: 1, instructionCount: 4
        ) {
            [
                try client("Foundation", shape, shape.type, size: 100_000, { JSONDecoder() }, { JSONEncoder() }),
                try client("RecordKitJSON", shape, shape.type, size: 100_000, { JSONReader() }, { JSONWriter() }),
                try client(
                    "RecordKitJSON, 200 KB", shape, shape.type, size: 200_000, { JSONReader() }, { JSONWriter() }),
            ]
        }
    }

    private static func client<Value: JSONShapeValue>(
        _ name: String, _ shape: JSONShape, _ type: Value.Type, size: Int,
        _ decoder: @escaping @Sendable () -> any NetworkDecoder,
        _ encoder: @escaping @Sendable () -> any NetworkEncoder
    ) throws -> Client {
        let document = try shape.document(size)
        let value = try JSONReader().decode(type, from: document)
        return Client(name, isReference: name == "Foundation") {
            if shape.isEncoded {
                _ = try encoder().encode(value)
            } else {
                _ = try decoder().decode(type, from: document)
            }
        }
    }
}
