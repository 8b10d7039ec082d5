import FleetDomain

/// The distance that a vehicle drove on a range of days: from telemetry, and from odometer readings for days whose
/// telemetry has no distance.
///
/// The difference between the last odometer readings of two days is the distance of the days after the first day, up to
/// and including the second day: readings of 100 km on Monday and 180 km on Thursday show 80 km for Tuesday to
/// Thursday. If telemetry is missing for one of these days, the odometer is used for all of them. Exception: the
/// telemetry of the other days already contains the whole distance.
public struct DrivenDistance: Equatable, Sendable {
  public enum Basis: String, Sendable {
    case telemetry, odometer, mixed
  }

  /// The odometer readings of a day: the totals of all odometers of the vehicle at the first and the last used reading,
  /// km.
  public struct Readings: Equatable, Sendable {
    public let first: Double
    public var last: Double

    public init(first: Double, last: Double) { (self.first, self.last) = (first, last) }
  }

  /// The distance, km; `nil` if it is unknown.
  public private(set) var kilometers: Double?
  /// The number of days whose distance comes from telemetry, and the number of days whose distance comes from the
  /// odometer.
  public private(set) var days = (telemetry: 0, odometer: 0)

  /// The source of the distance; `nil` if the distance is unknown.
  public var basis: Basis? {
    guard kilometers != nil else { return nil }
    return days.odometer == 0 ? .telemetry : days.telemetry == 0 ? .odometer : .mixed
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.kilometers == right.kilometers && left.days == right.days
  }

  /// Computes the distance.
  ///
  /// - Parameters:
  ///   - dates: the range of days.
  ///   - telemetry: the distance of each day whose telemetry contains a distance, km.
  ///   - readings: the odometer readings of each day that has some. Days before the range are ignored, except the day
  ///     immediately before it.
  public init(
    on dates: ClosedRange<CalendarDate>, telemetry: [CalendarDate: Double], readings: [CalendarDate: Readings]
  ) {
    let before = dates.lowerBound.adding(days: -1)
    var isCounted: Set<CalendarDate> = []
    var sum: Double?
    func add(_ distance: Double) { sum = (sum ?? 0) + distance }
    let read = readings.keys.filter { $0 >= before && $0 <= dates.upperBound }.sorted()
    var previous: CalendarDate?
    for date in read {
      defer { previous = date }
      guard let now = readings[date] else { continue }
      guard let start = previous, let then = readings[start] else {
        // There is no earlier reading. Only the part of the day between its own readings is known.
        if date >= dates.lowerBound, telemetry[date] == nil, now.last > now.first {
          add(now.last - now.first)
          isCounted.insert(date)
          days.odometer += 1
        }
        continue
      }
      let block = (start.dayNumber + 1...date.dayNumber).map { CalendarDate(dayNumber: $0) }
      let known = block.compactMap { telemetry[$0] }
      let driven = now.last - then.last
      // Vehicles send nothing while they are parked. If the telemetry contains the whole distance, nothing is missing.
      guard known.count < block.count, driven > known.reduce(0, +) else { continue }
      add(driven)
      isCounted.formUnion(block)
      days.odometer += block.count
    }
    for (date, distance) in telemetry where dates.contains(date) && !isCounted.contains(date) {
      add(distance)
      days.telemetry += 1
    }
    kilometers = sum
  }
}
