import OBDWire

/// The action that the caller of an ``AdapterSession`` must perform next.
public enum SessionAction: BitwiseCopyable, Sendable {
  /// Write all of these bytes to the port.
  case send(Command)
  /// No action now. Call `next` again after bytes arrived, or at this time (ns of CLOCK_BOOTTIME) at the latest.
  case wait(until: Int64)
  /// Set the serial port's speed, and discard what it has received so far.
  case setBaud(Int)
  /// Close the port, and open it again not before this time, followed by ``AdapterSession/opened(at:)``.
  case reopen(notBefore: Int64)
  /// Report an event.
  case report(SessionEvent)
}

/// An event of the adapter or the vehicle.
public enum SessionEvent: BitwiseCopyable, Sendable, Equatable {
  /// An adapter answers; ``AdapterSession/identity`` is its name.
  case found
  /// A vehicle answers for the first time, on the protocol with this ELM digit (ASCII; `0` if unknown).
  case connected(protocolDigit: UInt8)
  /// The adapter or the vehicle does not answer.
  case lost(LossReason)
  /// The vehicle answers again after a loss.
  case recovered(protocolDigit: UInt8)
  /// A command's prompt was not read in time; the dialogue is resynchronized.
  case promptLost
  /// Answers belong to earlier commands; the dialogue is resynchronized.
  case outOfStep
  /// A quirk of the adapter was learned.
  case quirk(Quirks)
  /// Every ECU has reported which PIDs it supports; they are in ``AdapterSession/car``.
  case supportKnown
  /// The VIN was read for the first time since the vehicle was found; it is in ``AdapterSession/car``.
  case vehicleIdentified
  /// The VIN differs from the previous one, so the vehicle is a different one. All facts about the previous vehicle are
  /// discarded.
  case vehicleChanged
  /// The vehicle is a different one and reports no VIN: its ECUs do not support it, or its bus or PIDs differ from
  /// those of the vehicle with the known VIN. All facts about the previous vehicle are discarded, as with
  /// ``vehicleChanged``.
  case vehicleUnnamed
  /// One of several ECUs no longer answers.
  case ecuVanished(ECUAddress)
  /// The ECU answers again.
  case ecuReturned(ECUAddress)
  /// The bus uses SAE J1939 (ELM protocol A), which is not polled.
  case notPolledJ1939
  /// An ECU answers requests with several PIDs wrongly: its PIDs are requested one by one.
  case multiPIDRefused(ecus: UInt8)
  /// Everything that service 04 deletes was read. Service 04 is sent after ``AdapterSession/codesAreSaved()``.
  case codesRead
  /// Service 04 was executed.
  case codesCleared
  /// Service 04 was not sent, or refused.
  case clearRefused(ClearRefusal)
  /// Requests to the vehicle have stopped; nothing is sent on its bus.
  case sleeping(SleepReason)
  /// A sleeping vehicle answers again. The value is the reason of the probe.
  case awake(AwakeReason)
  /// ``AdapterSession/memory`` has changed and should be stored.
  case memoryChanged
}

/// The reason why no values are read.
public enum LossReason: UInt8, BitwiseCopyable, Sendable {
  /// The adapter sends no bytes.
  case silent
  /// Bytes are received, but not from an adapter: the speed is wrong, or it is another device.
  case noAdapter
  /// NMEA sentences are received: a GNSS receiver.
  case gnssReceiver
  /// The port was closed.
  case portClosed
  /// The adapter restarted by itself and lost its settings.
  case adapterReset
  /// LV RESET: the adapter's supply voltage dropped.
  case lowVoltage
  /// LP ALERT: the adapter goes to sleep.
  case lowPower
  /// NO DATA throughout.
  case noData
  /// UNABLE TO CONNECT: no protocol found.
  case unableToConnect
  /// BUS INIT: ERROR
  case busInit
  /// BUS BUSY or BUS ERROR
  case busError
  /// CAN ERROR
  case canError
  /// ERRxx and other errors of the adapter itself.
  case adapterError
  /// The ECUs answer, but refuse.
  case refused
  /// The adapter's answers repeatedly belong to earlier commands.
  case outOfStep

  /// The name in records and log lines.
  public var name: StaticString {
    switch self {
    case .silent: "silent"
    case .noAdapter: "noAdapter"
    case .gnssReceiver: "gnssReceiver"
    case .portClosed: "portClosed"
    case .adapterReset: "adapterReset"
    case .lowVoltage: "lowVoltage"
    case .lowPower: "lowPower"
    case .noData: "noData"
    case .unableToConnect: "unableToConnect"
    case .busInit: "busInit"
    case .busError: "busError"
    case .canError: "canError"
    case .adapterError: "adapterError"
    case .refused: "refused"
    case .outOfStep: "outOfStep"
    }
  }
}

extension LossReason {
  /// Whether no adapter was present. The next answer of an adapter is then reported even without a vehicle.
  var isAdapterAway: Bool {
    switch self {
    case .silent, .noAdapter, .gnssReceiver, .portClosed: true
    default: false
    }
  }
}

/// Events that the caller has not fetched yet, in order of time; a ring of fixed size.
struct EventQueue: ~Copyable {
  private var events = InlineArray<32, SessionEvent>(repeating: .found)
  private var first = 0
  private var count = 0

  /// Adds an event. If the queue is full, it replaces the newest one.
  mutating func append(_ event: SessionEvent) {
    if count == 32 { count -= 1 }
    events[(first + count) & 31] = event
    count += 1
  }

  mutating func next() -> SessionEvent? {
    guard count > 0 else { return nil }
    let event = events[first]
    first = (first + 1) & 31
    count -= 1
    return event
  }
}
