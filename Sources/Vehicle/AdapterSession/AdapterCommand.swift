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
  /// ATAT1: the adapter learns how long the vehicle takes to answer.
  case adaptiveTiming
  /// ATST: how long to wait for an answer, in steps of 4.096 ms.
  case timeout(UInt8)
  /// ATSP: use one protocol, by its ELM digit (ASCII); `0` searches.
  case selectProtocol(UInt8)
  /// ATSPA: try one protocol first, then search.
  case preferProtocol(UInt8)
  /// ATI, AT@1, STI: the adapter's name.
  case identify, describe, identifySTN
  /// ATPPS: the programmable parameters, all of them.
  case listParameters
  /// ATRV: voltage at the connector.
  case voltage
  /// ATDPN: number of the protocol in use.
  case protocolNumber
  /// ATSH: header of requests, 3 digits (11 bit) or the lower 24 bits.
  case header(ECUHeader)
  /// ATCP: the five top bits of a 29-bit header.
  case priority(UInt8)
  /// ATCRA: receive one address only.
  case receive(ECUAddress)
  /// ATAR: receive the addresses of the protocol.
  case receiveAutomatic
  /// ATCRA without an address: the same for adapters without ATAR.
  case receiveReset
  /// ATCEA: extended address of requests (ISO 15765-2, 10.3.2); `nil` for none.
  case extendedAddress(UInt8?)
  /// ATTA: the tester's own address.
  case testerAddress(UInt8)
  /// ATFCSH, ATFCSD, ATFCSM: header, data and mode of flow control, the answer to a first frame. In mode 1, the adapter
  /// sends the set header and data; in mode 0, its own.
  case flowControlHeader(ECUHeader)
  case flowControlData
  case flowControlMode(UInt8)
  /// ATPC: close the protocol; a K-line's wake-up messages end.
  case closeProtocol
  /// ATSW: time between two wake-up messages on a K-line, in steps of 20.48 ms; 0 for none.
  case wakeup(UInt8)
  /// ATLP: low-power mode. Any received character ends it with a warm start.
  case lowPower
  /// ATBRT (in steps of 5 ms), STBRT (in ms): time that each side waits for the other during a change of the baud rate.
  case baudTimeout(UInt8)
  case baudTimeoutSTN(UInt16)
  /// ATBRD: try a baud rate of 4 MHz divided by this value. STBR: try this baud rate.
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
  /// An 11-bit identifier: 7DF to all, 7E0 to one.
  case can11(UInt16)
  /// A 29-bit identifier: 18DB33F1 to all, 18DA10F1 to one.
  case can29(UInt32)
  /// Three header bytes of a legacy bus: 686AF1.
  case legacy(UInt32)

  /// The functional address that every emission-related ECU answers (ISO 15765-4, 6.3.2; ISO 9141-2; ISO 14230-4; J1850).
  static func functional(_ bus: BusProtocol) -> ECUHeader {
    switch bus {
    case .can29: .can29(0x18DB_33F1)
    case .kwp: .legacy(0xC2_33F1)
    case .iso9141, .j1850vpw: .legacy(0x68_6AF1)
    case .j1850pwm: .legacy(0x61_6AF1)
    case .can11, .auto: .can11(0x7DF)
    }
  }

  /// Whether a bus supports this kind of header.
  func fits(_ bus: BusProtocol) -> Bool {
    switch self {
    case .can11: bus == .can11
    case .can29: bus == .can29
    case .legacy: bus.isLegacy
    }
  }
}
