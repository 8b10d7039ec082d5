/// The adapter's settings that AT commands change and that a restart resets.
struct VirtualAdapterSettings: Sendable {
  var echo = true
  var linefeeds = false
  var spaces = true
  var headers = false
  /// Whether the data length code follows a CAN header (`ATD1`).
  var dataLength = false
  /// Whether the adapter adds and removes the length bytes of CAN messages (`ATCAF`).
  var formatting = true
  /// Whether the adapter waits for answers after a request (`ATR`).
  var responses = true
  /// Adaptive timing (`ATAT`): 0 (off), 1 or 2.
  var adaptive = 1
  /// Time to wait for an answer (`ATST`), in units of 4.096 ms.
  var timeout: UInt8 = 0x32
  /// Header of requests (`ATSH`); `nil` for the functional header of the bus.
  var header: UInt32?
  /// The five most significant bits of the 29-bit identifier of a request (`ATCP`).
  var priority: UInt8 = 0x18
  /// Address byte at the start of the data of a request (`ATCEA`); `nil` if none.
  var extendedAddress: UInt8?
  /// Filter of received identifiers (`ATCRA`, `ATCF`, `ATCM`); `nil` for the identifiers of ISO 15765-4.
  var filter: Filter?
  /// Whether the adapter sends flow control frames (`ATCFC`).
  var sendsFlowControl = true
  /// Flow control mode (`ATFCSM`): 0 automatic, 1 header and data of the host, 2 only data of the host.
  var flowMode = 0
  /// Header of flow control frames (`ATFCSH`); `nil` if not set.
  var flowHeader: UInt32?
  /// Data of flow control frames (`ATFCSD`); `nil` if not set.
  var flowData: [UInt8]?
  /// Whether the adapter sends keep-alive messages on a K-line (`ATSW`).
  var wakesUp = true
  /// Time within which the host must confirm a new baud rate (`ATBRT`).
  var baudTrial = Duration.milliseconds(75)
  var selection = Selection.automatic(nil)

  /// The protocol chosen by `ATSP`.
  enum Selection: Sendable, Equatable {
    /// The adapter searches for the protocol, beginning with this bus if it is given.
    case automatic(Bus?)
    case fixed(Bus)
  }

  /// A filter of CAN identifiers. An identifier passes the filter if it equals `value` in all bits that are set in
  /// `mask`.
  struct Filter: Sendable, Equatable {
    var mask: UInt32
    var value: UInt32

    /// Whether the filter accepts an identifier.
    func passes(_ identifier: UInt32) -> Bool { identifier & mask == value & mask }
  }

  var timeoutTime: Duration { .microseconds(4096 * Int(timeout == 0 ? 0x32 : timeout)) }

  init(linefeeds: Bool) { self.linefeeds = linefeeds }

  /// Returns the header of requests on a bus: the header that the host has set, otherwise the functional header of the
  /// bus.
  func requestHeader(on bus: Bus) -> UInt32 {
    if let header {
      return bus.isExtended && header <= 0xFF_FFFF ? UInt32(priority & 0x1F) << 24 | header : header
    }
    return switch bus {
    case .j1850pwm: 0x61_6AF1
    case .j1850vpw, .iso9141: 0x68_6AF1
    case .kwpSlow, .kwpFast: 0xC2_33F1
    case .can11at500, .can11at250: 0x7DF
    case .can29at500, .can29at250, .j1939: 0x18DB_33F1
    }
  }

  /// Whether the adapter prints frames from the sender with this identifier.
  func receives(_ sender: UInt32, on bus: Bus) -> Bool {
    guard bus.isCAN else { return true }
    if let filter { return filter.passes(sender) }
    // Without a filter, the addresses of ISO 15765-4 are received: 7E8…7EF and 18DAF1xx.
    return bus.isExtended ? sender & 0x1FFF_FF00 == 0x18DA_F100 : sender & 0x7F8 == 0x7E8
  }

  /// Returns the flow control that the adapter sends after an ECU's first frame; `nil` if it sends none.
  func flowControl(to sender: UInt32, on bus: Bus) -> FlowControl? {
    guard sendsFlowControl, formatting else { return nil }
    let automatic: UInt32 =
      bus.isExtended
      ? 0x18DA_00F1 | (sender & 0xFF) << 8
      : sender & 0x7F8 == 0x7E8 ? sender - 8 : requestHeader(on: bus)
    var control = FlowControl(header: automatic, extendedAddress: extendedAddress)
    if flowMode > 0, var flowData, flowData.count > 0 {
      // With extended addressing, the data of the host may already begin with the address byte.
      if extendedAddress != nil, flowData[0] == extendedAddress { flowData.removeFirst() }
      guard !flowData.isEmpty else { return nil }
      control.isClear = flowData[0] == 0x30
      control.blockSize = flowData.count > 1 ? flowData[1] : 0
      control.separation = flowData.count > 2 ? flowData[2] : 0
    }
    if flowMode == 1, let flowHeader {
      control.header = bus.isExtended && flowHeader <= 0xFF_FFFF ? 0x1800_0000 | flowHeader : flowHeader
    }
    return control
  }
}
