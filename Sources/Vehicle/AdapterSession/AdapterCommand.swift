import OBDWire

/// A command for the adapter itself (ELM327 data sheet): a setting or a query. The adapter does not send it to the
/// vehicle.
public enum AdapterCommand: BitwiseCopyable, Sendable, Equatable {
  /// ATZ: restart the adapter. It then has its default settings.
  case reset
  /// ATD: reset all settings, without the restart that makes some Bluetooth adapters drop the link.
  case defaults
  /// ATWS: restart the adapter, but keep the baud rate that ATBRD has set.
  case warmStart
  case echoOff, linefeedsOff, spacesOff, headersOn
  /// ATAT1: use adaptive timing, in which the adapter learns how long the vehicle takes to answer.
  case adaptiveTiming
  /// ATST: set how long the adapter waits for an answer, in steps of 4.096 ms.
  case timeout(UInt8)
  /// ATSP: use only this protocol, given by its ELM digit (ASCII); `0` searches all protocols.
  case selectProtocol(UInt8)
  /// ATSPA: try this protocol first, then search all others.
  case preferProtocol(UInt8)
  /// ATI, AT@1, STI: query the adapter's name (ATI), its description (AT@1), or the name of an STN chip (STI).
  case identify, describe, identifySTN
  /// ATPPS: list all programmable parameters of the adapter.
  case listParameters
  /// ATRV: read the voltage at the vehicle's OBD connector.
  case voltage
  /// ATDPN: query the number of the protocol in use.
  case protocolNumber
  /// ATSH: set the header of requests. If the header has 29 bits, ATSH sets only the lower 24 bits, and ATCP sets the
  /// upper five.
  case header(ECUHeader)
  /// ATCP: set the five top bits of a 29-bit header.
  case priority(UInt8)
  /// ATCRA: receive only frames with this address.
  case receive(ECUAddress)
  /// ATAR: receive frames with all addresses that the protocol defines for answers.
  case receiveAutomatic
  /// ATCRA without an address: has the effect of ATAR on adapters that do not support ATAR.
  case receiveReset
  /// ATCEA: set the extended address of requests (ISO 15765-2, 10.3.2); `nil` to use none.
  case extendedAddress(UInt8?)
  /// ATTA: set the tester's own address.
  case testerAddress(UInt8)
  /// ATFCSH: set the header of the flow-control frame, with which the adapter answers a message's first frame.
  case flowControlHeader(ECUHeader)
  /// ATFCSD: set the data bytes of the flow-control frame to 30 00 00.
  case flowControlData
  /// ATFCSM: select the flow-control frame. In mode 1, the adapter sends the header and data that were set; in mode 0,
  /// it uses its own.
  case flowControlMode(UInt8)
  /// ATPC: close the protocol. The adapter then sends no more wake-up messages on a K-line.
  case closeProtocol
  /// ATSW: set the time between two wake-up messages on a K-line, in steps of 20.48 ms; 0 to send none.
  case wakeup(UInt8)
  /// ATLP: change to low-power mode. When the adapter then receives any character, it performs a warm start.
  case lowPower
  /// ATBRT: set how long the adapter waits for the host during a change of the baud rate, in steps of 5 ms.
  case baudTimeout(UInt8)
  /// STBRT: has the effect of ATBRT on an STN chip; the time is in ms.
  case baudTimeoutSTN(UInt16)
  /// ATBRD: begin a change to the baud rate 4 MHz / divisor.
  case tryBaudDivisor(UInt8)
  /// STBR: begin a change to this baud rate, on an STN chip.
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

  /// Returns the functional address of a bus. Every emission-related ECU answers requests to this address
  /// (ISO 15765-4, 6.3.2; ISO 9141-2; ISO 14230-4; J1850).
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
