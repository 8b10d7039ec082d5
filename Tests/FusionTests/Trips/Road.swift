import Fusion
import Testing

/// A car that is driven second by second, with a trip watch. Speeds are in km/h, times in s from its beginning.
struct Road: ~Copyable {
  var watch: TripWatch
  private(set) var second = 0
  private(set) var trips: [Seen] = []
  private(set) var starts: [Seen] = []
  private var latitude = 48.0

  /// The values that the car reports.
  struct Car {
    var rpm: Double? = 0
    var speed: Double? = 0
    var volts: Double?
    /// The speed over ground; `nil` without a receiver.
    var ground: Double?
    /// Whether the receiver reports its Doppler speed.
    var hasDoppler = true

    static let parked = Car(rpm: nil, speed: nil)
    static let off = Car()
    static let idle = Car(rpm: 800)
    static func drive(_ speed: Double) -> Car { Car(rpm: 2_000, speed: speed) }
    static func electric(_ speed: Double) -> Car { Car(rpm: nil, speed: speed) }
    /// Returns a car that is transported: neither the adapter nor the engine reports anything.
    static func carried(_ speed: Double) -> Car { Car(rpm: nil, speed: nil, ground: speed) }
    static let silent = Car(rpm: nil, speed: nil)

    func with(volts: Double? = nil, ground: Double? = nil) -> Car {
      var car = self
      car.volts = volts ?? car.volts
      car.ground = ground ?? car.ground
      return car
    }
  }

  /// One end of a trip.
  struct Seen: Equatable, CustomStringConvertible {
    var start: Double
    var end: Double
    var metres: Double
    var source: String
    var idle: Double
    var maxSpeed: Double

    init(_ report: TripReport) {
      start = Double(report.start) / 1e9
      end = Double(report.end) / 1e9
      metres = (report.distance * 1_000_000).rounded() / 1_000
      source = report.distanceSource.name.description
      idle = report.idleSeconds
      maxSpeed = report.maxSpeed
    }

    init(_ start: Double, _ end: Double, metres: Double, _ source: String = "speed", idle: Double, max: Double) {
      (self.start, self.end, self.metres, self.source, self.idle, maxSpeed) = (start, end, metres, source, idle, max)
    }

    /// Positions are not exact, so the length of a trip that was measured by positions may differ by half a percent.
    static func == (left: Seen, right: Seen) -> Bool {
      let tolerance = left.source == "speed" ? 0.01 : right.metres * 0.005
      return left.start == right.start && left.end == right.end && left.source == right.source
        && left.idle == right.idle && abs(left.metres - right.metres) <= tolerance
        && abs(left.maxSpeed - right.maxSpeed) <= right.maxSpeed * (left.source == "speed" ? 0 : 0.005)
    }

    var description: String { "\(start)…\(end): \(metres) m by \(source), idle \(idle) s, \(maxSpeed) km/h" }
  }

  init(_ change: (inout TripOptions) -> Void = { _ in }) {
    var options = TripOptions()
    change(&options)
    watch = TripWatch(options)
  }

  var now: Int64 { Int64(second) * 1_000_000_000 }

  var deadline: Int64 { watch.deadline }

  /// Drives for a number of seconds, with a reading of all values each second.
  mutating func go(_ seconds: Int, _ car: Car, _ more: (inout TripWatch, Int64) -> Void = { _, _ in }) {
    for _ in 0..<seconds {
      if let volts = car.volts { watch.batteryVoltage(volts + (second.isMultiple(of: 2) ? 0 : 0.1), at: now) }
      more(&watch, now)
      if let rpm = car.rpm { watch.engineSpeed(rpm, at: now) }
      if let speed = car.speed { watch.speed(speed, at: now) }
      if let ground = car.ground {
        latitude += ground / 3.6 / 111_200
        watch.fix(latitude: latitude, longitude: 11, speed: car.hasDoppler ? ground : nil, at: now)
      }
      collectChanges()
      second += 1
    }
  }

  /// Advances the time without any value; the watch is called once a second.
  mutating func wait(_ seconds: Int) { go(seconds, .silent) }

  private mutating func collectChanges() {
    while let change = watch.decide(at: now) {
      switch change {
      case .start(let report): starts.append(Seen(report))
      case .end(let report): trips.append(Seen(report))
      }
    }
  }

  /// Waits until all trips have ended.
  mutating func park() -> [Seen] {
    wait(7_200)
    return trips
  }
}
