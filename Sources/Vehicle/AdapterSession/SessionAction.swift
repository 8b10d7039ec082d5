import OBDWire

/// The action that the caller of an ``AdapterSession`` must perform next.
public enum SessionAction: BitwiseCopyable, Sendable {
  /// Write all of these bytes to the port.
  case send(Command)
  /// Do nothing now. Call `next` again when bytes have arrived, and at this time (ns of CLOCK_BOOTTIME) at the latest.
  case wait(until: Int64)
  /// Set the baud rate of the serial port, and discard all bytes that it has received so far.
  case setBaud(Int)
  /// Close the port, and open it again at this time (ns of CLOCK_BOOTTIME) or later. Then call
  /// ``AdapterSession/opened(at:)``.
  case reopen(notBefore: Int64)
  /// Report this event, for example in the log.
  case report(SessionEvent)
}

/// An event of the adapter or the vehicle.
public enum SessionEvent: BitwiseCopyable, Sendable, Equatable {
  /// An adapter answers. Its name is in ``AdapterSession/identity``.
  case found
  /// A vehicle answers for the first time in this session. `protocolDigit` is the ELM digit of its protocol in ASCII;
  /// the character `0` if unknown.
  case connected(protocolDigit: UInt8)
  /// The adapter or the vehicle no longer answers.
  case lost(LossReason)
  /// A vehicle answers again after ``lost(_:)``. `protocolDigit` is as in ``connected(protocolDigit:)``.
  case recovered(protocolDigit: UInt8)
  /// The prompt after a reply was not read in time, so the dialogue is resynchronized.
  case promptLost
  /// Replies belong to earlier commands, so the dialogue is resynchronized.
  case outOfStep
  /// A quirk of the adapter was learned.
  case quirk(Quirks)
  /// The ECUs have reported which PIDs they support; the result is in ``AdapterSession/car``.
  case supportKnown
  /// The VIN was read for the first time since this vehicle was found; it is in ``AdapterSession/car``.
  case vehicleIdentified
  /// The VIN differs from the previous one, so the vehicle is a different one. All facts about the previous vehicle are
  /// discarded.
  case vehicleChanged
  /// The vehicle is a different one and reports no VIN: its ECUs do not support the VIN, or its bus or PIDs differ from
  /// those of the vehicle whose VIN is known. All facts about the previous vehicle are discarded, as with
  /// ``vehicleChanged``.
  case vehicleUnnamed
  /// This ECU no longer answers, although other ECUs do.
  case ecuVanished(ECUAddress)
  /// This ECU answers again after ``ecuVanished(_:)``.
  case ecuReturned(ECUAddress)
  /// The bus uses SAE J1939 (ELM protocol A), which is not polled.
  case notPolledJ1939
  /// The ECUs in a set do not answer requests with several PIDs correctly, so their PIDs are requested one by one.
  /// `ecus` has one bit for each ECU of the set.
  case multiPIDRefused(ecus: UInt8)
  /// Everything that service 04 deletes was read. Service 04 is sent only after the caller calls
  /// ``AdapterSession/codesAreSaved()``.
  case codesRead
  /// Service 04 was executed.
  case codesCleared
  /// Service 04 was not sent, or the vehicle refused it.
  case clearRefused(ClearRefusal)
  /// Requests to the vehicle have stopped; nothing is sent on its bus.
  case sleeping(SleepReason)
  /// A sleeping vehicle answered a probe. The value is the reason for which it was probed.
  case awake(AwakeReason)
  /// ``AdapterSession/memory`` has changed and should be stored.
  case memoryChanged
}

/// The reason why no values are read.
public enum LossReason: UInt8, BitwiseCopyable, Sendable {
  /// The adapter sends no bytes.
  case silent
  /// Bytes are received, but not from an adapter: the baud rate is wrong, or the device is not an adapter.
  case noAdapter
  /// NMEA sentences are received: the device is a GNSS receiver.
  case gnssReceiver
  /// The port was closed.
  case portClosed
  /// The adapter restarted by itself and lost its settings.
  case adapterReset
  /// LV RESET: the adapter's supply voltage dropped.
  case lowVoltage
  /// LP ALERT: the adapter goes to sleep.
  case lowPower
  /// The adapter answered every try with NO DATA.
  case noData
  /// UNABLE TO CONNECT: the adapter found no protocol.
  case unableToConnect
  /// BUS INIT: ERROR: the initialization of a K-line failed.
  case busInit
  /// BUS BUSY or BUS ERROR: the bus could not be used.
  case busError
  /// CAN ERROR: the adapter could not send on the CAN bus.
  case canError
  /// ERRxx, or another error of the adapter itself.
  case adapterError
  /// The ECUs answer, but refuse all requests.
  case refused
  /// The adapter's answers repeatedly belonged to earlier commands.
  case outOfStep

  /// The name of the reason in records and log lines.
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
  /// Whether, for this reason, the adapter itself does not answer, and not only the vehicle. If so, the adapter's next
  /// answer is reported, even if no vehicle answers.
  var isAdapterAway: Bool {
    switch self {
    case .silent, .noAdapter, .gnssReceiver, .portClosed: true
    default: false
    }
  }
}

/// Events that the caller has not fetched yet, oldest first, in a ring for 32 events.
struct EventQueue: ~Copyable {
  private var events = InlineArray<32, SessionEvent>(repeating: .found)
  private var first = 0
  private var count = 0

  /// Adds an event. If the queue is full, the event replaces the newest one.
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
