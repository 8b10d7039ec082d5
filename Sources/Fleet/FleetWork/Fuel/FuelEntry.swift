import FleetDomain
import Telemetry

/// One fill of a vehicle's tank, or one charge of its battery.
public struct FuelEntry: WorkThing {
  public enum Energy: String, FieldChoice, Sendable {
    case petrol, diesel, cng, lpg, electric, adBlue

    /// The standard unit of this kind of energy, to which quantities are converted: L, kWh or kg.
    public var unit: Unit {
      switch self {
      case .petrol, .diesel, .lpg, .adBlue: .litre
      case .electric: .kilowattHour
      case .cng: .kilogram
      }
    }
  }

  /// The unit in which a person entered a quantity.
  public enum Unit: String, FieldChoice, Sendable {
    case litre = "L"
    case usGallon
    case imperialGallon
    case kilowattHour = "kWh"
    case kilogram = "kg"

    /// The standard unit to which this unit is converted: L, kWh or kg.
    public var standard: Unit {
      switch self {
      case .litre, .usGallon, .imperialGallon: .litre
      case .kilowattHour, .kilogram: self
      }
    }

    /// The factor that converts a quantity in this unit to the standard unit.
    var factor: Double {
      switch self {
      case .usGallon: MeasureUnit.usGallon.factor
      case .imperialGallon: MeasureUnit.imperialGallon.factor
      case .litre, .kilowattHour, .kilogram: 1
      }
    }
  }

  public var vehicle = ""
  public var driverID: UUIDv7?
  public var at = Timestamp(nanoseconds: 0)
  /// Reading of the odometer, km; `nil` if it was not read.
  public var odometer: Double?
  public var energy = Energy.petrol
  /// The quantity that the person entered, in ``unit``.
  public var quantity = 0.0
  /// The unit in which the person entered the quantity; `nil` for the energy's standard unit.
  public var unit: Unit?
  /// The quantity in the energy's standard unit: L, kWh or kg.
  public var standardQuantity = 0.0
  /// The price of one ``unit``; `nil` if unknown.
  public var price: Money?
  public var total: Money?
  /// Whether the tank or the battery was full afterwards.
  public var isFull = false
  /// Whether an entry is missing between the previous entry and this one.
  public var missedPrevious = false
  /// Whether the entry is wrong. A wrong entry remains visible, but no figure includes it.
  public var isVoid = false
  public var place: String?
  public var notes: String?
  public var documentID: UUIDv7?
  public var files = FileIDs()
  public var entered = EnteredAmounts()
  /// The comparison with what the vehicle reported; `nil` until it is made, and for energy that is not compared.
  public var check: Check?
  /// The time since which ``check`` waits to be computed; `nil` if it is up to date.
  public var checkAt: Timestamp?

  public init() {}

  public var vehicleID: String? { vehicle }

  public var statedTime: Timestamp? { at }

  public var usedFiles: [UUIDv7] { files.ids }

  public static let names = KindNames(one: "fuelEntry", many: "fuel-entries")
  public static let fields: [Field<FuelEntry>] = [
    Field("vehicleId", \.vehicle).refers(to: .vehicle).required().filterable(as: "vehicle"),
    Field("driverId", \.driverID).refers(to: .driver).filledIn().filterable(as: "driver"),
    Field("at", \.at).required().sortable(),
    Field("odometer", \.odometer, in: .odometer).sortable().measured(.distance),
    Field("energy", \.energy).required().filterable().sortable(),
    Field("quantity", \.quantity, in: .above(0, most: 100_000)).required().sortable(),
    Field("unit", \.unit).filledIn(),
    Field("standardQuantity", \.standardQuantity).settable(by: .server),
    Field("price", price: \.price),
    Field("total", price: \.total),
    Field("full", \.isFull).filterable(),
    Field("missedPrevious", \.missedPrevious).filterable(),
    Field("void", \.isVoid).filterable(),
    Field("place", \.place, TextRules.short(200)).sortable().textSearched(),
    Field("notes", \.notes, TextRules.long).textSearched(),
    Field("documentId", \.documentID).refers(to: .document),
    Field("fileIds", \.files).refers(to: .file),
    .entered(\.entered, of: ("odometer", .distance)),
    Field("check", \.check).settable(by: .live),
    Field("checkAt", \.checkAt).settable(by: .live),
  ]

  /// The key of ``cost`` in JSON. The value is computed, so clients cannot set it.
  public static let costKey = "cost"

  /// The amount that was paid: ``total`` or, if that is unknown, ``price`` × ``quantity``, rounded to the smallest unit
  /// of the currency. `nil` if both ``total`` and ``price`` are unknown.
  public var cost: Money? {
    if let total { return total }
    guard let price else { return nil }
    let unitPrice = ExactDecimal(digits: price.tenThousandths, scale: 4)
    let decimals = Money.decimals(of: price.currency)
    let scale = (decimals..<4).reduce(Int64(1)) { scale, _ in scale * 10 }
    guard let quantity = ExactDecimal(JSON.number(quantity).canonicalText),
      let units = unitPrice.multiplied(by: quantity)?.units(ofScale: decimals),
      abs(units) < 10_000_000_000_000_000 / scale
    else { return nil }
    return Money(tenThousandths: Int128(units * scale), currency: price.currency)
  }
}

extension FuelEntry {
  /// Sets the unit if none was entered, and computes ``standardQuantity``.
  ///
  /// - Throws: `invalid` if the unit cannot be used for the energy, or if price and total have different currencies.
  public mutating func complete() throws(ThingError) {
    let unit = self.unit ?? energy.unit
    guard unit.standard == energy.unit else {
      let units = Unit.allCases.filter { $0.standard == energy.unit }.map { "\"\($0.rawValue)\"" }
      throw .invalid(
        FieldErrors([
          FieldError(
            "unit",
            "expected \(units.joined(separator: ", ")) for energy \"\(energy.rawValue)\", found \"\(unit.rawValue)\"")
        ]))
    }
    if let price, let total, price.currency != total.currency {
      throw .invalid(FieldErrors([FieldError("price", "expected the currency of total, \(total.currency)")]))
    }
    self.unit = unit
    standardQuantity = quantity * unit.factor
  }
}
