import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class RecordTests: TimedTestCase {
    static func full() throws -> Record {
        try Record(
            sku: SKU("LP/0042"), artist: "Die Übungsgruppe", title: "Kaffee & \"Kuchen\"", label: "",
            catalogueNumber: "007",
            format: "LP, Album", year: 1991, country: "Germany", barcode: Barcode("4006381333931"),
            mediaCondition: .veryGoodPlus, sleeveCondition: .notGraded,
            price: Money(amount: 1850, currency: Currency("EUR")),
            quantity: 3, status: .draft, location: "A-12", notes: "Two lines:\nplays fine",
            discogsListing: 900_000_001, discogsRelease: nil, genre: "Easy listening",
            consignor: "Ms. Owner")
    }

    static func minimal() throws -> Record {
        try Record(
            sku: SKU("1"), artist: "A", title: "T", price: Money(amount: 0, currency: Currency("JPY")), quantity: 0)
    }

    func testPrintsEveryFieldInOrder() throws {
        XCTAssertEqual(
            try Self.full().json.text(),
            #"{"sku":"LP/0042","artist":"Die Übungsgruppe","title":"Kaffee & \"Kuchen\"","label":"","#
                + #""catalogue_number":"007","format":"LP, Album","year":1991,"country":"Germany","#
                + #""barcode":"4006381333931","media_condition":"VG+","sleeve_condition":"not_graded","#
                + #""price":{"amount":1850,"currency":"EUR"},"quantity":3,"status":"draft","location":"A-12","#
                + #""notes":"Two lines:\nplays fine","#
                + #""discogs_listing":900000001,"genre":"Easy listening","consignor":"Ms. Owner"}"#
        )
        XCTAssertEqual(
            try Self.minimal().json.text(),
            #"{"sku":"1","artist":"A","title":"T","label":null,"catalogue_number":null,"format":null,"year":null,"#
                + #""country":null,"barcode":null,"media_condition":null,"sleeve_condition":null,"#
                + #""price":{"amount":0,"currency":"JPY"},"quantity":0,"status":"for_sale","location":null,"#
                + #""notes":null}"#)
    }

    func testTakesTheFieldsThatAreNamedAndLeavesTheOthers() throws {
        let own = try Self.minimal()
        var other = try Self.full()
        other.discogsRelease = 800_001
        for field in RecordField.allCases {
            let taken = own.taking([field], from: other)
            let isPrice = [.price, .currency].contains(field)
            for each in RecordField.allCases {
                let isTaken = each == field || (isPrice && [.price, .currency].contains(each))
                XCTAssertEqual(
                    each.text(of: taken), each.text(of: isTaken ? other : own), "\(each) when \(field) is taken")
            }
        }
    }
}
