import type { Logger } from '@lateen/kernel';

export const liveLimits = {
  /** Files of one upload that stand in the log by name. */
  loggedMax: 500,
  /** Of those, the ones that are named in the warning, which travels in an Event and a status … */
  namedMax: 5,
  /** … and how much of each name. */
  nameLengthMax: 60,
} as const;

/** What happened to files of a volume while an engine read it. */
type Fate = 'vanished' | 'changed';

/**
 * Files that somebody deleted or changed while they were read. The first of them are in the log by name, all are counted, and one
 * warning tells of them: never silent, and never the end of the upload.
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

  /** Listed by the engine, and not there when it was to be read; or a folder of such. */
  vanished(name: string): void {
    this.#take('vanished', name);
  }

  /** Written to, or made, since the upload began. */
  changed(name: string): void {
    this.#take('changed', name);
  }

  get vanishedCount(): number {
    return this.#counts.vanished;
  }

  /** Undefined when the volume stood still. */
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

/** The end of a path says more than its beginning; a message is text, whatever the name is. */
function shortened(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: any byte but zero may be in a file name
  const characters = [...path.replace(/[\u0000-\u001f\u007f]/g, '?')];
  const { nameLengthMax } = liveLimits;
  return characters.length <= nameLengthMax ? characters.join('') : `…${characters.slice(1 - nameLengthMax).join('')}`;
}
