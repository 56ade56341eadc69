import { AppError } from '@lateen/errors';

/** Longest object that is read: a snapshot with its tags, each of them an argument (128 KiB), and the errors kopia keeps. */
export const objectBytesMax = 1024 * 1024;

const [quote, backslash, brace] = [0x22, 0x5c, 0x7b];
const opening: ReadonlySet<number> = new Set([brace, 0x5b]);
const closing: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/**
 * Extracts the objects of one nesting depth from JSON that is too long for memory: a list of a million contents, or many
 * documents one after the other. Pieces may break anywhere. Depth 2 is `[{…}]`, depth 3 is `{"entries":[{…}]}`.
 */
export class JsonObjects {
  readonly #depthWanted: number;
  readonly #onObject: (object: Record<string, unknown>, document: number) => void;
  #document = -1;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #isInside = false;
  /** The parts of an unfinished object from earlier pieces. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** @param onObject also gets the number of the document that the object is in, counted from 0 */
  constructor(depth: number, onObject: (object: Record<string, unknown>, document: number) => void) {
    this.#depthWanted = depth;
    this.#onObject = onObject;
  }

  /** @throws ENGINE_BAD_ANSWER */
  push(chunk: Buffer): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
      } else if (byte === quote) this.#inString = true;
      else if (opening.has(byte)) {
        this.#depth += 1;
        if (this.#depth === 1) this.#document += 1;
        if (this.#depth !== this.#depthWanted || byte !== brace) continue;
        this.#isInside = true;
        start = at;
      } else if (closing.has(byte)) {
        this.#depth -= 1;
        if (this.#depth !== this.#depthWanted - 1 || !this.#isInside) continue;
        this.#hold(chunk.subarray(start, at + 1));
        this.#tell();
        this.#isInside = false;
      }
    }
    if (this.#isInside) this.#hold(chunk.subarray(start));
  }

  /** @throws ENGINE_BAD_ANSWER when the text was cut */
  end(): void {
    if (this.#depth !== 0 || this.#inString) throw badAnswer('its end is missing');
  }

  #hold(part: Buffer): void {
    this.#heldBytes += part.length;
    if (this.#heldBytes > objectBytesMax) throw badAnswer(`an object has more than ${objectBytesMax} bytes`);
    // A copy: the stream may reuse the buffer.
    this.#held.push(Buffer.from(part));
  }

  #tell(): void {
    const text = Buffer.concat(this.#held).toString('utf8');
    this.#held = [];
    this.#heldBytes = 0;
    this.#onObject(parsed(text), this.#document);
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw badAnswer('a part of it is not an object');
}

const badAnswer = (why: string): AppError =>
  new AppError('ENGINE_BAD_ANSWER', `the engine did not answer with its JSON: ${why}`, { retry: 'later' });
