import Fusion
import OBDWire
import SignalSets
import Telemetry

extension TroubleCode {
  /// The trouble code as text: `P0420` or, with a failure type, `P0420-00`.
  var string: String {
    let characters = text
    var out = ""
    for i in 0..<textLength { out.unicodeScalars.append(Unicode.Scalar(characters[i])) }
    return out
  }
}

/// Returns a number as upper-case hexadecimal digits, with leading zeros if it has fewer than `digits` digits.
func hexText(_ value: some BinaryInteger, _ digits: Int) -> String {
  let text = String(value, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}

/// Returns a service and an identifier (PID) as hexadecimal text: `010C`, `22F40C`.
func pidText(_ service: UInt8, _ identifier: UInt16) -> String {
  hexText(service, 2) + hexText(identifier, service == 0x22 ? 4 : 2)
}

/// Formats the values of readings.
enum SignalText {
  /// Writes the value of a reading: a number, a boolean, or the text of an enumeration. If the text of an enumeration's
  /// code is unknown, the code is written.
  ///
  /// - Returns: the unit of the value; empty if it has none.
  static func write(
    _ reading: Reading, _ loaded: LoadedSignals?, into encoder: inout JSONLineEncoder
  ) -> String {
    if reading.signal.isLoaded {
      guard let loaded, let signal = loaded[reading.signal] else { return "" }
      switch signal.definition.kind {
      case .flag: encoder.value(reading.value != 0)
      case .enumeration:
        if let text = loaded.mapText(of: reading.signal, code: reading.value) {
          encoder.value(text)
        } else {
          encoder.value(reading.value)
        }
      case .number:
        // The format of signal sets (OBDb) requires that a value is limited to the range of its signal. If the vehicle
        // has reported a value outside the range, the limit and the reported value are written.
        let limited = loaded.limited(reading.value, of: reading.signal)
        encoder.value(limited)
        if limited != reading.value {
          encoder.key("limited")
          encoder.value(true)
          encoder.key("sent")
          encoder.value(reading.value)
        }
      }
      return signal.unitText
    }
    let definition = saeSignals.span[Int(reading.signal.rawValue)].definition
    switch definition.kind {
    case .flag: encoder.value(reading.value != 0)
    case .enumeration:
      if let text = SAEEnumerations.text(enumeration: definition.enumeration, code: UInt32(reading.value)) {
        encoder.value(text)
      } else {
        encoder.value(reading.value)
      }
    case .number: encoder.value(reading.value)
    }
    return "\(definition.unit.symbol)"
  }
}

/// Encodes wire errors for `obdgate replay --errors` and `obdgate decode`.
enum WireErrorText {
  /// Writes the keys of an error into the JSON object that the encoder has begun.
  static func write(_ error: WireError, _ line: Span<UInt8>, into encoder: inout JSONLineEncoder) {
    encoder.key("kind")
    encoder.value(name(of: error.kind))
    encoder.key("line")
    encoder.value(Int(error.origin.line))
    encoder.key("offset")
    encoder.value(Int(error.offset))
    encoder.key("bytes")
    encoder.value(line)
    if error.kind == .negativeResponse {
      encoder.key("service")
      encoder.value(hexText(error.service, 2))
      encoder.key("nrc")
      encoder.value(hexText(error.responseCode, 2))
    }
    if error.origin.ecu.kind != .unknown {
      encoder.key("ecu")
      encoder.value(error.origin.ecu.text)
    }
  }

  /// Returns the name of a kind of error in the output.
  static func name(of kind: WireError.Kind) -> String { "\(kind)" }
}
