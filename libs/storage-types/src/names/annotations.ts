/**
 * What we need beyond Longhorn's schema, as annotations under our own prefix: a client of Longhorn ignores them, and its own
 * manager never runs beside ours (docs/adr/0047). Each says on which kind it is and who writes it.
 */
export const storageAnnotations = {
  /** On Engine, a decimal number: the start of the engine that counts. Room `volume` alone, guarded by resourceVersion. */
  generation: 'storage.lateen.dev/generation',
  /** On Engine, generation and name of the one start of the engine that may serve it. The instance manager, before it serves. */
  claimed: 'storage.lateen.dev/claimed',
  /** On Engine, a decimal number: the generation that ended with every write on every replica. Room `engine`, when its host says so. */
  cleanStop: 'storage.lateen.dev/clean-stop',
  /** On Engine, name of a Replica: the one that is read from until an unclean end has been repaired. Room `volume`, with the generation. */
  readPrimary: 'storage.lateen.dev/read-primary',
  /**
   * On Engine, from a new generation until its engine is let go: `ended` when the engine before was known to have ended, `unproved` when it
   * may still run somewhere, so that its read lease has to run out first. Room `volume`.
   */
  starting: 'storage.lateen.dev/starting',
  /**
   * On Engine, JSON ({@link restoreRequestOf}): what the volume held when the backup in `spec.requestedBackupRestore` was asked for, and when that was
   * taken. Room `volume`, in one write with the spec.
   */
  restoreRequest: 'storage.lateen.dev/restore-request',
  /** On Replica, a decimal number: the generation that its data has promised. Room `replica`, after the status of the process that serves it. */
  promised: 'storage.lateen.dev/promised',
  /**
   * On Replica, a decimal number: the generation that its data served when its process was killed. They may lack writes that were acknowledged and not
   * flushed, until they were compared with others or rebuilt. Room `replica`, with `promised`.
   */
  killedIn: 'storage.lateen.dev/killed-in',
  /** On Replica, one sentence: why it failed. Whoever sets `spec.failedAt`: the recorder of the instance manager, or room `volume`. */
  failureCause: 'storage.lateen.dev/failure-cause',
  /**
   * On Replica, name of another one: the one whose place it takes, which goes when this one has all the data. Room `volume`, when it makes it; it is not taken
   * away, since names are used once.
   */
  replaces: 'storage.lateen.dev/replaces',
  /** On Replica, one sentence without a full stop: why it takes the place of another one. With `replaces`. */
  replacesBecause: 'storage.lateen.dev/replaces-because',
  /** On Volume, a decimal number: the format of our annotations. A manager that knows less leaves the volume alone. Room `volume`. */
  format: 'storage.lateen.dev/format',
  /**
   * On Volume, the `metadata.uid` of the object that replicas are made for; `unknown` when it came back from a backup of objects and nobody knows it. Another
   * uid than the object's own: the data is not here. Room `volume`, before anything is made for it.
   */
  madeAs: 'storage.lateen.dev/made-as',
  /**
   * On Volume, JSON: names of Replicas with the `spec.failedAt` that they had when somebody asked for their data to be used again. It counts for each while that
   * is what stands there. Written by users, through the REST API or the command line.
   */
  salvageRequested: 'storage.lateen.dev/salvage-requested',
  /**
   * On Volume from a backup: `wanted` while its recurring jobs are to come back with it, `done` when they have, which is never done again. Room `volume`, before
   * the restore begins.
   */
  recurringJobs: 'storage.lateen.dev/recurring-jobs',
  /** On Node, `wanted`: it has not got its first disk yet. Set when it is made; room `node` takes it away with the write of the disks. */
  defaultDisks: 'storage.lateen.dev/default-disks',
  /** On RecurringJob, JSON: the run that it is in, or was in last. Room `recurring-job`. */
  recurringRun: 'storage.lateen.dev/recurring-run',
} as const;

/** Annotations of Longhorn that users write on nodes of Kubernetes. */
export const nodeAnnotations = {
  /** JSON list of disks for a new longhorn Node. */
  defaultDisks: 'node.longhorn.io/default-disks-config',
  /** JSON list of tags for a new longhorn Node. */
  defaultTags: 'node.longhorn.io/default-node-tags',
} as const;

/** The annotation `salvage-requested` of a Volume: times of failure by the names of Replicas. Empty for one that cannot be read, too. */
export function salvageRequestOf(object: {
  metadata: { annotations?: Record<string, string> };
}): Readonly<Record<string, string>> {
  const text = object.metadata.annotations?.[storageAnnotations.salvageRequested];
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}

/** How far the recurring jobs are that come back with a volume. */
export type RecurringJobsNote = 'wanted' | 'done';

/** The annotation `recurring-jobs` of a Volume; undefined when they were not asked for. What cannot be read is taken for `done`. */
export function recurringJobsNoteOf(object: {
  metadata: { annotations?: Record<string, string> };
}): RecurringJobsNote | undefined {
  const text = object.metadata.annotations?.[storageAnnotations.recurringJobs];
  if (text === undefined) return undefined;
  return text === 'wanted' ? 'wanted' : 'done';
}

export interface RestoreRequest {
  /** What the volume held before: `zeros`, `anything`, or a backup and nothing else. */
  readonly held: 'zeros' | 'anything' | { readonly backup: string };
  /** When the snapshot of the backup that is asked for was taken, RFC 3339; '' where that was not known. */
  readonly takenAt: string;
}

/** The annotation `restore-request` of an Engine. Without it the volume was new; one that cannot be read is taken for `anything`. */
export function restoreRequestOf(object: { metadata: { annotations?: Record<string, string> } }): RestoreRequest {
  const text = object.metadata.annotations?.[storageAnnotations.restoreRequest];
  if (text === undefined) return { held: 'zeros', takenAt: '' };
  const { held, takenAt } = parsedRequest(text);
  const at = typeof takenAt === 'string' ? takenAt : '';
  if (held === 'zeros') return { held, takenAt: at };
  const backup = typeof held === 'object' && held !== null && 'backup' in held ? held.backup : undefined;
  return typeof backup === 'string' ? { held: { backup }, takenAt: at } : { held: 'anything', takenAt: at };
}

function parsedRequest(text: string): { held?: unknown; takenAt?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** The annotation `generation` of an Engine as a number; 0 when there is none. Undefined for what is no count of starts. */
export function generationOf(object: { metadata: { annotations?: Record<string, string> } }): number | undefined {
  const text = object.metadata.annotations?.[storageAnnotations.generation] ?? '0';
  const value = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(value) ? value : undefined;
}
