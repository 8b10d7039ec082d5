/// An amount of money in one currency, for example `{"amount":"49.90","currency":"EUR"}`.
///
/// The amount keeps all decimals that the person entered, even if the currency's smallest unit has fewer. For example,
/// the price of a litre often has three decimals. Amounts of different currencies are never added.
public struct Money: FieldValue, Hashable, Sendable {
  /// A decimal number with up to 12 digits before the point and up to 4 after it. The digits before the point do not
  /// begin with unnecessary zeros.
  public let amount: String
  /// Three letters (ISO 4217), for example `EUR`.
  public let currency: String
  /// The amount in 1/10,000 of the currency's unit, exactly.
  public let tenThousandths: Int128

  /// Creates an amount; `nil` unless both texts have the formats of ``amount`` and ``currency``.
  public init?(amount: String, currency: String) {
    guard currency.utf8.count == 3,
      currency.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
      let value = Self.tenThousandths(amount)
    else { return nil }
    self.amount = Self.withoutLeadingZeros(amount)
    self.currency = currency
    tenThousandths = value
  }

  /// Creates an amount with at least as many digits after the point as the currency's smallest unit has: for example
  /// two for `EUR`, and none for `JPY`.
  ///
  /// - Parameter tenThousandths: at most 10¹⁶ − 1, positive or negative; for a sum of amounts, any number.
  public init(tenThousandths: Int128, currency: String) {
    let magnitude = tenThousandths.magnitude
    var fraction = String(magnitude % 10_000)
    fraction = String(repeating: "0", count: 4 - fraction.count) + fraction
    let least = Self.decimals(of: currency)
    while fraction.count > least, fraction.last == "0" { fraction.removeLast() }
    amount = "\(tenThousandths < 0 ? "-" : "")\(magnitude / 10_000)" + (fraction.isEmpty ? "" : ".\(fraction)")
    self.currency = currency
    self.tenThousandths = tenThousandths
  }

  /// Removes unnecessary zeros at the beginning of a valid amount.
  private static func withoutLeadingZeros(_ amount: String) -> String {
    let sign = amount.hasPrefix("-") ? "-" : ""
    let digits = amount.dropFirst(sign.count).drop { $0 == "0" }
    return sign + (digits.first?.isNumber ?? false ? "" : "0") + digits
  }

  private static func tenThousandths(_ text: String) -> Int128? {
    var rest = text.utf8[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest = rest.dropFirst() }
    let parts = rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let whole = parts.first, (1...12).contains(whole.count), parts.count <= 2,
      parts.count == 1 || (1...4).contains(parts[1].count)
    else { return nil }
    let decimals = parts.count == 2 ? Array(parts[1]) : []
    var value: Int128 = 0
    for byte in Array(whole) + decimals + [UInt8](repeating: UInt8(ascii: "0"), count: 4 - decimals.count) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int128(byte - UInt8(ascii: "0"))
    }
    return isNegative ? -value : value
  }

  public static var type: FieldType { .json }
  public static var schema: String { schema(sign: "-?") }
  /// The JSON Schema of an amount that is 0 or more.
  static var positiveSchema: String { schema(sign: "") }

  private static func schema(sign: String) -> String {
    ##"{"type":"object","required":["amount","currency"],"additionalProperties":false,"properties":{"##
      + ##""amount":{"type":"string","pattern":"^\##(sign)[0-9]{1,12}([.][0-9]{1,4})?$"},"##
      + ##""currency":{"description":"ISO 4217.","type":"string","pattern":"^[A-Z]{3}$"}}}"##
  }

  /// Parses an amount that a client sent. Stored amounts may have a currency that is not in the list, because an
  /// earlier release accepted every three letters.
  public static func parsed(client json: JSON) throws(FieldErrors) -> Money {
    let money: Money
    do throws(FieldError) {
      money = try Money(json: json)
    } catch {
      throw FieldErrors([error])
    }
    guard isCurrency(money.currency) else {
      throw FieldErrors([
        FieldError("currency", "expected a currency of ISO 4217, such as EUR, found \"\(money.currency)\"")
      ])
    }
    return money
  }

  public init(json: JSON) throws(FieldError) {
    guard case .object(let members) = json, members.count == 2, let amount = members["amount"],
      let currency = members["currency"]
    else {
      throw FieldError("", #"expected money like {"amount":"49.90","currency":"EUR"}, found \#(json.summary)"#)
    }
    guard let text = amount.textValue, Self.tenThousandths(text) != nil else {
      throw FieldError(
        "amount",
        #"expected a text like "49.90", at most 12 digits before the point and 4 after it, found \#(amount.summary)"#)
    }
    guard let code = currency.textValue, let money = Money(amount: text, currency: code) else {
      throw FieldError("currency", "expected a currency of ISO 4217, such as EUR, found \(currency.summary)")
    }
    self = money
  }

  public var json: JSON { .object(["amount": .text(amount), "currency": .text(currency)]) }
}

extension Field {
  /// Creates a field for a cost or a value in money, which clients can set only to 0 or more. There is no field for
  /// refunds: after a refund, the amount of an expense is the remaining cost.
  public init(_ key: String, price path: WritableKeyPath<Owner, Money?> & Sendable, isRequired: Bool = false) {
    let field = Field(key, path) { money throws(FieldError) in
      guard let money else {
        if isRequired { throw FieldError("", "expected an amount, found null") }
        return
      }
      guard money.tenThousandths >= 0 else { throw FieldError("amount", "expected 0 or more, found \(money.amount)") }
    }.schema(Money.positiveSchema)
    self = isRequired ? field.required() : field
  }
}
