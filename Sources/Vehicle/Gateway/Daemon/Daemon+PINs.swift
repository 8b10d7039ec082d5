import Sinks

extension Daemon {
  /// The adapters with the PINs that stand in files; one whose file is wrong is left out, which is said: it is not paired with
  /// another PIN than its own.
  func adaptersWithPINs() -> [GatewayConfiguration.Adapter] {
    settings.configuration.adapters.compactMap { adapter in
      var adapter = adapter
      do throws(SinkError) {
        adapter.pin = try adapter.readPIN()
        return adapter
      } catch {
        Log.write("pinFile: \(error); its adapter is not paired", .warning)
        return nil
      }
    }
  }
}
