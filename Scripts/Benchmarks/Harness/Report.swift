import Foundation

/// All figures of a run, as JSON.
struct Report: Encodable {
    struct Table: Encodable {
        let name, title, unit: String
        let operations: Int
        let clients: [Row]
    }

    struct Row: Encodable {
        let name: String
        let samples: [Double]
        let spread: Spread
        /// The ratios, by the name of the reference.
        let ratios: [String: Spread]
    }

    let date: Date
    let machine = Machine()
    let workloads: [Table]

    init(_ tables: [FigureTable]) {
        date = Date()
        workloads = tables.map { table in
            let references = table.rows.filter(\.isReference)
            return Table(
                name: table.name, title: table.title, unit: table.unit, operations: table.operations,
                clients: table.rows.map { row in
                    let ratios = references.map { ($0.name, row.ratio(to: $0)) }
                    return Row(
                        name: row.name, samples: row.samples, spread: row.spread,
                        ratios: Dictionary(uniqueKeysWithValues: ratios))
                })
        }
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(self)
    }
}
