import { createReadStream } from 'node:fs';
import { type KnownSecret, type SecretHit, type SecretSearch, secretSearch } from '@lateen/testing';

/** A secret and the place where it was found. */
export interface Leak extends SecretHit {
  /** `log`, `object`, `API`, `output`, `argument`, `file`. */
  kind: string;
  name: string;
}

/** Text for a report; does not contain the secret. */
export const leakText = ({ kind, name, form, secret, offset }: Leak): string =>
  `${kind} ${name}: ${form} of ${secret}, at byte ${offset}`;

/** Searches everything that it gets immediately: it keeps only what it finds. */
export class LeakSearch {
  readonly #search: SecretSearch;
  readonly #leaks = new Map<string, Leak>();
  /** Number of searched places by kind. A kind without any was not searched at all. */
  readonly looked = new Map<string, number>();

  constructor(secrets: readonly KnownSecret[]) {
    this.#search = secretSearch(secrets);
  }

  text(kind: string, name: string, text: string): void {
    this.#note(kind, name, this.#search.inText(text));
  }

  /** A file that was deleted meanwhile does not count as searched, but its name is searched. */
  async file(kind: string, path: string | Buffer): Promise<void> {
    const name = path.toString();
    this.#note(kind, name, this.#search.inText(name));
    try {
      this.#note(kind, name, await this.#search.inChunks(createReadStream(path, { highWaterMark: chunkBytes })));
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Where these secrets were found, once for each form and place. */
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
  // ESTALE and EIO: its file system was unmounted with its pod.
  return ['ENOENT', 'ESTALE', 'EIO', 'ENODEV'].includes((error as NodeJS.ErrnoException).code ?? '');
}
