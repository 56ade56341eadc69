import type { Logger } from '@lateen/kernel';

export const liveLimits = {
  /** The most files of one upload that are logged by name. */
  loggedMax: 500,
  /** The most of those that the warning names, which is stored in an Event and a status … */
  namedMax: 5,
  /** … and how much of each name. */
  nameLengthMax: 60,
} as const;

/** What happened to files of a volume while an engine read it. */
type Fate = 'vanished' | 'changed';

/**
 * Files that were deleted or changed while the engine read them. The first of them are logged by name, all are counted, and one
 * warning reports them: such files are never hidden, and they never end the upload.
 */
export class LiveFiles {
  readonly #log: Logger;
  readonly #redact: (text: string) => string;
  readonly #counts: Record<Fate, number> = { vanished: 0, changed: 0 };
  readonly #named: Record<Fate, string[]> = { vanished: [], changed: [] };
  #logged = 0;

  constructor({ log, redact }: { log: Logger; redact: (text: string) => string }) {
    this.#log = log;
    this.#redact = redact;
  }

  /** The engine listed the entry and did not find it when it read; a folder counts too. */
  vanished(name: string): void {
    this.#take('vanished', name);
  }

  /** The file was written to, or created, since the upload started. */
  changed(name: string): void {
    this.#take('changed', name);
  }

  get vanishedCount(): number {
    return this.#counts.vanished;
  }

  /** Undefined when no file changed. */
  warning(): string | undefined {
    const { vanished, changed } = this.#counts;
    const told = vanished + changed;
    if (told === 0) return undefined;
    if (told > this.#logged) this.#log.warn({ count: told }, 'more files vanished or changed than are logged');
    const parts = [
      ...(vanished === 0 ? [] : [`${files(vanished)} vanished while the volume was read (${this.#names('vanished')})`]),
      ...(changed === 0 ? [] : [`${files(changed)} changed while the volume was read (${this.#names('changed')})`]),
    ];
    return parts.join('; ');
  }

  #take(fate: Fate, name: string): void {
    const path = this.#redact(name);
    this.#counts[fate]++;
    const named = this.#named[fate];
    if (named.length < liveLimits.namedMax) named.push(shortened(path));
    if (this.#logged >= liveLimits.loggedMax) return;
    this.#logged++;
    this.#log.warn({ path, fate }, 'a file vanished or changed while the volume was read');
  }

  #names(fate: Fate): string {
    const named = this.#named[fate];
    return `${named.join(', ')}${this.#counts[fate] > named.length ? ', …' : ''}`;
  }
}

const files = (count: number): string => (count === 1 ? '1 file' : `${count} files`);

/** The end of a path is more informative than its beginning; control characters are replaced, so that the message is text. */
function shortened(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: any byte but zero may be in a file name
  const characters = [...path.replace(/[\u0000-\u001f\u007f]/g, '?')];
  const { nameLengthMax } = liveLimits;
  return characters.length <= nameLengthMax ? characters.join('') : `…${characters.slice(1 - nameLengthMax).join('')}`;
}
