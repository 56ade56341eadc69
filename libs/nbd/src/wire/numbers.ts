/** The numbers of the NBD protocol (doc/proto of NetworkBlockDevice/nbd), by the names that it gives them. */

export const magic = {
  /** "NBDMAGIC" and "IHAVEOPT": what a server says first; the latter also begins each option of a client. */
  greeting: 0x4e42444d41474943n,
  option: 0x49484156454f5054n,
  optionReply: 0x0003e889045565a9n,
  request: 0x25609513,
  simpleReply: 0x67446698,
  structuredReply: 0x668e33ef,
} as const;

/** The same bits in both directions: what the server offers and what the client takes. */
export const handshakeFlag = { FIXED_NEWSTYLE: 1, NO_ZEROES: 2 } as const;

export const option = {
  EXPORT_NAME: 1,
  ABORT: 2,
  LIST: 3,
  INFO: 6,
  GO: 7,
  STRUCTURED_REPLY: 8,
  SET_META_CONTEXT: 10,
} as const;

export const optionReply = {
  ACK: 1,
  SERVER: 2,
  INFO: 3,
  META_CONTEXT: 4,
  ERR_UNSUP: 0x80000001,
  ERR_POLICY: 0x80000002,
  ERR_INVALID: 0x80000003,
  ERR_TLS_REQD: 0x80000005,
  ERR_UNKNOWN: 0x80000006,
  ERR_SHUTDOWN: 0x80000007,
} as const;

export const info = { EXPORT: 0, BLOCK_SIZE: 3 } as const;

export const exportFlag = {
  HAS_FLAGS: 1,
  READ_ONLY: 1 << 1,
  SEND_FLUSH: 1 << 2,
  SEND_FUA: 1 << 3,
  SEND_TRIM: 1 << 5,
  SEND_WRITE_ZEROES: 1 << 6,
  CAN_MULTI_CONN: 1 << 8,
} as const;

export const command = { READ: 0, WRITE: 1, DISC: 2, FLUSH: 3, TRIM: 4, WRITE_ZEROES: 6, BLOCK_STATUS: 7 } as const;

export const commandFlag = { FUA: 1, NO_HOLE: 1 << 1 } as const;

export const chunk = {
  NONE: 0,
  OFFSET_DATA: 1,
  OFFSET_HOLE: 2,
  BLOCK_STATUS: 5,
  /** Every type with this bit is an error. */
  ERROR: 0x8000,
} as const;

export const chunkFlagDone = 1;

/** Longest text of the protocol, names of exports included. */
export const nameBytesMax = 4096;
