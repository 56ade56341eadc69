import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { plainLine } from '@lateen/errors';
import { redacted, redactText, TailText } from '@lateen/kernel';

export const outputLimits = {
  /** How much of a command's output is kept, both streams together. */
  charsMax: 4 * 1024,
  /** How many last lines an error repeats. */
  linesMax: 5,
  lineLengthMax: 200,
  /** The shortest value that is redacted: shorter ones occur by chance, and are no serious secrets. */
  secretLengthMin: 4,
} as const;

/** Keeps the end of a command's output from both streams, without the known secrets of its container. */
export class CommandOutput {
  readonly #tail = new TailText(outputLimits.charsMax);
  readonly #secrets: readonly string[];
  readonly stdout = this.#stream();
  readonly stderr = this.#stream();

  constructor(secrets: readonly string[]) {
    // The longest first, because one may be a part of another.
    this.#secrets = secrets
      .filter(({ length }) => length >= outputLimits.secretLengthMin)
      .toSorted((a, b) => b.length - a.length);
  }

  /** The last lines joined into one; empty when the command wrote nothing. */
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
