import type { ByteText } from './attribute-record.ts';

/** Names that are told; the rest is counted. */
const namesToldMax = 5;

/** Collects names that kopia changes, for one warning. */
export class ChangedNames {
  #count = 0;
  readonly #told: string[] = [];

  add(path: ByteText): void {
    this.#count++;
    // Bytes as escapes, so that the warning is text.
    if (this.#told.length < namesToldMax)
      this.#told.push(path.replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`));
  }

  warning(): string | undefined {
    if (this.#count === 0) return undefined;
    const more = this.#count > this.#told.length ? ' …' : '';
    return (
      `${this.#count} names are not UTF-8: kopia keeps them with other characters, and of names that become equal by that ` +
      `it keeps one; rename them: ${this.#told.join(', ')}${more}`
    );
  }
}
