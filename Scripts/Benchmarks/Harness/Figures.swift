import Foundation

/// The figures of one client of a workload, one a round.
struct Figures: Sendable {
    let name: String
    let isReference: Bool
    var samples: [Double] = []

    var spread: Spread { Spread(samples) }

    /// Returns the ratio to the reference in each round, because on a busy machine only neighbors in time can be
    /// compared.
    func ratio(to reference: Figures) -> Spread {
        Spread(zip(samples, reference.samples).map { $0 / $1 })
    }
}

/// The median, the minimum and the maximum.
struct Spread: Sendable, Encodable {
    let median: Double
    let min: Double
    let max: Double

    init(_ samples: [Double]) {
        let sorted = samples.sorted()
        let middle = sorted.count / 2
        min = sorted.first ?? .nan
        max = sorted.last ?? .nan
        median =
            sorted.isEmpty
            ? .nan : sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Returns a string such as `1.24 (1.20 – 1.31)`.
    func text(decimals: Int) -> String {
        let median = median.text(decimals: decimals)
        return min == max ? median : "\(median) (\(min.text(decimals: decimals)) – \(max.text(decimals: decimals)))"
    }
}

extension Double {
    /// Returns a string with this number of decimals and a thousands separator: `1,141.5`.
    func text(decimals: Int) -> String {
        formatted(.number.precision(.fractionLength(decimals)).locale(Locale(identifier: "en_US")))
    }
}
