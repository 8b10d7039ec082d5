import Fusion
import Testing

/// Whole drives and their expected trips: beginning, end, distance, idling and speed, all calculated by hand.
///
/// At 36 km/h, a second is 10 m, and the step from or to a reading of 0 is half of it. A trip ends with the last
/// reading that shows a running engine or motion.
@Suite struct TripScenarioTests {
  struct Scenario: Sendable, CustomTestStringConvertible {
    var name: String
    var trips: [Road.Seen]
    var drive: @Sendable (inout Road) -> Void
    var testDescription: String { name }

    init(_ name: String, _ trips: [Road.Seen], _ drive: @escaping @Sendable (inout Road) -> Void) {
      (self.name, self.trips, self.drive) = (name, trips, drive)
    }
  }

  @Test(arguments: stops + losses + carried + electric) func a_drive_gives_its_trips(_ scenario: Scenario) {
    var road = Road()
    scenario.drive(&road)
    let trips = road.park()
    #expect(trips == scenario.trips)
    #expect(road.starts.map(\.start) == trips.map(\.start), "each trip is reported when it begins and when it ends")
    let isUnderWay = road.watch.isUnderWay
    #expect(!isUnderWay)
  }

  static let stops: [Scenario] = [
    Scenario("one drive", [.init(0, 80, metres: 600, idle: 19, max: 36)]) { road in
      road.go(10, .idle)
      road.go(60, .drive(36))
      road.go(11, .idle)
      road.go(300, .off)
    },
    Scenario("an engine that is only started is no trip", []) { road in
      road.go(600, .idle)
      road.go(300, .off)
    },
    Scenario("a car that is moved in its yard is none", []) { road in
      road.go(4, .drive(36))
      road.go(300, .off)
    },
    Scenario("a stop of 179 s does not split", [.init(0, 297, metres: 1_190, idle: 0, max: 36)]) { road in
      road.go(60, .drive(36))
      road.go(178, .off)
      road.go(60, .drive(36))
    },
    Scenario(
      "a stop of 180 s splits",
      [.init(0, 59, metres: 595, idle: 0, max: 36), .init(239, 298, metres: 590, idle: 0, max: 36)]
    ) { road in
      road.go(60, .drive(36))
      road.go(179, .off)
      road.go(60, .drive(36))
    },
    Scenario("an engine that stops at the light", [.init(0, 329, metres: 1_795, idle: 2, max: 36)]) { road in
      road.go(60, .drive(36))
      road.go(3, .idle)
      road.go(87, .off)
      road.go(60, .drive(36))
      road.go(60, Road.Car(rpm: 0, speed: 0))
      road.go(60, .drive(36))
      road.go(300, .off)
    },
    Scenario("an engine that dies: the car rolls out", [.init(0, 79, metres: 795, idle: 0, max: 36)]) { road in
      road.go(60, .drive(36))
      road.go(20, Road.Car(rpm: 0, speed: 36))
      road.go(300, .off)
    },
    Scenario(
      "engine on while parked idles until the limit; the next trip begins when the car moves",
      [
        .init(0, 1_858, metres: 595, idle: 1_798, max: 36),
        .init(2_460, 2_519, metres: 590, idle: 0, max: 36),
      ]
    ) { road in
      road.go(60, .drive(36))
      road.go(2_400, .idle)
      road.go(60, .drive(36))
    },
    Scenario("a long warm-up is a part of the trip", [.init(0, 1_259, metres: 595, idle: 1_199, max: 36)]) { road in
      road.go(1_200, .idle)
      road.go(60, .drive(36))
    },
  ]

  static let losses: [Scenario] = [
    Scenario("tunnel: the wheels count on", [.init(0, 419, metres: 4_195, idle: 0, max: 36)]) { road in
      road.go(60, .drive(36).with(ground: 36))
      road.go(300, .drive(36))
      road.go(60, .drive(36).with(ground: 36))
      road.go(300, .off)
    },
    Scenario("receiver lost for good", [.init(0, 119, metres: 1_190, idle: 0, max: 36)]) { road in
      road.go(60, .drive(36).with(ground: 36))
      road.go(60, .drive(36))
    },
    Scenario(
      "adapter lost on the way: the positions count on", [.init(0, 244, metres: 2_400, "mixed", idle: 4, max: 36)]
    ) { road in
      road.go(5, .idle)
      road.go(60, .drive(36).with(ground: 36))
      road.go(120, .carried(36))
      road.go(60, .drive(36).with(ground: 36))
      road.go(300, .off)
    },
    Scenario(
      "adapter lost to the end of the trip", [.init(0, 184, metres: 1_800, "mixed", idle: 4, max: 36)]
    ) { road in
      road.go(5, .idle)
      road.go(60, .drive(36).with(ground: 36))
      road.go(120, .carried(36))
      road.go(300, .carried(0))
    },
    Scenario("adapter and receiver lost for a minute", [.init(0, 179, metres: 1_180, idle: 0, max: 36)]) { road in
      road.go(60, .drive(36))
      road.go(60, .silent)
      road.go(60, .drive(36))
    },
    Scenario(
      "adapter lost for longer, while its voltage shows the alternator",
      [.init(0, 519, metres: 1_180, idle: 0, max: 36)]
    ) { road in
      road.go(60, .drive(36).with(volts: 14.2))
      road.go(400, .silent.with(volts: 14.2))
      road.go(60, .drive(36).with(volts: 14.2))
    },
    Scenario(
      "the same without a voltage",
      [.init(0, 59, metres: 590, idle: 0, max: 36), .init(460, 519, metres: 590, idle: 0, max: 36)]
    ) { road in
      road.go(60, .drive(36))
      road.go(400, .silent)
      road.go(60, .drive(36))
    },
    Scenario("a receiver alone", [.init(0, 119, metres: 1_190, "gps", idle: 0, max: 36)]) { road in
      road.go(120, .carried(36))
      road.go(300, .carried(0))
    },
    Scenario(
      "a receiver alone, at 0.1 Hz and without Doppler", [.init(0, 290, metres: 2_900, "gps", idle: 0, max: 36)]
    ) { road in
      for _ in 0..<30 {
        road.go(1, Road.Car(rpm: nil, speed: nil, ground: 360, hasDoppler: false))
        road.wait(9)
      }
    },
    Scenario("a short tunnel, a receiver alone", [.init(0, 239, metres: 1_790, "gps", idle: 0, max: 36)]) { road in
      road.go(90, .carried(36))
      road.go(60, .silent)
      road.go(90, .carried(36))
      road.go(300, .carried(0))
    },
  ]

  static let carried: [Scenario] = [
    Scenario(
      "ferry",
      [.init(0, 69, metres: 600, idle: 8, max: 36), .init(7_275, 7_394, metres: 595, idle: 59, max: 36)]
    ) { road in
      road.go(5, .idle.with(volts: 14.2))
      road.go(60, .drive(36).with(volts: 14.2))
      road.go(5, .idle.with(volts: 14.2))
      road.go(5, .off.with(volts: 12.6))
      road.go(7_200, .carried(30).with(volts: 12.6))
      road.go(60, .idle.with(volts: 14.2))
      road.go(60, .drive(36).with(volts: 14.2))
    },
    Scenario("ferry, and no adapter that reports a voltage", [.init(0, 64, metres: 600, idle: 4, max: 36)]) { road in
      road.go(5, .idle)
      road.go(60, .drive(36))
      road.go(5, .off)
      road.go(7_200, .carried(30))
    },
    Scenario("ferry with the engine on", [.init(0, 1_863, metres: 600, idle: 1_802, max: 36)]) { road in
      road.go(5, .idle)
      road.go(60, .drive(36))
      road.go(3_600, .idle.with(ground: 30))
      road.go(300, .off)
    },
    Scenario("tow, the ignition off", []) { road in
      road.go(5, .off.with(volts: 12.6))
      road.go(1_800, .carried(80).with(volts: 12.6))
    },
    Scenario("tow, while nothing but the voltage is received", []) { road in
      road.go(1_800, .carried(80).with(volts: 12.4))
    },
    Scenario("tow on its own wheels, the ignition on", [.init(0, 59, metres: 595, idle: 0, max: 36)]) { road in
      road.go(60, .drive(36).with(volts: 14.2))
      road.go(600, .off.with(volts: 12.6))
      road.go(900, Road.Car(rpm: 0, speed: 40, volts: 12.4))
    },
  ]

  static let electric: [Scenario] = [
    Scenario("battery-electric, then at its charger", [.init(0, 179, metres: 1_195, idle: 0, max: 36)]) { road in
      road.go(60, .electric(36).with(volts: 14.0))
      road.go(60, .electric(0).with(volts: 14.0))
      road.go(60, .electric(36).with(volts: 14.0))
      road.go(7_200, .electric(0).with(volts: 14.4))
    },
    Scenario("a charger at the 12 V battery is no trip", []) { road in
      road.go(600, .off.with(volts: 12.6))
      road.go(7_200, .off.with(volts: 14.4))
      road.go(7_200, .silent.with(volts: 14.4))
    },
    Scenario("battery-electric with an engine speed of 0", [.init(0, 59, metres: 595, idle: 0, max: 36)]) { road in
      road.go(60, Road.Car(rpm: 0, speed: 36, volts: 13))
      road.go(300, .off.with(volts: 12.9))
    },
    Scenario("hybrid that leaves without its engine", [.init(300, 419, metres: 1_195, idle: 0, max: 36)]) { road in
      road.go(60, .idle) { watch, _ in watch.fuelType(code: 17) }
      road.go(240, .off)
      road.go(60, Road.Car(rpm: 0, speed: 36))
      road.go(60, .drive(36))
      road.go(300, .off)
    },
  ]
}
