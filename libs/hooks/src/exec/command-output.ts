import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { plainLine } from '@lateen/errors';
import { redacted, redactText, TailText } from '@lateen/kernel';

export const outputLimits = {
  /** What is kept of a command's output, of both streams together. */
  charsMax: 4 * 1024,
  /** Its last lines, as an error repeats them. */
  linesMax: 5,
  lineLengthMax: 200,
  /** A shorter value would blot out half of a line by chance, and is no secret worth the name. */
  secretLengthMin: 4,
} as const;

/** The end of what a command writes, whichever of its two streams it writes to; without the secrets of its container that we know. */
export class CommandOutput {
  readonly #tail = new TailText(outputLimits.charsMax);
  readonly #secrets: readonly string[];
  readonly stdout = this.#stream();
  readonly stderr = this.#stream();

  constructor(secrets: readonly string[]) {
    // The longest first: one may be a part of another.
    this.#secrets = secrets
      .filter(({ length }) => length >= outputLimits.secretLengthMin)
      .toSorted((a, b) => b.length - a.length);
  }

  /** Its last lines on one line; empty when it wrote nothing. */
  get lastLines(): string {
    const known = this.#secrets.reduce((text, secret) => text.replaceAll(secret, redacted), this.#tail.text());
    const lines = redactText(known)
      .split(/[\r\n]+/)
      .map((line) => plainLine(line).slice(0, outputLimits.lineLengthMax));
    return lines
      .filter((line) => line !== '')
      .slice(-outputLimits.linesMax)
      .join('; ');
  }

  #stream(): Writable {
    const decoder = new StringDecoder('utf8');
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#tail.push(decoder.write(chunk));
        done();
      },
    });
  }
}
