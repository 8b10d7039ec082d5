import GatewayOutput
import OBDWire
import Telemetry

extension StatusSnapshot {
  /// Returns the status as metrics in Prometheus' text format, version 0.0.4:
  /// https://prometheus.io/docs/instrumenting/exposition_formats/
  package func metrics(_ process: ProcessFigures) -> [UInt8] {
    var text = PrometheusText()
    text.family("obdgate_info", .gauge, "Which version runs.")
    text.sample(1, [("version", Version.text), ("gateway", gatewayId)])
    text.family("obdgate_uptime_seconds", .gauge, "Since the start.")
    text.sample(seconds(now - started))
    text.family("obdgate_thread_stuck", .gauge, "1: the thread does not go on.")
    for name in stuck { text.sample(1, [("thread", name)]) }
    for name in answered { text.sample(0, [("thread", name)]) }
    if let pipeline {
      writeAdapters(pipeline.adapters, to: &text)
      writeReceivers(pipeline.receivers, to: &text)
      text.family("obdgate_time_quality", .gauge, "1: where the date comes from.")
      for quality in TimeQuality.allCases {
        text.sample(quality == pipeline.wall.quality ? 1 : 0, [("quality", "\(quality.name)")])
      }
      text.family("obdgate_records_total", .counter, "Records made.")
      for type in RecordType.allCases {
        if let count = made(type) { text.sample(count: count, [("type", "\(type.name)")]) }
      }
    }
    text.family("obdgate_records_lost_total", .counter, "Records lost, as gap records tell, by what took them.")
    for reason in GapRecord.Reason.allCases { text.sample(count: losses[reason], [("reason", "\(reason.name)")]) }
    if let forwarding { write(forwarding, to: &text) }
    text.family("process_resident_memory_bytes", .gauge, "Resident memory.")
    text.sample(count: process.residentBytes)
    text.family("process_cpu_seconds_total", .counter, "Processor time, the kernel's for it included.")
    text.sample(process.processorSeconds)
    return text.bytes
  }

  private func writeAdapters(_ adapters: [AdapterStatus], to text: inout PrometheusText) {
    func each(
      _ name: String, _ kind: PrometheusText.Kind, _ help: String, _ value: (AdapterStatus) -> Double?
    ) {
      text.family(name, kind, help)
      for adapter in adapters { if let value = value(adapter) { text.sample(value, [("device", adapter.device)]) } }
    }
    each("obdgate_adapter_connected", .gauge, "1: a vehicle answers.") { $0.standing.state == .connected ? 1 : 0 }
    each("obdgate_adapter_sleeping", .gauge, "1 while polling is paused so that the vehicle can sleep.") {
      $0.standing.state == .sleeping ? 1 : 0
    }
    each("obdgate_commands_total", .counter, "Commands sent to the adapter.") { Double($0.counts.commands) }
    text.family(
      "obdgate_replies_total", .counter, "Replies, up to their prompts, by outcome: ok, or the first failure in them.")
    for adapter in adapters {
      for (outcome, count) in adapter.counts.repliesByOutcome {
        text.sample(count: count, [("device", adapter.device), ("outcome", outcome)])
      }
    }
    each("obdgate_readings_total", .counter, "Values read.") { Double($0.counts.readings) }
    each("obdgate_received_bytes_total", .counter, "Bytes from the adapter.") { Double($0.counts.receivedBytes) }
    each("obdgate_sent_bytes_total", .counter, "Bytes to the adapter.") { Double($0.counts.sentBytes) }
    each("obdgate_link_busy_seconds_total", .counter, "Time in which a prompt was waited for: link use.") {
      seconds($0.counts.busy)
    }
    each("obdgate_link_open_seconds_total", .counter, "Time in which the line was open.") { seconds($0.counts.open) }
    each("obdgate_last_reading_age_seconds", .gauge, "Since the last value was read.") { adapter in
      adapter.counts.lastReading.map { seconds(max(0, now - $0)) }
    }
    text.family("obdgate_failures_total", .counter, "Lines that gave no value, by kind; a reply may have several.")
    for adapter in adapters {
      for (kind, count) in adapter.counts.failuresByKind {
        text.sample(count: UInt64(count), [("device", adapter.device), ("kind", "\(kind)")])
      }
    }
  }

  private func writeReceivers(_ receivers: [ReceiverStatus], to text: inout PrometheusText) {
    func each(
      _ name: String, _ kind: PrometheusText.Kind, _ help: String, _ value: (ReceiverStatus) -> Double?
    ) {
      text.family(name, kind, help)
      for receiver in receivers { if let value = value(receiver) { text.sample(value, [("device", receiver.device)]) } }
    }
    each("obdgate_receiver_connected", .gauge, "1: it speaks.") { $0.standing.state == .connected ? 1 : 0 }
    each("obdgate_receiver_chosen", .gauge, "1: its positions are the ones in the records.") { $0.isChosen ? 1 : 0 }
    each("obdgate_fixes_total", .counter, "Epochs told, with a position or not.") { Double($0.fixes) }
    each("obdgate_receiver_unreadable_total", .counter, "Lines of gpsd that could not be read.") {
      Double($0.unreadable)
    }
    each("obdgate_last_fix_age_seconds", .gauge, "Since the last epoch.") { receiver in
      receiver.lastFix.map { seconds(max(0, now - $0)) }
    }
    each("obdgate_satellites", .gauge, "Satellites in use.") { $0.satellites.map { Double($0) } }
    each("obdgate_hdop", .gauge, "Horizontal dilution of precision.") { $0.hdop }
    text.family("obdgate_fix", .gauge, "1: the kind of the last fix.")
    for receiver in receivers {
      if let type = receiver.fixType { text.sample(1, [("device", receiver.device), ("type", "\(type)")]) }
    }
  }

  private func write(_ forwarding: ForwardingStatus, to text: inout PrometheusText) {
    let spool = forwarding.spool
    text.family("obdgate_spool_durable", .gauge, "0: records are kept in memory only.")
    text.sample(spool.state == .durable ? 1 : 0)
    text.family("obdgate_spool_records", .gauge, "Records that some sink lacks.")
    text.sample(count: UInt64(max(0, spool.records)) + UInt64(spool.memoryRecords))
    text.family("obdgate_spool_bytes", .gauge, "Bytes of the spool's file in use.")
    text.sample(count: UInt64(max(0, spool.bytes)))
    if let age = spool.oldestAge {
      text.family("obdgate_spool_oldest_seconds", .gauge, "Age of the oldest record in the spool.")
      text.sample(seconds(age))
    }
    text.family("obdgate_sink_delivered_total", .counter, "Records that the sink has for good.")
    for sink in forwarding.sinks { text.sample(count: sink.delivered, [("sink", sink.name)]) }
    text.family("obdgate_sink_rejected_total", .counter, "Records that the sink's peer rejected for good.")
    for sink in forwarding.sinks { text.sample(count: sink.rejected, [("sink", sink.name)]) }
    text.family("obdgate_sink_failing", .gauge, "1: it does not work, its records wait.")
    for sink in forwarding.sinks {
      text.sample(sink.state == .failing || sink.state == .over ? 1 : 0, [("sink", sink.name)])
    }
    text.family("obdgate_sink_lag_seconds", .gauge, "Age of the oldest record that the sink lacks; 0: it has all.")
    for sink in forwarding.sinks { text.sample(seconds(sink.oldestAge ?? 0), [("sink", sink.name)]) }
  }

  private func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 }
}
