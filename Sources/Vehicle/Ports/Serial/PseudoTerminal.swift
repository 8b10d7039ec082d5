import CPorts
import Failures
import Glibc

/// The master end of a pseudo-terminal, by which a program simulates a device. Other processes can open ``path`` as a
/// serial port.
///
/// When this value is destroyed, those processes see a hang-up, as if a device were unplugged.
public struct PseudoTerminal: ~Copyable, Sendable {
  /// Path by which other processes open the terminal, such as `/dev/pts/7`.
  public let path: String
  private let master: Descriptor

  /// Creates a pseudo-terminal.
  ///
  /// - Throws: ``PortError/Kind/system`` if the machine has no free pseudo-terminals.
  public init() throws(PortError) {
    var name = [CChar](repeating: 0, count: 64)
    let number = unsafe cports_pty_open(&name, UInt32(name.count))
    guard number >= 0 else { throw PortError(.system, "pseudo-terminal", code: -number, systemReason(-number)) }
    master = Descriptor(owning: number)
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The descriptor for poll(2), read(2) and write(2), which do not block. While no process has the other end open,
  /// reads fail with `EIO`, and poll(2) reports a hang-up.
  public var descriptor: Int32 { master.number }
}
