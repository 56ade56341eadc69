import { AppError } from '@lateen/errors';

const newline = 0x0a;

/** Cuts a byte stream into lines, one JSON message each, and holds at most one unfinished line of a bounded length. */
export class MessageLines {
  readonly #bytesMax: number;
  #pieces: Buffer[] = [];
  #heldBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The lines that `chunk` completes, without empty ones. @throws QMP_PROTOCOL for a line that is too long */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let rest = chunk;
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      this.#hold(rest.subarray(0, end));
      const line = Buffer.concat(this.#pieces).toString('utf8').trim();
      this.#pieces = [];
      this.#heldBytes = 0;
      if (line !== '') lines.push(line);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) this.#hold(rest);
    return lines;
  }

  #hold(piece: Buffer): void {
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.#bytesMax)
      throw new AppError('QMP_PROTOCOL', `a message of the storage daemon is longer than ${this.#bytesMax} bytes`);
    this.#pieces.push(piece);
  }
}
