import FleetDomain
import FleetWork

/// Sums of costs, by category and currency. Amounts of different currencies are never added.
public struct VehicleCosts: Equatable, Sendable {
  /// The category for the loss of a vehicle's value.
  public static let lossOfValue = "lossOfValue"
  /// The category for fills of the tank and charges of the battery.
  public static let fuel = "fuel"
  /// The category for services and repairs.
  public static let maintenance = "maintenance"

  /// The sums in ten-thousandths of the currency's unit, by category and currency. Int128 is sufficient for 10²² of the
  /// largest amounts.
  private var sums: [String: [String: Int128]] = [:]
  /// The number of costs whose amount is unknown. They are in no sum.
  public private(set) var unknown = 0
  /// Whether a sum contains an expected amount: the loss of value of a vehicle that is still owned.
  public private(set) var isEstimated = false

  public init() {}

  /// Adds a cost.
  ///
  /// - Parameter amount: `nil` if the amount is unknown.
  public mutating func add(_ amount: Money?, category: String) {
    guard let amount else {
      unknown += 1
      return
    }
    add(amount.tenThousandths, amount.currency, category)
  }

  /// Marks the costs as estimated, because a sum contains an amount that is only expected.
  mutating func markEstimated() { isEstimated = true }

  private mutating func add(_ amount: Int128, _ currency: String, _ category: String) {
    sums[category, default: [:]][currency, default: 0] += amount
  }

  /// Adds the part of a vehicle's loss of value that belongs to a range of days. The loss is the acquisition cost minus
  /// the residual value. It is spread evenly over the days from the acquisition until the day before the disposal. If
  /// the vehicle is still owned, the planned disposal is used instead. If no disposal is planned, or its day has
  /// passed, the loss is spread over the days up to and including today.
  ///
  /// Nothing is added if the acquisition cost, its day or the residual value is unknown, or if the currencies differ.
  /// Only the present ownership counts.
  ///
  /// - Parameters:
  ///   - first: the first day of the range.
  ///   - last: the last day.
  ///   - today: the current day.
  public mutating func addLossOfValue(
    of vehicle: Vehicle, from first: CalendarDate, through last: CalendarDate, today: CalendarDate
  ) {
    guard let loss = Self.lossOfValue(of: vehicle, from: first, through: last, today: today) else { return }
    add(loss, category: Self.lossOfValue)
    if vehicle.disposedOn == nil { isEstimated = true }
  }

  /// Returns the part of a vehicle's loss of value that belongs to a range of days; `nil` if it is unknown, or if no
  /// day of the range is between the acquisition and the disposal.
  static func lossOfValue(
    of vehicle: Vehicle, from first: CalendarDate, through last: CalendarDate, today: CalendarDate
  ) -> Money? {
    guard let acquired = vehicle.acquiredOn, let cost = vehicle.acquisitionCost, let residual = vehicle.residualValue,
      cost.currency == residual.currency
    else { return nil }
    let end = vehicle.disposedOn ?? max(vehicle.plannedDisposalOn ?? today.next, today.next)
    guard acquired < end else { return nil }
    let owned = acquired.dayNumber..<end.dayNumber
    let days = (first.dayNumber..<(last.dayNumber + 1)).clamped(to: owned)
    guard !days.isEmpty else { return nil }
    let loss = Double(cost.tenThousandths - residual.tenThousandths) * Double(days.count) / Double(owned.count)
    return Money(tenThousandths: Int128(loss.rounded()), currency: cost.currency)
  }

  /// The sums of each category, sorted by currency.
  public var byCategory: [String: [Money]] { sums.mapValues(Self.money) }

  /// The sums over all categories, sorted by currency.
  public var total: [Money] { Self.money(totals) }

  /// Returns the sums over all categories divided by a quantity, rounded to ten-thousandths; `nil` if the quantity is
  /// unknown, not positive, or too small for the result.
  public func total(per quantity: Double?) -> [Money]? {
    guard let quantity, quantity > 0 else { return nil }
    let parts = totals.mapValues { (Double($0) / quantity).rounded(.toNearestOrAwayFromZero) }
    guard parts.values.allSatisfy({ $0.magnitude < 1e30 }) else { return nil }
    return Self.money(parts.mapValues { Int128($0) })
  }

  private var totals: [String: Int128] {
    var totals: [String: Int128] = [:]
    for (currency, amount) in sums.values.flatMap({ $0 }) { totals[currency, default: 0] += amount }
    return totals
  }

  private static func money(_ sums: [String: Int128]) -> [Money] {
    sums.sorted { $0.key < $1.key }.map { Money(tenThousandths: $0.value, currency: $0.key) }
  }
}
