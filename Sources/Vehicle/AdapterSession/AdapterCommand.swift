import OBDWire

/// A command for the adapter itself (ELM327 data sheet): a setting or a query. The adapter does not send it to the
/// vehicle.
public enum AdapterCommand: BitwiseCopyable, Sendable, Equatable {
  /// ATZ: restart; every setting is lost.
  case reset
  /// ATD: reset all settings, without the restart that makes some Bluetooth adapters drop the link.
  case defaults
  /// ATWS: restart, but keep the speed set by ATBRD.
  case warmStart
  case echoOff, linefeedsOff, spacesOff, headersOn
  /// ATAT1: adaptive timing, in which the adapter learns how long the vehicle takes to answer.
  case adaptiveTiming
  /// ATST: how long to wait for an answer, in steps of 4.096 ms.
  case timeout(UInt8)
  /// ATSP: use only this protocol, given by its ELM digit (ASCII); `0` searches all protocols.
  case selectProtocol(UInt8)
  /// ATSPA: try this protocol first, then search all others.
  case preferProtocol(UInt8)
  /// ATI, AT@1, STI: the adapter's name, its description, and the name of an STN chip.
  case identify, describe, identifySTN
  /// ATPPS: the programmable parameters, all of them.
  case listParameters
  /// ATRV: voltage at the connector.
  case voltage
  /// ATDPN: number of the protocol in use.
  case protocolNumber
  /// ATSH: header of requests. It sets all 11 bits of an 11-bit header, but only the lower 24 bits of a 29-bit header.
  case header(ECUHeader)
  /// ATCP: the five top bits of a 29-bit header.
  case priority(UInt8)
  /// ATCRA: receive one address only.
  case receive(ECUAddress)
  /// ATAR: receive the addresses that the protocol defines.
  case receiveAutomatic
  /// ATCRA without an address: the same as ATAR, for adapters without ATAR.
  case receiveReset
  /// ATCEA: extended address of requests (ISO 15765-2, 10.3.2); `nil` for none.
  case extendedAddress(UInt8?)
  /// ATTA: the tester's own address.
  case testerAddress(UInt8)
  /// ATFCSH, ATFCSD, ATFCSM: header, data and mode of the flow-control frame, which answers a first frame. In mode 1,
  /// the adapter sends the header and data that were set; in mode 0, its own.
  case flowControlHeader(ECUHeader)
  case flowControlData
  case flowControlMode(UInt8)
  /// ATPC: close the protocol. The adapter then sends no more wake-up messages on a K-line.
  case closeProtocol
  /// ATSW: time between two wake-up messages on a K-line, in steps of 20.48 ms; 0 for none.
  case wakeup(UInt8)
  /// ATLP: low-power mode. Any received character ends it with a warm start.
  case lowPower
  /// ATBRT (in steps of 5 ms), STBRT (in ms): how long the adapter waits for the host during a change of the baud rate.
  case baudTimeout(UInt8)
  case baudTimeoutSTN(UInt16)
  /// ATBRD: try the baud rate 4 MHz / divisor. STBR: try this baud rate.
  case tryBaudDivisor(UInt8)
  case tryBaudSTN(UInt32)

  /// Whether the answer contains the adapter's banner.
  var expectsBanner: Bool {
    switch self {
    case .reset, .identify, .identifySTN, .defaults, .warmStart, .tryBaudDivisor, .tryBaudSTN: true
    default: false
    }
  }
}

/// The address of a request, as set by ATSH and ATCP.
public enum ECUHeader: BitwiseCopyable, Sendable, Equatable {
  /// An 11-bit identifier, for example 7DF (all ECUs) or 7E0 (one ECU).
  case can11(UInt16)
  /// A 29-bit identifier, for example 18DB33F1 (all ECUs) or 18DA10F1 (one ECU).
  case can29(UInt32)
  /// The three header bytes of a bus older than CAN, for example 686AF1.
  case legacy(UInt32)

  /// The functional address, which every emission-related ECU answers (ISO 15765-4, 6.3.2; ISO 9141-2; ISO 14230-4;
  /// J1850).
  static func functional(_ bus: BusProtocol) -> ECUHeader {
    switch bus {
    case .can29: .can29(0x18DB_33F1)
    case .kwp: .legacy(0xC2_33F1)
    case .iso9141, .j1850vpw: .legacy(0x68_6AF1)
    case .j1850pwm: .legacy(0x61_6AF1)
    case .can11, .auto: .can11(0x7DF)
    }
  }

  /// Whether requests with this kind of header can be sent on a bus.
  func fits(_ bus: BusProtocol) -> Bool {
    switch self {
    case .can11: bus == .can11
    case .can29: bus == .can29
    case .legacy: bus.isLegacy
    }
  }
}
