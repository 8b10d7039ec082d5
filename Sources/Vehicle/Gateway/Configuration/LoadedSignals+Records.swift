import Fusion
import OBDWire
import SignalSets

extension LoadedSignals {
  /// The properties of signal-set signals that records need, in the order of ``definitions``.
  public var recordSignals: [LoadedSignal] {
    definitions.indices.map { index in
      let id = SignalID(rawValue: SignalID.firstLoaded + UInt16(index))
      let texts = self[id]?.texts ?? []
      return LoadedSignal(
        name: name(of: id) ?? "", kind: definitions[index].kind,
        texts: texts.map { LoadedSignal.Text(code: $0.code, text: $0.value) })
    }
  }
}
