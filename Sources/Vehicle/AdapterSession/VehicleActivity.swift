import OBDWire

/// The vehicle's reports about its motion, and since when it has not answered requests.
struct VehicleActivity: BitwiseCopyable {
  /// Two unanswered requests count as one period of silence only if the time between them is at most this long, ns.
  private static let longestPause: Int64 = 120_000_000_000

  private let configuration: PowerConfiguration
  /// Whether the vehicle may drive with its engine off: it supports signals of hybrid vehicles, or does not report an
  /// engine speed.
  var mayDriveElectrically = false
  private var isFuelElectric = false
  private var lastMotion: Int64?
  private var engineStoodAt: Int64?
  private var stoodAt: Int64?
  private var silentSince: Int64?
  private var lastSilence: Int64 = 0

  init(_ configuration: PowerConfiguration) { self.configuration = configuration }

  /// Whether the last request was not answered.
  var isSilent: Bool { silentSince != nil }

  /// Records the engine speed (PID 0C), rpm.
  mutating func engineSpeed(_ speed: Double, at now: Int64) {
    if speed > 0 { lastMotion = now } else { engineStoodAt = now }
  }

  /// Records the vehicle speed (PID 0D), km/h.
  mutating func speed(_ speed: Double, at now: Int64) {
    if speed > 0 { lastMotion = now } else { stoodAt = now }
  }

  /// Stores the fuel type (PID 51).
  mutating func fuelType(_ code: UInt8) { isFuelElectric = FuelTypeCode.isElectrified(code) }

  mutating func answered() { silentSince = nil }

  mutating func unanswered(at now: Int64) {
    if silentSince == nil || now - lastSilence > Self.longestPause { silentSince = now }
    lastSilence = now
  }

  /// Discards the reports about motion and silence, but not the facts about the vehicle.
  mutating func restart() {
    lastMotion = nil
    engineStoodAt = nil
    stoodAt = nil
    silentSince = nil
  }

  mutating func forgetVehicle() {
    isFuelElectric = false
    mayDriveElectrically = false
  }

  /// Whether the vehicle has not answered any request for `time` (ns), although requests were sent regularly.
  func isSilent(for time: Int64, at now: Int64) -> Bool {
    guard let silentSince, now - lastSilence <= Self.longestPause else { return false }
    return now - silentSince >= time
  }

  /// Whether neither engine speed nor vehicle speed was reported recently.
  func isUnknown(at now: Int64) -> Bool {
    let time = configuration.cutOffTime / 2
    return !isWithin(time, engineStoodAt, now) && !isWithin(time, stoodAt, now) && !isWithin(time, lastMotion, now)
  }

  /// Whether the vehicle and its engine have stood still for ``PowerConfiguration/cutOffTime``. If the vehicle answers
  /// and may drive electrically, ``PowerConfiguration/electricCutOffTime`` applies as well. A vehicle that has not
  /// answered during the whole time counts as standing still.
  ///
  /// - Parameter since: time at which the vehicle was first polled, or last woke up.
  func isStanding(since: Int64, at now: Int64) -> Bool {
    let time = configuration.cutOffTime
    guard now - since >= time, !isWithin(time, lastMotion, now) else { return false }
    if silentSince != nil { return isSilent(for: time, at: now) }
    guard mayDriveElectrically || isFuelElectric else { return isWithin(time, engineStoodAt, now) }
    return isWithin(time, stoodAt, now) && now - since >= configuration.electricCutOffTime
      && !isWithin(configuration.electricCutOffTime, lastMotion, now)
  }

  private func isWithin(_ time: Int64, _ last: Int64?, _ now: Int64) -> Bool { last.map { now - $0 < time } ?? false }
}
