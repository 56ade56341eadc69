/** The delay between checks of something that was unusable the last time: twice as long each time. */
export const laterMs = {
  /** Another cluster may be at work on it. */
  unfinished: { firstMs: 60_000, maxMs: 600_000 },
  /** It may be repaired meanwhile. */
  broken: { firstMs: 600_000, maxMs: 6 * 3_600_000 },
} as const;

export type Unusable = keyof typeof laterMs;

/** What of a bucket is not read again each time. Bounded by what the bucket lists. */
export class Later {
  readonly #notes = new Map<string, { why: Unusable; atMs: number; pauseMs: number }>();

  /** Forgets what is not listed any more. */
  keep(listed: ReadonlySet<string>): void {
    for (const name of this.#notes.keys()) if (!listed.has(name)) this.#notes.delete(name);
  }

  isDue(name: string, monotonicMs: number): boolean {
    const note = this.#notes.get(name);
    return note === undefined || monotonicMs >= note.atMs;
  }

  /** True when that is news. */
  note(name: string, why: Unusable, monotonicMs: number): boolean {
    const { firstMs, maxMs } = laterMs[why];
    const known = this.#notes.get(name);
    const isNews = known?.why !== why;
    const pauseMs = isNews ? firstMs : Math.min(known.pauseMs * 2, maxMs);
    this.#notes.set(name, { why, atMs: monotonicMs + pauseMs, pauseMs });
    return isNews;
  }

  done(name: string): void {
    this.#notes.delete(name);
  }
}
