/// Number of data bytes after each PID in the answers of service 01 (SAE J1979-DA); 0 if the PID is undefined or its
/// layout is not public.
///
/// The lengths are needed to split an answer with several PIDs and to detect a truncated answer. On engines with four
/// banks, which support PID 1D, PIDs 06–09 and 55–58 have a second byte. The lengths here do not include it.
public let saeParameterLengths: InlineArray<256, UInt8> = [
  4, 4, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1,  // 00
  2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2,  // 10
  4, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 1, 1, 1, 1,  // 20
  1, 2, 2, 1, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2,  // 30
  4, 4, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 4,  // 40
  4, 1, 1, 2, 2, 1, 1, 1, 1, 2, 1, 1, 1, 2, 2, 1,  // 50
  4, 1, 1, 2, 5, 2, 5, 3, 7, 7, 5, 5, 5, 11, 9, 3,  // 60
  10, 6, 5, 5, 5, 7, 7, 5, 9, 9, 7, 7, 9, 1, 1, 13,  // 70
  4, 41, 41, 9, 1, 10, 5, 5, 13, 41, 41, 7, 17, 1, 1, 7,  // 80
  3, 5, 2, 3, 12, 0, 0, 0, 9, 9, 6, 4, 17, 4, 2, 9,  // 90
  4, 9, 2, 9, 4, 4, 4, 9, 9, 4, 1, 0, 0, 0, 0, 0,  // A0
  0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  // B0
  4, 0, 0, 2, 8, 4, 7, 2, 1, 0, 0, 0, 0, 0, 0, 0,  // C0
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  // D0
  4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  // E0
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  // F0
]
