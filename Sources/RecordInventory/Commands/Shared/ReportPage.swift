/// The report as one page of HTML, without scripts or other files.
///
/// Every string is escaped where it is added: only ``HTMLText`` goes into a page.
struct ReportPage {
    let shop: String
    let days: ClosedRange<CalendarDay>
    /// The totals for each currency, by kind of payment and by genre.
    let payments: [Takings]
    let genres: [Takings]
    /// The takings of each day in minor units, by currency.
    let takings: [Currency: [CalendarDay: Int64]]
    /// The first records that neither came in nor were sold for as many days, the longest first: see
    /// ``row(_:last:)``.
    let deadStock: [HTMLText]
    let deadStockCount: Int
    let deadStockDays: Int

    /// The longest range with a bar for each day. A longer one has a bar for each month.
    static let dayLimit = 92
    static let deadStockLimit = 200

    private var isLong: Bool { days.upperBound.number - days.lowerBound.number >= Self.dayLimit }

    var html: String {
        let range = days.text
        let sections = payments.map(section) + [deadStockSection]
        let empty: HTMLText = payments.isEmpty ? "<p>Nothing was sold.</p>" : ""
        let page: HTMLText = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>\(shop): \(range)</title>
            <style>\(raw: Self.style)</style></head>
            <body><main><header><h1>\(shop)</h1><p>\(range)</p></header>
            \(empty)\(HTMLText.joined(sections))
            </main></body></html>

            """
        return page.html
    }

    /// The takings in one currency.
    private func section(_ total: Takings) -> HTMLText {
        let currency = total.currency
        let tiles = total.figures.map { name, copies, amount -> HTMLText in
            guard let amount else { return "<div><dt>\(name)</dt><dd>\(copies ?? 0)</dd></div>" }
            let count: HTMLText = copies.map { "<small>\($0.counted("copy", "copies"))</small>" } ?? ""
            let text = Money(amount: amount, currency: currency).decimalText
            return "<div><dt>\(name)</dt><dd>\(text)\(count)</dd></div>"
        }
        let tables = [("payment", payments), ("genre", genres)].map { title, totals in
            table(title, totals.first { $0.currency == currency }?.groups ?? [:], currency)
        }
        return """
            <section><h2>\(currency.code)</h2><dl>\(HTMLText.joined(tiles))</dl>
            \(chart(bars(currency), currency))<div class="two">\(HTMLText.joined(tables))</div></section>

            """
    }

    /// The takings of each day, or of each month if there are many days.
    private func bars(_ currency: Currency) -> [(name: String, amount: Int64)] {
        let takings = takings[currency] ?? [:]
        let length = isLong ? 7 : 10
        var bars: [(name: String, amount: Int64)] = []
        for number in days.lowerBound.number...days.upperBound.number {
            let day = CalendarDay(number: number)
            let name = String(day.description.prefix(length))
            if bars.last?.name != name { bars.append((name, 0)) }
            bars[bars.count - 1].amount &+= takings[day] ?? 0
        }
        return bars
    }

    private func chart(_ bars: [(name: String, amount: Int64)], _ currency: Currency) -> HTMLText {
        func text(_ amount: Int64) -> String { Money(amount: amount, currency: currency).decimalText }
        // Returns alone make a day negative.
        let (top, bottom) = (max(bars.map(\.amount).max() ?? 0, 0), min(bars.map(\.amount).min() ?? 0, 0))
        let scale = 100 / max(Double(top) - Double(bottom), 1)
        let zero = Double(top) * scale
        let shapes = bars.enumerated().filter { $1.amount != 0 }.map { index, bar -> HTMLText in
            let height = max(Double(bar.amount.magnitude) * scale, 0.5)
            let y = bar.amount > 0 ? zero - height : zero
            return """
                <rect x="\(index * 10 + 1)" y="\(raw: Self.number(y))" width="8" height="\(raw: Self.number(height))">\
                <title>\(bar.name): \(text(bar.amount))</title></rect>
                """
        }
        let width = bars.count * 10
        let unit = isLong ? "month" : "day"
        let labels = Set([0, bars.count / 2, bars.count - 1]).sorted()
            .map { index -> HTMLText in "<span>\(bars[index].name)</span>" }
        let items = bars.filter { $0.amount != 0 }
            .map { bar -> HTMLText in "<li><span>\(bar.name)</span> \(text(bar.amount))</li>" }
        return """
            <figure><figcaption>Takings per \(unit), at most \(text(top)) \(currency.code)</figcaption>
            <svg class="bars" viewBox="0 0 \(width) 100" preserveAspectRatio="none" role="img" \
            aria-label="Takings per \(unit); the figures follow">
            <line x1="0" x2="\(width)" y1="0" y2="0"/>\(HTMLText.joined(shapes))
            <line class="zero" x1="0" x2="\(width)" y1="\(raw: Self.number(zero))" y2="\(raw: Self.number(zero))"/>
            </svg><div class="axis">\(HTMLText.joined(labels))</div></figure>
            <ul>\(HTMLText.joined(items))</ul>
            """
    }

    private func table(_ title: String, _ groups: [String: MovementSums.Sum], _ currency: Currency) -> HTMLText {
        let most = max(groups.values.map(\.paid).max() ?? 1, 1)
        let rows = groups.sorted { ($1.value.paid, $0.key) < ($0.value.paid, $1.key) }.map {
            name, group -> HTMLText in
            let share = Self.number(max(Double(group.paid), 0) / Double(most) * 100)
            return """
                <tr><th scope="row">\(name)<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">\
                <rect width="\(raw: share)" height="1"/></svg></th><td>\(group.copiesSold)</td>\
                <td>\(Money(amount: group.paid, currency: currency).decimalText)</td></tr>
                """
        }
        return """
            <table><thead><tr><th>\(title)</th><td>copies</td><td>\(currency.code)</td></tr></thead>
            <tbody>\(HTMLText.joined(rows))</tbody></table>
            """
    }

    /// Returns the row of a record in stock that did not move since a day.
    static func row(_ record: Record, last: CalendarDay?) -> HTMLText {
        """
        <tr><th scope="row">\(record.artist): \(record.title)\
        <small>\(record.sku.text), \(last.map { "last moved \($0)" } ?? "never moved")</small></th>\
        <td>\(record.quantity)</td><td>\(record.price.text)</td></tr>
        """
    }

    private var deadStockSection: HTMLText {
        let rest = deadStockCount - deadStock.count
        let more: HTMLText =
            rest > 0
            ? "<p>and \(rest) more, which <code>report --dead-stock \(deadStockDays)</code> lists</p>" : ""
        let table: HTMLText =
            deadStock.isEmpty
            ? "<p>None.</p>"
            : """
            <table><thead><tr><th>record</th><td>copies</td><td>price</td></tr></thead>
            <tbody>\(HTMLText.joined(deadStock))</tbody></table>
            """
        return """
            <section><h2>Not moved for \(deadStockDays) days: \(deadStockCount)</h2>
            \(table)\(more)</section>
            """
    }

    /// Two decimals, with a point in every locale.
    private static func number(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

    private static let style = """

        :root { --paper: #fbfaf8; --ink: #1d1b19; --soft: #6a645e; --line: #dcd7d0; --bar: #2f6f8f; }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #171614; --ink: #ece8e2; --soft: #a39c93; --line: #3a3733; --bar: #6db3d3; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
        main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: anywhere; }
        header { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; }
        h1 { font-size: 1.6rem; margin: 0; }
        h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; border-bottom: 1px solid var(--line);
          padding-bottom: .25rem; }
        header p, dt, figcaption, .axis, small, thead, li span { color: var(--soft); }
        dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1rem;
          margin: 0 0 1.5rem; }
        dt { font-size: .85rem; }
        dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
        figure { margin: 0; }
        figcaption, .axis, ul { font-size: .85rem; }
        svg { display: block; width: 100%; }
        rect { fill: var(--bar); }
        line { stroke: var(--line); vector-effect: non-scaling-stroke; }
        .zero { stroke: var(--soft); }
        .bars { height: 12rem; margin: .5rem 0 .25rem; }
        .axis { display: flex; justify-content: space-between; }
        ul { list-style: none; margin: 1rem 0; padding: 0; columns: 9.5rem; column-gap: 2rem; }
        li { display: flex; justify-content: space-between; font-variant-numeric: tabular-nums; }
        .two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr));
          gap: 1.5rem 3rem; }
        table { width: 100%; border-collapse: collapse; align-self: start; }
        th, td { padding: .35rem 0 .35rem 1rem; border-bottom: 1px solid var(--line); vertical-align: top; }
        th { text-align: left; font-weight: inherit; padding-left: 0; }
        td { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
        thead { font-size: .85rem; }
        thead td { white-space: normal; overflow-wrap: normal; }
        th svg { height: .3rem; margin-top: .2rem; }
        small { display: block; }
        tr, figure, li { break-inside: avoid; }
        @media print {
          :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --bar: #555; }
          body { font-size: 10pt; } main { max-width: none; padding: 0; } h2 { break-after: avoid; }
          rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        }

        """
}

/// A part of a page, in which interpolated strings are escaped.
struct HTMLText: ExpressibleByStringInterpolation {
    let html: String

    init(stringLiteral value: String) { html = value }
    init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }
    private init(html: String) { self.html = html }

    static func joined(_ parts: [HTMLText]) -> HTMLText { HTMLText(html: parts.map(\.html).joined()) }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var html = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { html += literal }
        mutating func appendInterpolation(_ part: HTMLText) { html += part.html }
        mutating func appendInterpolation(_ number: Int) { html += "\(number)" }
        mutating func appendInterpolation(raw text: String) { html += text }

        /// Adds text, or the value of an attribute in quotation marks.
        mutating func appendInterpolation(_ text: String) {
            for scalar in text.unicodeScalars {
                switch scalar {
                case "&": html += "&amp;"
                case "<": html += "&lt;"
                case ">": html += "&gt;"
                case "\"": html += "&quot;"
                case "'": html += "&#39;"
                // HTML allows no other control characters.
                case "\0"..."\u{8}", "\u{B}"..."\u{1F}", "\u{7F}"..."\u{9F}": html += "\u{FFFD}"
                default: html.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
