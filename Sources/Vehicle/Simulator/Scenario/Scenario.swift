/// A simulation: an adapter, the cars to which it is connected one after another, and the faults that occur.
public struct Scenario: Sendable {
  /// A car, and the time at which the adapter is connected to it.
  public struct CarEntry: Sendable {
    /// Time at which the adapter is connected to the car. The first car is connected from the beginning.
    public var from: Duration
    /// The car. The car's drive begins at `from`.
    public var car: Car

    /// Creates an entry; the parameters are the properties of the same names.
    public init(from: Duration, car: Car) {
      self.from = from
      self.car = car
    }
  }

  /// The adapter that is simulated.
  public var adapter = AdapterModel()
  /// The seed of the random numbers. The same seed leads to the same faults and noise.
  public var seed: UInt64 = 1
  /// The cars in ascending order of `from`; at least one.
  public var cars: [CarEntry]
  /// The faults of adapter and cars.
  public var faults: [Fault] = []

  init(cars: [CarEntry]) { self.cars = cars }

  /// The default scenario: a gasoline car on CAN 11/500 with an engine ECU and a transmission ECU. The car drives for
  /// twenty minutes, rests for two, and repeats this. P0420 becomes pending after four minutes and stored after five;
  /// P0301 and U0100 follow later.
  public static let standard = Scenario(cars: [CarEntry(from: .zero, car: standardCar)])

  private static let standardCar: Car = {
    var engine = ECU.preset(.engine, address: 0x7E8, on: .can11at500)
    engine.calibrations = [.init(id: "OBDGATE-SIM-0001", cvn: 0x1791_BC82)]
    engine.tests = [
      .init(monitor: 0x01, test: 0x81, unit: 0x0A, value: 0x0B2C, minimum: 0, maximum: 0x1A90),
      .init(monitor: 0x21, test: 0x84, unit: 0x20, value: 0x0080, minimum: 0, maximum: 0x0133),
    ]
    engine.troubleCodes = [
      code("P0420", pending: 240, stored: 300, isPermanent: true),
      code("P0301", pending: 600, stored: 660, isPermanent: false),
    ].compactMap { $0 }
    var transmission = ECU.preset(.transmission, address: 0x7E9, on: .can11at500)
    transmission.calibrations = [.init(id: "OBDGATE-SIM-TCM1", cvn: 0x00C0_FFEE)]
    transmission.troubleCodes = [code("U0100", pending: 900, stored: 900, isPermanent: false)].compactMap { $0 }
    return Car(
      bus: .can11at500, vin: "1D4GP00RX5B123456", ecus: [engine, transmission], model: DriveModel(cycle: .standard))
  }()

  private static func code(_ text: String, pending: Int, stored: Int, isPermanent: Bool) -> TroubleCode? {
    var code = TroubleCode(text)
    code?.pendingAt = .seconds(pending)
    code?.storedAt = .seconds(stored)
    code?.isPermanent = isPermanent
    return code
  }
}

extension DriveCycle {
  /// A drive of twenty minutes through a town, on a country road and on a motorway. Then the ignition is off for two
  /// minutes.
  static let standard: DriveCycle = {
    var phases: [Phase] = [Phase(.ignition, seconds: 2), Phase(.crank, seconds: 1), Phase(.idle, seconds: 27)]
    func ride(_ speed: Double, gain: Double, hold: Double, brake: Double, wait: Double) {
      phases += [
        Phase(.accelerate, seconds: gain, speed: speed), Phase(.cruise, seconds: hold), Phase(.brake, seconds: brake),
        Phase(.idle, seconds: wait),
      ]
    }
    for speed in [32.0, 50, 45] { ride(speed, gain: speed / 4, hold: 60, brake: speed / 6, wait: 20) }
    ride(85, gain: 16, hold: 180, brake: 16, wait: 15)
    ride(121, gain: 24, hold: 360, brake: 30, wait: 20)
    let driven = phases.reduce(0) { $0 + $1.seconds }
    phases += [Phase(.idle, seconds: max(1, 1200 - driven)), Phase(.off, seconds: 120)]
    return DriveCycle(phases, repeats: true)
  }()
}

extension ECU {
  /// Creates an ECU of a kind. Its request address follows from its answer address according to ISO 15765-4.
  static func preset(_ role: ECURole, address: UInt32, on bus: Bus) -> ECU {
    let request: UInt32 = bus.isExtended ? 0x18DA_00F1 | (address & 0xFF) << 8 : bus.isCAN ? address &- 8 : address
    var ecu = ECU(address: address, requestAddress: request, name: role.title, pids: Set(role.pids))
    ecu.knowsVIN = role == .engine || role == .diesel
    return ecu
  }
}
