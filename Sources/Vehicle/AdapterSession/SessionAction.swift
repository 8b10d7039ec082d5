import OBDWire

/// What the caller of an ``AdapterSession`` is to do next.
public enum SessionAction: BitwiseCopyable, Sendable {
  /// Write these bytes to the port, all of them.
  case send(Command)
  /// Nothing to do: ask again when bytes came, or at this time (ns of CLOCK_BOOTTIME) at the latest.
  case wait(until: Int64)
  /// Set the serial port's speed, and drop what it has received so far.
  case setBaud(Int)
  /// Close the port, and open it again not before this time; ``AdapterSession/opened(at:)`` then starts afresh.
  case reopen(notBefore: Int64)
  /// Tell the world.
  case report(SessionEvent)
}

/// What happened to adapter and vehicle.
public enum SessionEvent: BitwiseCopyable, Sendable, Equatable {
  /// An adapter answers; ``AdapterSession/identity`` has its name.
  case found
  /// A vehicle answers for the first time, on the protocol with this ELM digit (ASCII; `0` where it cannot be told).
  case connected(protocolDigit: UInt8)
  /// Adapter or vehicle answers no more, or not yet.
  case lost(LossReason)
  /// It answers again after a loss.
  case recovered(protocolDigit: UInt8)
  /// A command's prompt did not come in its time; the dialogue is put right.
  case promptLost
  /// Answers are those of the commands before; the dialogue is put right.
  case outOfStep
  /// Learned about the adapter: one quirk.
  case quirk(Quirks)
  /// Every ECU has said which PIDs it supports; ``AdapterSession/car`` holds them.
  case supportKnown
  /// The VIN was read for the first time since the vehicle answers; ``AdapterSession/car`` holds it.
  case vehicleIdentified
  /// Another VIN than before: another car. What was known of the old one is forgotten and learned anew.
  case vehicleChanged
  /// Another car than the one whose VIN was known, and it tells none: its ECUs say so themselves, or its bus or its PIDs
  /// are others. What was known of the old one is forgotten, as with ``vehicleChanged``.
  case vehicleUnnamed
  /// One of several ECUs answers no more.
  case ecuVanished(ECUAddress)
  /// It answers again.
  case ecuReturned(ECUAddress)
  /// The bus speaks SAE J1939 (ELM protocol A): it is not polled.
  case notPolledJ1939
  /// An ECU answers requests with several PIDs wrongly: its PIDs are asked one by one.
  case multiPIDRefused(ecus: UInt8)
  /// All that service 04 will wipe out was read: it is sent once ``AdapterSession/codesAreSaved()`` is called.
  case codesRead
  /// Service 04 was carried out.
  case codesCleared
  /// Service 04 was not sent, or refused.
  case clearRefused(ClearRefusal)
  /// The vehicle is left alone from now on: nothing reaches the bus.
  case sleeping(SleepReason)
  /// A vehicle that was left alone answers again; what allowed to ask.
  case awake(AwakeReason)
  /// ``AdapterSession/memory`` has changed: it is worth keeping now.
  case memoryChanged
}

/// Why nothing is read.
public enum LossReason: UInt8, BitwiseCopyable, Sendable {
  /// No byte comes from the adapter.
  case silent
  /// Bytes come, but no adapter's: wrong baud or another device.
  case noAdapter
  /// NMEA sentences come: a GNSS receiver.
  case gnssReceiver
  /// The port was closed.
  case portClosed
  /// The adapter started anew by itself and lost its settings.
  case adapterReset
  /// LV RESET: its supply broke down.
  case lowVoltage
  /// LP ALERT: it goes to sleep.
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
  /// ERRxx and whatever else the adapter says of itself.
  case adapterError
  /// The ECUs answer, but refuse.
  case refused
  /// The adapter's answers are those of the commands before, again and again.
  case outOfStep

  /// A word for reports.
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
  /// No adapter was there: that one answers again is news, whatever the vehicle does.
  var isAdapterAway: Bool {
    switch self {
    case .silent, .noAdapter, .gnssReceiver, .portClosed: true
    default: false
    }
  }
}

/// Events in order of time, for the caller to fetch; a fixed ring.
struct EventQueue: ~Copyable {
  private var events = InlineArray<32, SessionEvent>(repeating: .found)
  private var first = 0
  private var count = 0

  /// Adds an event. Where 32 wait, the newest is replaced: a caller that fetches none has asked for it.
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
