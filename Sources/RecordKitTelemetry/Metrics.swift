import Foundation

/// The measurements since the start of the process: durations of attempts, and the number of calls.
struct Metrics {
    /// The bounds of `http.client.request.duration` in seconds, as OpenTelemetry's conventions for HTTP name them.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

    private static let overflow = [Attribute("otel.metric.overflow", true)]

    private struct Histogram {
        var counts = [Int](repeating: 0, count: Metrics.bounds.count + 1)
        var sum = 0.0
        var least = Double.infinity
        var most = 0.0
    }

    private let start: Date
    private let seriesLimit: Int
    private var durations: [[Attribute]: Histogram] = [:]
    private var calls: [[Attribute]: Int] = [:]

    init(start: Date, seriesLimit: Int) {
        self.start = start
        self.seriesLimit = seriesLimit
    }

    /// Counts the duration of an attempt, in seconds.
    mutating func addAttempt(_ seconds: Double, _ attributes: [Attribute]) {
        let series = durations.count < seriesLimit || durations[attributes] != nil ? attributes : Self.overflow
        var histogram = durations[series] ?? Histogram()
        histogram.counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        histogram.sum += seconds
        histogram.least = min(histogram.least, seconds)
        histogram.most = max(histogram.most, seconds)
        durations[series] = histogram
    }

    /// Counts a call.
    mutating func addCall(_ attributes: [Attribute]) {
        let series = calls.count < seriesLimit || calls[attributes] != nil ? attributes : Self.overflow
        calls[series, default: 0] += 1
    }

    /// Returns the metrics in OTLP's JSON.
    func exported(at date: Date, droppedSpans: Int) -> [Metric] {
        let (start, time) = (start.unixNano, date.unixNano)
        func counter(_ name: String, _ unit: String, _ counts: [[Attribute]: Int]) -> Metric {
            let points = counts.map { attributes, count in
                Metric.Point(
                    attributes: attributes, startTimeUnixNano: start, timeUnixNano: time, asInt: String(count))
            }
            return Metric(name: name, unit: unit, sum: Metric.Points(dataPoints: points, isMonotonic: true))
        }
        let points = durations.map { attributes, histogram in
            Metric.Point(
                attributes: attributes, startTimeUnixNano: start, timeUnixNano: time,
                count: String(histogram.counts.reduce(0, +)), sum: histogram.sum, min: histogram.least,
                max: histogram.most, bucketCounts: histogram.counts.map { String($0) }, explicitBounds: Self.bounds)
        }
        return [
            Metric(name: "http.client.request.duration", unit: "s", histogram: Metric.Points(dataPoints: points)),
            counter("recordkit.calls", "{call}", calls),
            counter("recordkit.spans.dropped", "{span}", droppedSpans > 0 ? [[]: droppedSpans] : [:]),
        ].filter { $0.pointCount > 0 }
    }
}

/// A metric in OTLP's JSON.
struct Metric: Encodable {
    let name: String
    let unit: String
    var histogram: Points?
    var sum: Points?

    var pointCount: Int { (histogram ?? sum)?.dataPoints.count ?? 0 }

    struct Points: Encodable {
        let dataPoints: [Point]
        /// `AGGREGATION_TEMPORALITY_CUMULATIVE`: an export that is lost loses no measurement.
        var aggregationTemporality = 2
        var isMonotonic: Bool?
    }

    struct Point: Encodable {
        let attributes: [Attribute]
        let startTimeUnixNano: String
        let timeUnixNano: String
        var asInt: String?
        var count: String?
        var sum: Double?
        var min: Double?
        var max: Double?
        var bucketCounts: [String]?
        var explicitBounds: [Double]?
    }
}
