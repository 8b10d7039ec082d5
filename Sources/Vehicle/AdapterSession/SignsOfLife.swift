/// What a vehicle said of its moving, and when; or that it said nothing.
struct SignsOfLife: BitwiseCopyable {
  /// Questions further apart than this are two silences, not one, ns.
  private static let longestPause: Int64 = 120_000_000_000

  private let configuration: PowerConfiguration
  /// Hybrid signals, or the lack of an engine speed, say that it may drive without its engine.
  var mayDriveElectrically = false
  private var isFuelElectric = false
  private var lastMotion: Int64?
  private var engineStoodAt: Int64?
  private var stoodAt: Int64?
  private var silentSince: Int64?
  private var lastSilence: Int64 = 0

  init(_ configuration: PowerConfiguration) { self.configuration = configuration }

  /// The last question was not answered.
  var isSilent: Bool { silentSince != nil }

  /// PID 0C, rpm.
  mutating func engineSpeed(_ speed: Double, at now: Int64) {
    if speed > 0 { lastMotion = now } else { engineStoodAt = now }
  }

  /// PID 0D, km/h.
  mutating func speed(_ speed: Double, at now: Int64) {
    if speed > 0 { lastMotion = now } else { stoodAt = now }
  }

  /// PID 51 (SAE J1979-DA): electric, bifuel with electricity, or hybrid.
  mutating func fuelType(_ code: UInt8) { isFuelElectric = code == 0x08 || code >= 0x0F && code <= 0x16 }

  mutating func answered() { silentSince = nil }

  mutating func unanswered(at now: Int64) {
    if silentSince == nil || now - lastSilence > Self.longestPause { silentSince = now }
    lastSilence = now
  }

  /// What was said before counts no more; what the vehicle is stays.
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

  /// It was asked all the time, and did not answer.
  func isSilent(for time: Int64, at now: Int64) -> Bool {
    guard let silentSince, now - lastSilence <= Self.longestPause else { return false }
    return now - silentSince >= time
  }

  /// Neither engine speed nor speed was said lately.
  func isUnknown(at now: Int64) -> Bool {
    let time = configuration.cutOffTime / 2
    return !isWithin(time, engineStoodAt, now) && !isWithin(time, stoodAt, now) && !isWithin(time, lastMotion, now)
  }

  /// Whether nothing moved in the cut-off's time, by the vehicle's own word or by its silence all that time.
  ///
  /// - Parameter since: when it was begun to be asked.
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
