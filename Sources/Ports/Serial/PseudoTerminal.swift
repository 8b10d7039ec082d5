import CPorts
import Glibc

/// A serial line that ends in this process: the device's end of it. Whoever opens `path` finds a serial device.
///
/// Letting go of it hangs the line up, as pulling the plug does.
public struct PseudoTerminal: ~Copyable, Sendable {
  /// What the other end is opened by: `/dev/pts/7`.
  public let path: String
  private let master: Descriptor

  /// - Throws: ``PortError/Kind/system`` where the machine has no pseudo-terminals left.
  public init() throws(PortError) {
    var name = [CChar](repeating: 0, count: 64)
    let number = unsafe cports_pty_open(&name, UInt32(name.count))
    guard number >= 0 else { throw PortError(.system, "pseudo-terminal", code: -number, systemReason(-number)) }
    master = Descriptor(owning: number)
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// For `poll(2)`, read(2) and write(2), none of which wait. While nobody has the other end open, reading fails with
  /// `EIO` and polling says hung up: that passes.
  public var descriptor: Int32 { master.number }
}
