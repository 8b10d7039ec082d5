import OBDWire

/// One request of a signal set to a single ECU: service 01, 21 or 22 with one identifier, and the header and filter for
/// this ECU. A signal set writes it like this:
///
///     hdr 7E0, rax 7E8, {"22": "404C"}, freq 30
///
/// No other service can be requested, and no diagnostic session can be opened. A command of a signal set that needs a
/// diagnostic session (`din`) cannot be represented.
public struct AddressedRequest: BitwiseCopyable, Sendable {
  /// Maximum number of addressed requests in a session.
  public static let capacity = 128

  /// The service of a request, and its identifier.
  public enum Question: BitwiseCopyable, Sendable, Equatable {
    /// Service 21, with a local identifier.
    case localIdentifier(UInt8)
    /// Service 22, with a data identifier.
    case dataIdentifier(UInt16)
    /// Service 01, with a PID, sent to a single ECU.
    case currentData(UInt8)
  }

  /// Service and identifier of the request.
  public var question: Question
  /// Header of the request (`hdr`, with `pri` on 29-bit buses).
  public var header: ECUHeader
  /// Address from which the ECU answers (`rax`); ``OBDWire/ECUAddress/unknown`` if the signal set does not name it.
  public var receiver: ECUAddress
  /// Extended address of the request (`eax`); `nil` to use none.
  public var extendedAddress: UInt8?
  /// Address of the tester (`tst`); `nil` to use the tester address that the protocol defines.
  public var testerAddress: UInt8?
  /// Whether header and data of the adapter's flow-control frame must be set by commands (`fcm1`).
  public var needsFlowControl: Bool
  /// Maximum time that the ECU may take to answer (`tmo`), in steps of 4.096 ms, the unit of ATST; `nil` for the usual
  /// wait.
  public var timeout: UInt8?
  /// Time from one sending of this request to the next (`freq`), ns.
  public var period: Int64

  /// Creates an addressed request with the values of a signal set.
  public init(
    question: Question, header: ECUHeader, receiver: ECUAddress = .unknown, extendedAddress: UInt8? = nil,
    testerAddress: UInt8? = nil, needsFlowControl: Bool = false, timeout: UInt8? = nil, period: Int64
  ) {
    self.question = question
    self.header = header
    self.receiver = receiver
    self.extendedAddress = extendedAddress
    self.testerAddress = testerAddress
    self.needsFlowControl = needsFlowControl
    self.timeout = timeout
    self.period = period
  }

  var request: ReadRequest {
    switch question {
    case .localIdentifier(let identifier): .localIdentifier(identifier)
    case .dataIdentifier(let identifier): .dataIdentifier(identifier)
    case .currentData(let pid): .currentData(pid)
    }
  }

  /// Whether both requests need the same address settings of the adapter.
  func sharesAddress(with other: AddressedRequest) -> Bool {
    header == other.header && receiver == other.receiver && extendedAddress == other.extendedAddress
      && testerAddress == other.testerAddress && needsFlowControl == other.needsFlowControl && timeout == other.timeout
  }
}

/// The addressed requests of all signal sets, in a table of fixed size.
struct AddressedTable: ~Copyable {
  static let capacity = AddressedRequest.capacity
  private var rows = InlineArray<128, AddressedRequest>(
    repeating: AddressedRequest(question: .dataIdentifier(0), header: .can11(0), period: 0))
  private(set) var count = 0

  /// Adds a request.
  ///
  /// - Returns: `false` if the table is full.
  mutating func append(_ request: AddressedRequest) -> Bool {
    guard count < Self.capacity else { return false }
    rows[count] = request
    count += 1
    return true
  }

  mutating func removeAll() { count = 0 }

  subscript(index: Int) -> AddressedRequest { rows[index] }
}
