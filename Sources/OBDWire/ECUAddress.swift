/// Who sent a message: the address that the adapter prints in front of the data when headers are on.
///
///     7E8               an 11-bit CAN identifier (ISO 15765-4)
///     18DAF110          a 29-bit CAN identifier (ISO 15765-4)
///     10                the source byte of a legacy header (ISO 9141-2, ISO 14230, SAE J1850)
///
/// Without headers nobody knows who answered: ``unknown``.
public struct ECUAddress: BitwiseCopyable, Equatable, Sendable {
  /// The width of the address, and with it the family of buses it can stand on.
  public enum Kind: UInt8, BitwiseCopyable, Sendable { case unknown, legacy, can11, can29 }

  /// Two bits of kind above the 29 bits of the widest identifier.
  private let bits: UInt32

  private init(bits: UInt32) { self.bits = bits }

  /// No header was printed.
  public static let unknown = ECUAddress(bits: 0)
  /// The source byte of a three-byte legacy header.
  public static func legacy(_ source: UInt8) -> ECUAddress { ECUAddress(bits: 1 << 29 | UInt32(source)) }
  /// An 11-bit CAN identifier; higher bits are cut off.
  public static func can11(_ identifier: UInt32) -> ECUAddress { ECUAddress(bits: 2 << 29 | identifier & 0x7FF) }
  /// A 29-bit CAN identifier; higher bits are cut off.
  public static func can29(_ identifier: UInt32) -> ECUAddress {
    ECUAddress(bits: 3 << 29 | identifier & 0x1FFF_FFFF)
  }

  public var kind: Kind {
    switch bits >> 29 {
    case 1: .legacy
    case 2: .can11
    case 3: .can29
    default: .unknown
    }
  }
  /// The identifier or source byte alone.
  public var value: UInt32 { bits & 0x1FFF_FFFF }
  /// Orders addresses of one kind by their value; used for ties between ECUs.
  public var sortKey: UInt32 { bits }
  /// How many hexadecimal digits the address is written with: 0, 2, 3 or 8.
  public var digitCount: Int {
    switch kind {
    case .unknown: 0
    case .legacy: 2
    case .can11: 3
    case .can29: 8
    }
  }
}
