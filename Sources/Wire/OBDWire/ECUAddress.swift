/// The address of a message's sender, which the adapter prints before the data if headers are on.
///
///     7E8               an 11-bit CAN identifier (ISO 15765-4)
///     18DAF110          a 29-bit CAN identifier (ISO 15765-4)
///     10                the source byte of a legacy header (ISO 9141-2, ISO 14230, SAE J1850)
///
/// Without headers, the address is ``unknown``.
public struct ECUAddress: BitwiseCopyable, Equatable, Sendable {
  /// The type of an address, which shows the kind of bus from which the message came.
  public enum Kind: UInt8, BitwiseCopyable, Sendable { case unknown, legacy, can11, can29 }

  /// The low 29 bits contain the address (the longest identifier has 29 bits). The two bits above contain the kind.
  private let bits: UInt32

  private init(bits: UInt32) { self.bits = bits }

  /// The address of a message without a header.
  public static let unknown = ECUAddress(bits: 0)
  /// Creates an address from the source byte of a legacy header of three bytes.
  public static func legacy(_ source: UInt8) -> ECUAddress { ECUAddress(bits: 1 << 29 | UInt32(source)) }
  /// Creates an address from an 11-bit CAN identifier. Higher bits are ignored.
  public static func can11(_ identifier: UInt32) -> ECUAddress { ECUAddress(bits: 2 << 29 | identifier & 0x7FF) }
  /// Creates an address from a 29-bit CAN identifier. Higher bits are ignored.
  public static func can29(_ identifier: UInt32) -> ECUAddress {
    ECUAddress(bits: 3 << 29 | identifier & 0x1FFF_FFFF)
  }

  /// The type of the address.
  public var kind: Kind {
    switch bits >> 29 {
    case 1: .legacy
    case 2: .can11
    case 3: .can29
    default: .unknown
    }
  }
  /// The identifier or source byte.
  public var value: UInt32 { bits & 0x1FFF_FFFF }
  /// A number by which addresses of the same kind are sorted in ascending order.
  public var sortKey: UInt32 { bits }
  /// Number of hexadecimal digits of the address: 0, 2, 3 or 8.
  public var digitCount: Int {
    switch kind {
    case .unknown: 0
    case .legacy: 2
    case .can11: 3
    case .can29: 8
    }
  }
}
