import OBDWire

/// A command to the adapter itself (ELM327 data sheet): a setting or a question. None reaches the bus as data.
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
  /// ATDPN: which protocol is in use.
  case protocolNumber
  /// ATSH: header of requests, 3 digits (11 bit) or the lower 24 bits.
  case header(ECUHeader)
  /// ATCP: the five top bits of a 29-bit header.
  case priority(UInt8)
  /// ATCRA: receive one address only.
  case receive(ECUAddress)
  /// ATAR: receive the addresses of the protocol.
  case receiveAutomatic
  /// ATCRA: the same on adapters without ATAR.
  case receiveReset
  /// ATCEA: extended address of requests (ISO 15765-2, 10.3.2); `nil` for none.
  case extendedAddress(UInt8?)
  /// ATTA: the tester's own address.
  case testerAddress(UInt8)
  /// ATFCSH, ATFCSD, ATFCSM: header and data of the answer to a first frame, and whether they are used (1) or the
  /// adapter's own (0).
  case flowControlHeader(ECUHeader)
  case flowControlData
  case flowControlMode(UInt8)
  /// ATPC: close the protocol; a K-line's wake-up messages end.
  case closeProtocol
  /// ATSW: time between two wake-up messages on a K-line, in steps of 20.48 ms; 0 for none.
  case wakeup(UInt8)
  /// ATLP: low power; a character on the line ends it, by a warm start.
  case lowPower
  /// ATBRT: how long each side of a change of speed waits for the other, in steps of 5 ms; STBRT: in ms.
  case baudTimeout(UInt8)
  case baudTimeoutSTN(UInt16)
  /// ATBRD: try a speed of 4 MHz divided by this; STBR: try this speed.
  case tryBaudDivisor(UInt8)
  case tryBaudSTN(UInt32)

  /// The answer contains the adapter's banner.
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

  /// Whether a bus can carry it.
  func fits(_ bus: BusProtocol) -> Bool {
    switch self {
    case .can11: bus == .can11
    case .can29: bus == .can29
    case .legacy: bus.isLegacy
    }
  }
}
