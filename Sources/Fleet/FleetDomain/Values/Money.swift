/// An amount of money in one currency, for example `{"amount":"49.90","currency":"EUR"}`.
///
/// The amount is stored with the digits that the person entered. Amounts of different currencies are never added.
public struct Money: FieldValue, Hashable, Sendable {
  /// A decimal number with up to 12 digits before the point and up to 4 after it.
  public let amount: String
  /// Three letters (ISO 4217), for example `EUR`.
  public let currency: String
  /// The amount in 1/10,000 of the currency's unit, exactly.
  public let tenThousandths: Int64

  /// Creates an amount; `nil` unless both texts have the formats of ``amount`` and ``currency``.
  public init?(amount: String, currency: String) {
    guard currency.utf8.count == 3,
      currency.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
      let value = Self.tenThousandths(amount)
    else { return nil }
    self.amount = amount
    self.currency = currency
    tenThousandths = value
  }

  /// Creates an amount with at least two digits after the point.
  ///
  /// - Parameter tenThousandths: at most 10¹⁶ − 1, positive or negative.
  public init(tenThousandths: Int64, currency: String) {
    let magnitude = tenThousandths.magnitude
    var fraction = String(magnitude % 10_000)
    fraction = String(repeating: "0", count: 4 - fraction.count) + fraction
    while fraction.count > 2, fraction.last == "0" { fraction.removeLast() }
    amount = "\(tenThousandths < 0 ? "-" : "")\(magnitude / 10_000).\(fraction)"
    self.currency = currency
    self.tenThousandths = tenThousandths
  }

  private static func tenThousandths(_ text: String) -> Int64? {
    var rest = text.utf8[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest = rest.dropFirst() }
    let parts = rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let whole = parts.first, (1...12).contains(whole.count), parts.count <= 2,
      parts.count == 1 || (1...4).contains(parts[1].count)
    else { return nil }
    let decimals = parts.count == 2 ? Array(parts[1]) : []
    var value: Int64 = 0
    for byte in Array(whole) + decimals + [UInt8](repeating: UInt8(ascii: "0"), count: 4 - decimals.count) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    return isNegative ? -value : value
  }

  public static var type: FieldType { .json }
  public static var schema: String {
    ##"{"type":"object","required":["amount","currency"],"additionalProperties":false,"properties":{"##
      + ##""amount":{"type":"string","pattern":"^-?[0-9]{1,12}([.][0-9]{1,4})?$"},"##
      + ##""currency":{"type":"string","pattern":"^[A-Z]{3}$"}}}"##
  }

  public init(json: JSON) throws(FieldError) {
    guard case .object(let members) = json, members.count == 2, let amount = members["amount"]?.textValue,
      let currency = members["currency"]?.textValue, let money = Money(amount: amount, currency: currency)
    else {
      throw FieldError("", #"expected money like {"amount":"49.90","currency":"EUR"}, found \#(json.summary)"#)
    }
    self = money
  }

  public var json: JSON { .object(["amount": .text(amount), "currency": .text(currency)]) }
}
