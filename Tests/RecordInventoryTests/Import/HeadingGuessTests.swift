import TestSupport
import XCTest

@testable import RecordInventory

/// The map that is proposed for a file with unknown headings.
final class HeadingGuessTests: TimedTestCase {
    /// Returns what is said of a file with one row, whose columns have the amounts 4.50, 5.50 and so on.
    private func advice(_ headings: String...) throws -> String {
        let amounts = headings.indices.map { "\($0 + 4).50" }.joined(separator: ",")
        return try advice("sku,artist,title,\(headings.joined(separator: ","))", row: "1,A,T,\(amounts)")
    }

    private func advice(_ headings: String, row: String) throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.write("\(headings)\n\(row)\n".utf8)
        do {
            _ = try ImportReader(InputFile(file, chunkSize: 4096), ImportOptions(currency: Currency("EUR")))
        } catch {
            return "\(error)"
        }
        return ""
    }

    private static let buying = [
        "Precio proveedor", "Preço custo", "Aankoopprijs", "Prix de revient", "Cena hurtowa", "Vendor price",
        "Einkaufspreis", "Supplier price", "Trade price", "Prix HT", "Inköpspris", "Prezzo fornitore", "Net price",
    ]
    private static let selling = [
        "PVP", "Venda", "Verkoop", "Vente TTC", "Detal", "Selling", "VK", "Retail price", "Verkaufspreis (EUR)",
        "Prezzo di vendita", "Regular price",
    ]

    /// A word list never ends. So only a heading that is known is the selling price, and of others a person decides.
    func testThePriceIsNeverWhatTheShopPaid() throws {
        for buying in Self.buying {
            for selling in Self.selling {
                for text in [try advice(buying, selling), try advice(selling, buying)] {
                    XCTAssertTrue(text.contains("price:\(selling)"), text)
                    XCTAssertFalse(text.contains("price:\(buying)"), text)
                }
            }
            let text = try advice(buying)
            XCTAssertTrue(text.contains("'price:…,"), text)
            XCTAssertTrue(text.contains("in place of …: \"\(buying)\"") || text.contains("cost:\(buying)"), text)
        }
        // Known ones decide, and what is unknown is named by its amounts.
        for (headings, said) in [
            (["Precio final", "Precio oferta"], #"in place of …: "Precio final", "Precio oferta""#),
            (["Whatever", "Wholesale"], #"in place of …: "Whatever""#),
            (["Preis", "VK"], #"in place of …: "Preis", "VK""#), (["MSRP", "Selling price"], "price:Selling price"),
            (["Fecha inicio precio rebajado"], #"in place of …: "Fecha inicio precio rebajado""#),
        ] {
            let text = try advice(headings[0], headings.last ?? "")
            XCTAssertTrue(text.contains(said), text)
        }
    }

    func testTheOtherFieldsInOtherLanguages() throws {
        for (headings, map) in [
            (
                "Artista,Titolo,Prezzo di vendita,Giacenza,SKU",
                "sku:SKU,artist:Artista,title:Titolo,price:Prezzo di vendita,quantity:Giacenza"
            ),
            (
                "Wykonawca,Tytuł,Cena sprzedaży,Ilość,Kod",
                "sku:Kod,artist:Wykonawca,title:Tytuł,price:Cena sprzedaży,quantity:Ilość"
            ),
            (
                "Artist,Titel,VK brutto,Bestand,Artikel-Nr.",
                "sku:Artikel-Nr.,artist:Artist,title:Titel,price:VK brutto,quantity:Bestand"
            ),
            (
                "Artiste,Titre,PV TTC,Qté,Référence",
                "sku:Référence,artist:Artiste,title:Titre,price:PV TTC,quantity:Qté"
            ),
            (
                "Artista,Título,Preço de venda,Quantidade em estoque,Código",
                "sku:Código,artist:Artista,title:Título,price:Preço de venda,quantity:Quantidade em estoque"
            ),
            ("Artist,Title,RRP,Copies,Item code", "sku:Item code,artist:Artist,title:Title,price:RRP,quantity:Copies"),
        ] {
            let text = try advice(headings, row: "A,T,12.00,3,X1")
            XCTAssertTrue(text.contains("--map '\(map)'\n"), text)
        }
    }
}
