import { blockRequestBytesMax } from '@lateen/block-engine';
import type { ByteQueue } from '../wire/byte-queue.ts';
import { encodeBlockSizes, encodeExportFacts, encodeExportInfo, parseInfoRequest } from '../wire/export-info.ts';
import { handshakeFlag, nameBytesMax, option, optionReply } from '../wire/numbers.ts';
import { clientFlagsBytes, encodeOptionReply, optionHeadBytes, parseOptionHead } from '../wire/options.ts';
import { type ServedExport, servedFlags } from './served-export.ts';

export interface NegotiationParts {
  send(bytes: Uint8Array): void;
  find(name: string): ServedExport | undefined;
  /** The names that a client may be told; undefined: it is not told. */
  list(): readonly string[] | undefined;
}

/** How a handshake has ended: with an export and the size that it had then, or without. */
export type Negotiated = { served: ServedExport; sizeBytes: bigint } | 'end';

/** Longer data is no option that we could answer. */
const optionBytesMax = 16 * 1024;
/** A client asks a handful of options. */
const optionsMax = 64;

/** The server's side of a fixed newstyle handshake, after the greeting. */
export class Negotiation {
  readonly #parts: NegotiationParts;
  #flags: number | undefined;
  #options = 0;
  #option: { code: number; dataBytes: number } | undefined;

  constructor(parts: NegotiationParts) {
    this.#parts = parts;
  }

  /** Answers what has come in. Undefined: more has to come. */
  pump(queue: ByteQueue): Negotiated | undefined {
    if (this.#flags === undefined) {
      const flags = queue.takeHead(clientFlagsBytes)?.readUInt32BE(0);
      if (flags === undefined) return undefined;
      const known = handshakeFlag.FIXED_NEWSTYLE | handshakeFlag.NO_ZEROES;
      // A client that is not of the fixed style cannot be told that an option failed; one with other flags is none that we know.
      if ((flags & handshakeFlag.FIXED_NEWSTYLE) === 0 || (flags & ~known) !== 0) return 'end';
      this.#flags = flags;
    }
    for (;;) {
      const code = this.#option?.code ?? this.#nextOption(queue);
      if (code === 'end' || code === undefined) return code;
      const data = queue.takeList(this.#option?.dataBytes ?? 0);
      if (data === undefined) return undefined;
      this.#option = undefined;
      const outcome = this.#answer(code, Buffer.concat(data));
      if (outcome !== undefined) return outcome;
    }
  }

  #nextOption(queue: ByteQueue): number | 'end' | undefined {
    const bytes = queue.takeHead(optionHeadBytes);
    if (bytes === undefined) return undefined;
    const head = parseOptionHead(bytes);
    this.#options += 1;
    if (head === undefined || head.dataBytes > optionBytesMax || this.#options > optionsMax) return 'end';
    this.#option = { code: head.option, dataBytes: head.dataBytes };
    return head.option;
  }

  #answer(code: number, data: Buffer): Negotiated | undefined {
    if (code === option.EXPORT_NAME) return this.#exportName(data);
    if (code === option.INFO || code === option.GO) return this.#info(code, data);
    if (code === option.ABORT) {
      this.#reply(code, optionReply.ACK);
      return 'end';
    }
    if (code === option.LIST) this.#list(data);
    else this.#reply(code, optionReply.ERR_UNSUP);
    return undefined;
  }

  /** The option of old: its answer has no room for an error. */
  #exportName(data: Buffer): Negotiated {
    const served = this.#parts.find(data.toString());
    if (served === undefined) return 'end';
    const { sizeBytes } = served.target;
    this.#parts.send(encodeExportFacts({ sizeBytes, flags: servedFlags }));
    if (((this.#flags ?? 0) & handshakeFlag.NO_ZEROES) === 0) this.#parts.send(Buffer.alloc(124));
    return { served, sizeBytes };
  }

  #info(code: number, data: Buffer): Negotiated | undefined {
    const asked = parseInfoRequest(data);
    if (asked === undefined || Buffer.byteLength(asked.name) > nameBytesMax) {
      this.#reply(code, optionReply.ERR_INVALID);
      return undefined;
    }
    const served = this.#parts.find(asked.name);
    if (served === undefined) {
      this.#reply(code, optionReply.ERR_UNKNOWN);
      return undefined;
    }
    const { sizeBytes } = served.target;
    this.#reply(code, optionReply.INFO, encodeExportInfo({ sizeBytes, flags: servedFlags }));
    const sizes = { minimum: 1, preferred: 4096, maximum: blockRequestBytesMax };
    this.#reply(code, optionReply.INFO, encodeBlockSizes(sizes));
    this.#reply(code, optionReply.ACK);
    return code === option.GO ? { served, sizeBytes } : undefined;
  }

  #list(data: Buffer): void {
    const names = this.#parts.list();
    if (data.length > 0 || names === undefined) {
      this.#reply(option.LIST, data.length > 0 ? optionReply.ERR_INVALID : optionReply.ERR_POLICY);
      return;
    }
    for (const name of names) {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(Buffer.byteLength(name), 0);
      this.#reply(option.LIST, optionReply.SERVER, Buffer.concat([length, Buffer.from(name)]));
    }
    this.#reply(option.LIST, optionReply.ACK);
  }

  #reply(code: number, type: number, data?: Uint8Array): void {
    this.#parts.send(encodeOptionReply(code, type, data));
  }
}
