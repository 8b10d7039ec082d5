import Sinks

// Reading the PIN of a Bluetooth adapter. No message shows the PIN.
extension GatewayConfiguration.Adapter {
  /// Returns the PIN from the configuration or from its file; `nil` if no PIN is configured. The daemon then tries the
  /// usual PINs.
  ///
  /// - Throws: ``Sinks/SinkErrorKind/badFile`` if the file is missing or invalid, or if all users can read it.
  public func readPIN() throws(SinkError) -> String? {
    guard let pinFile else { return pin }
    let text = try SecretFile.read(pinFile)
    guard Self.isPIN(text, isLowEnergy: isLowEnergy) else {
      throw SinkError(.badFile, pinFile, "expected \(Self.pinForm(isLowEnergy: isLowEnergy)), found something else")
    }
    return text
  }

  private var isLowEnergy: Bool { if case .ble = link { true } else { false } }

  static func pinForm(isLowEnergy: Bool) -> String { isLowEnergy ? "1 to 6 digits" : "1 to 16 letters or digits" }

  static func isPIN(_ text: String, isLowEnergy: Bool) -> Bool {
    (1...(isLowEnergy ? 6 : 16)).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): !isLowEnergy
        default: false
        }
      }
  }
}
