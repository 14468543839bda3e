/// A page of price labels for a browser to print, without scripts or other files.
struct LabelPage {
    /// Whether each label is a page, for a printer with a roll. Otherwise a sheet of A4 has 3 × 8.
    let isRoll: Bool
    /// Whether the bars are those of the barcode, where a record has one.
    let takesBarcodes: Bool
    private(set) var count = 0

    static let labelsOfSheet = 24
    /// The width of the bars in a label of 57 or 70 mm.
    private var width: Double { isRoll ? 53 : 62 }
    /// The widths of the thinnest bar, in millimeters: the usual one, and the least that scanners read.
    private static let modules = 0.19...0.33
    /// The modules without bars on both sides.
    private static let quietZone = 10

    var start: String {
        let page: HTMLText = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>labels</title>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <style>
            @page { size: \(isRoll ? "57mm 32mm" : "A4"); margin: 0; }
            * { box-sizing: border-box; margin: 0; }
            body { font: 9pt/1.25 system-ui, sans-serif; color: #000; background: #fff; }
            section { display: grid; break-after: page; \
            \(isRoll ? "" : "height: 297mm; grid: repeat(8, 1fr) / repeat(3, 70mm)") }
            article { width: \(isRoll ? 57 : 70)mm; height: \(raw: isRoll ? "32" : "37.125")mm; \
            padding: \(isRoll ? "1.5mm 2mm" : "3mm 4mm"); overflow: hidden; }
            p { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
            .price { display: flex; justify-content: space-between; font-weight: bold; font-size: 11pt; }
            svg { display: block; height: 10mm; }
            </style></head>
            <body>
            """
        return page.html + "\n"
    }

    var end: String { (count == 0 ? "" : "</section>") + "</body></html>\n" }

    /// Returns the label of a record, and why it has no bars.
    mutating func label(of record: Record) -> (html: String, complaint: String?) {
        let border = count.isMultiple(of: isRoll ? 1 : Self.labelsOfSheet)
        let opening = border ? (count == 0 ? "<section>" : "</section>\n<section>") : ""
        count += 1
        let barcode = takesBarcodes ? record.barcode : nil
        let pattern = barcode.map { BarPattern.ean13($0) } ?? BarPattern.code128(record.sku.text)
        let module = pattern.map { min(Self.modules.upperBound, width / Double($0.modules + 2 * Self.quietZone)) } ?? 0
        let isReadable = module >= Self.modules.lowerBound
        let html: HTMLText = """
            <article><p>\(record.artist)</p><p>\(record.title)</p>\
            <p class="price"><span>\(record.price.text)</span><span>\(record.conditions)</span></p>\
            \(isReadable ? pattern.map { bars($0, module) } ?? "" : "")<p>\(barcode?.ean13 ?? record.sku.text)\
            </p></article>
            """
        let reason = pattern == nil ? "its SKU has characters that Code 128 lacks" : "its SKU is wider than the label"
        return (opening + html.html + "\n", isReadable ? nil : reason)
    }

    private func bars(_ pattern: BarPattern, _ module: Double) -> HTMLText {
        var (x, path) = (Self.quietZone, "")
        for (index, width) in pattern.widths.enumerated() {
            if index.isMultiple(of: 2) { path += "M\(x) 0h\(width)v1h-\(width)z" }
            x += width
        }
        let modules = x + Self.quietZone
        let width = (module * Double(modules) * 100).rounded() / 100
        return """
            <svg viewBox="0 0 \(modules) 1" preserveAspectRatio="none" style="width: \(raw: "\(width)")mm" \
            shape-rendering="crispEdges"><path d="\(path)"/></svg>
            """
    }
}
