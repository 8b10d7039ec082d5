import FleetDomain
import Telemetry

/// A fall of the fuel level while a vehicle was parked.
public struct FuelDrop: Equatable, Sendable {
  /// The length of each of the two periods whose fuel levels are compared, s. The first ends when the vehicle is
  /// parked; the second begins when it drives on.
  public static let span: Int64 = 300
  /// The minimum number of fuel levels in each of the two periods. Fuel moves in the tank, so a single level is not
  /// exact.
  public static let levels = 5
  /// Minimum fall, % of the tank's volume. The level of a vehicle that is parked on a slope differs by several percent.
  static let least = 10.0

  /// The fall, % of the tank's volume.
  public let percent: Double
  /// The fall, L; `nil` if the volume of the tank is unknown.
  public let litres: Double?

  /// Compares the levels before a vehicle was parked with those after it drove on.
  ///
  /// - Parameters:
  ///   - before: levels before the vehicle was parked, %.
  ///   - after: levels after it drove on, %.
  ///   - capacity: the volume of the tank, L; `nil` if unknown.
  /// - Returns: `nil` if the level did not fall, or if there are too few levels.
  public init?(before: [Double], after: [Double], capacity: Double?) {
    guard let then = Self.median(before), let now = Self.median(after), then - now >= Self.least else { return nil }
    percent = then - now
    litres = capacity.map { (then - now) * $0 / 100 }
  }

  private static func median(_ levels: [Double]) -> Double? {
    let valid = levels.filter { (0...100).contains($0) }
    return valid.count >= Self.levels ? valid.sorted()[valid.count / 2] : nil
  }

  /// The fall as text, for example `31 L (52 %)`.
  public var text: String {
    let share = "\(Int64(percent.rounded())) %"
    return litres.map { "\(Int64($0.rounded())) L (\(share))" } ?? share
  }
}
