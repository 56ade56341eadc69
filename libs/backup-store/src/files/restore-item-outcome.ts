import { type DocumentLines, documentsIn, hasTexts } from './document-lines.ts';

/** What a restore does, or a plan says it would do, with one object. */
export const restoreItemActs = [
  /** It is not there and is created. */
  'create',
  /** It is there, differs, and is changed (`existingResourcePolicy: update`, a ServiceAccount that is merged). */
  'update',
  /** It is there as the backup has it. */
  'unchanged',
  /** It is there, differs, and is left alone. */
  'conflict',
  /** It is there, differs in a field that cannot be changed, and is left alone. */
  'immutable',
  /** A webhook, a policy or a quota does not let it in. */
  'denied',
  /** It is not to be restored: a completed pod, what an action skips, a volume that is created again. */
  'skip',
  /** It cannot be restored for another reason. */
  'fail',
] as const;
export type RestoreItemAct = (typeof restoreItemActs)[number];

/**
 * What becomes of one object; an entry of `restore-<restore>-item-outcomes.json.gz` (what was done) and of `restore-<restore>-plan.json.gz`
 * (what would be done), one JSON document per line. Both files are ours.
 */
export interface RestoreItemOutcome {
  apiVersion: string;
  kind: string;
  /** Where it is restored to. */
  namespace?: string;
  name: string;
  /** Where it is in the backup, if elsewhere. */
  sourceNamespace?: string;
  /** Its name in the backup, if another. */
  sourceName?: string;
  act: RestoreItemAct;
  /** Why it is not simply created. */
  reason?: string;
  /** The action, rule or webhook that said so. */
  by?: string;
  /** Of a claim whose data comes back: how much there is, where that is known. */
  volumeBytes?: number;
  /** How long that is expected to take, where there is something to go by. */
  volumeSeconds?: number;
  /** How it comes back, where `volumeBytes` is known. */
  volumeWay?: RestoreVolumeWay;
  /** Of a pod: its volumes that have no claim and come back through the file system. */
  podVolumes?: { volume: string; bytes: number; seconds?: number }[];
}

export const restoreVolumeWays = ['DataDownload', 'PodVolumeRestore', 'CSISnapshot'] as const;
export type RestoreVolumeWay = (typeof restoreVolumeWays)[number];

/** What a restore waits for before it does something, as the plan tells: a line each, after those of the objects. */
export interface RestorePlanEdge {
  /** `secrets shop/db`, or a step that is no object: `pods in shop are done`. */
  earlier: string;
  later: string;
  /** `needs`, `kind`, `owner`. */
  why: string;
}

/** A line of the plan. */
export type RestorePlanLine = RestoreItemOutcome | RestorePlanEdge;

export const isPlanEdge = (line: RestorePlanLine): line is RestorePlanEdge => 'later' in line;

const isOutcome = (value: Record<string, unknown>): boolean =>
  hasTexts(value, ['apiVersion', 'kind', 'name']) && restoreItemActs.some((act) => act === value.act);

const outcomeLines: DocumentLines = {
  what: 'the item outcomes',
  isOne: isOutcome,
};

const planLines: DocumentLines = {
  what: 'the lines of the plan',
  isOne: (value) => isOutcome(value) || hasTexts(value, ['earlier', 'later', 'why']),
};

/** What a restore did, one object after the other. @throws BACKUP_FILE_BROKEN */
export const restoreOutcomesIn = (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<RestoreItemOutcome> =>
  documentsIn(outcomeLines, pieces);

/** What a restore would do. @throws BACKUP_FILE_BROKEN */
export const restorePlanIn = (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<RestorePlanLine> =>
  documentsIn(planLines, pieces);
