import { Later } from '../decide/later.ts';

/** What this process knows of one location, as long as that shows the same place. */
export class LocationMemory {
  /** Location and place that it is about. */
  readonly subject: string;
  readonly later = new Later();
  /** Names that the last whole listing has shown. */
  seen: ReadonlySet<string> = new Set();
  /** When the last look began, on the monotonic clock; undefined: there was none. */
  lookedMs: number | undefined;
  /** The Backups that were told to be doubtful. */
  toldDoubtful = '';

  constructor(subject: string) {
    this.subject = subject;
  }
}
