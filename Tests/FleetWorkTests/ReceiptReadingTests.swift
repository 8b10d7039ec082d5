import FleetDomain
import Telemetry
import Testing

@testable import FleetWork

/// Proposals from what was read on receipts.
@Suite struct ReceiptReadingTests {
  private static let file = UUIDv7(milliseconds: 1, first: 2, rest: 3)

  private static func reading(_ values: [String: String], more: [String: JSON] = [:]) throws -> ReceiptReading {
    let box = JSON.array([.integer(0), .integer(0), .integer(1), .integer(1)])
    let members = values.mapValues { value in
      JSON.object(["value": .text(value), "confidence": .number(0.9), "box": box])
    }
    return try ReceiptReading(json: .object(members.merging(more) { $1 }))
  }

  @Test func a_fill_becomes_a_fuel_entry_without_the_other_goods() throws {
    let reading = try Self.reading(
      [
        "merchant": "Westside Fuel", "date": "2026-05-04", "time": "08:17", "currency": "USD", "total": "41.24",
        "fuelAmount": "31.50", "price": "3.500", "quantity": "9.000",
      ], more: ["unit": .text("gal"), "energy": .text("petrol")])
    let (kind, values) = reading.proposal(file: Self.file, vehicle: "VAN-1", in: .utc)
    #expect(kind.one == "fuelEntry")
    let entry = try FuelEntry(client: .object(values))
    #expect(entry.unit == .usGallon && entry.quantity == 9 && entry.energy == .petrol)
    #expect(entry.total == Money(amount: "31.50", currency: "USD"))
    #expect(entry.price == Money(amount: "3.500", currency: "USD") && entry.files.ids == [Self.file])
    #expect(entry.at.string == "2026-05-04T08:17:00.000Z" && entry.place == "Westside Fuel")
  }

  @Test func other_receipts_become_expenses_and_missing_values_stay_missing() throws {
    let (kind, values) = try Self.reading(["total": "12.00", "date": "2026-05-04"])
      .proposal(file: Self.file, vehicle: nil, in: .utc)
    #expect(kind.one == "expense" && Set(values.keys) == ["fileIds"])
    let (_, more) = try Self.reading(["total": "12.00", "currency": "EUR", "merchant": "Parking"])
      .proposal(file: Self.file, vehicle: nil, in: .utc)
    #expect(more["amount"] == Money(amount: "12.00", currency: "EUR")?.json && more["vendorName"] == .text("Parking"))
  }

  @Test func values_of_wrong_types_are_rejected() {
    #expect(throws: FieldError.self) { try ReceiptReading(json: .object(["total": .text("1")])) }
    #expect(throws: FieldError.self) { try ReceiptReading(json: .object(["energy": .text("coal")])) }
  }
}
