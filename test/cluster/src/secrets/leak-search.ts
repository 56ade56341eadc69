import { createReadStream } from 'node:fs';
import { type KnownSecret, type SecretHit, type SecretSearch, secretSearch } from '@lateen/testing';

/** A secret and where it was seen. */
export interface Leak extends SecretHit {
  /** `log`, `object`, `API`, `output`, `argument`, `file`. */
  kind: string;
  name: string;
}

/** For people; the secret itself is not in it. */
export const leakText = ({ kind, name, form, secret, offset }: Leak): string =>
  `${kind} ${name}: ${form} of ${secret}, at byte ${offset}`;

/** Searches whatever is shown to it, at once: nothing is kept but what was found. */
export class LeakSearch {
  readonly #search: SecretSearch;
  readonly #leaks = new Map<string, Leak>();
  /** Places that were looked at, by their kind. A kind without any was not searched at all. */
  readonly looked = new Map<string, number>();

  constructor(secrets: readonly KnownSecret[]) {
    this.#search = secretSearch(secrets);
  }

  text(kind: string, name: string, text: string): void {
    this.#note(kind, name, this.#search.inText(text));
  }

  /** A file that has gone meanwhile is no place; its name is one, though. */
  async file(kind: string, path: string | Buffer): Promise<void> {
    const name = path.toString();
    this.#note(kind, name, this.#search.inText(name));
    try {
      this.#note(kind, name, await this.#search.inChunks(createReadStream(path, { highWaterMark: chunkBytes })));
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Where these secrets were seen, once for each form and place. */
  leaks(of: readonly KnownSecret[]): Leak[] {
    const names = new Set(of.map(({ name }) => name));
    return [...this.#leaks.values()].filter(({ secret }) => names.has(secret));
  }

  #note(kind: string, name: string, hits: readonly SecretHit[]): void {
    this.looked.set(kind, (this.looked.get(kind) ?? 0) + 1);
    for (const hit of hits) this.#leaks.set([kind, name, hit.secret, hit.form].join(), { ...hit, kind, name });
  }
}

const chunkBytes = 1024 * 1024;

function isGone(error: unknown): boolean {
  // ESTALE and EIO: its file system was taken away with its pod.
  return ['ENOENT', 'ESTALE', 'EIO', 'ENODEV'].includes((error as NodeJS.ErrnoException).code ?? '');
}
