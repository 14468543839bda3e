import Foundation

/// What one client of a workload was measured at, a figure a round.
struct Figures: Sendable {
    let name: String
    let isReference: Bool
    var samples: [Double] = []

    var spread: Spread { Spread(samples) }

    /// Round by round, since neighbours in time are what can be compared on a busy machine.
    func ratio(to reference: Figures) -> Spread {
        Spread(zip(samples, reference.samples).map { $0 / $1 })
    }
}

/// Median, least and greatest.
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

    /// `1.24 (1.20 – 1.31)`
    func text(decimals: Int) -> String {
        let median = median.text(decimals: decimals)
        return min == max ? median : "\(median) (\(min.text(decimals: decimals)) – \(max.text(decimals: decimals)))"
    }
}

extension Double {
    /// With so many decimals, and thousands apart: `1,141.5`.
    func text(decimals: Int) -> String {
        formatted(.number.precision(.fractionLength(decimals)).locale(Locale(identifier: "en_US")))
    }
}
