import { annotations, labels, type VolumeSnapshot } from '@lateen/api-types';
import type { BaseSnapshot } from '../decide/decide-read.ts';

/** A VolumeSnapshot that stays in the cluster for the next upload of its claim (docs/adr/0081). */
export interface KeptBase extends BaseSnapshot {
  /** The VolumeSnapshot. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly claim: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly isReady: boolean;
  readonly createdMs: number;
}

/** What is noted of a base, for as long as it is one. */
export type NotedBase = Pick<
  KeptBase,
  'claim' | 'driver' | 'volumeHandle' | 'snapshotHandle' | 'snapshotID' | 'backupStorageLocation'
>;

/** Labels and annotations that make a VolumeSnapshot a base. */
export function baseNotes({ claim, ...noted }: NotedBase): {
  labels: Record<string, string>;
  annotations: Record<string, string>;
} {
  return {
    labels: { [labels.baseOf]: claim.uid },
    annotations: { [annotations.baseSnapshot]: JSON.stringify({ ...noted, claim }) },
  };
}

/** The base that a VolumeSnapshot is; undefined for one that is none, or whose notes are not whole: then it is not believed. */
export function readBase({ metadata, status }: VolumeSnapshot): KeptBase | undefined {
  const claimUid = metadata.labels?.[labels.baseOf];
  const noted = parsed(metadata.annotations?.[annotations.baseSnapshot]);
  const { namespace, name, uid, creationTimestamp } = metadata;
  if (claimUid === undefined || noted === undefined || noted.claim.uid !== claimUid) return undefined;
  if (namespace === undefined || name === undefined || uid === undefined) return undefined;
  const createdMs = Date.parse(creationTimestamp ?? '');
  if (Number.isNaN(createdMs)) return undefined;
  return { ...noted, namespace, name, uid, createdMs, isReady: status?.readyToUse === true };
}

const texts = ['driver', 'volumeHandle', 'snapshotHandle', 'snapshotID', 'backupStorageLocation'] as const;

function parsed(text: string | undefined): NotedBase | undefined {
  if (text === undefined) return undefined;
  let value: (Partial<Record<string, unknown>> & { claim?: Partial<Record<string, unknown>> }) | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { claim } = value ?? {};
  const all = [...texts.map((name) => value?.[name]), claim?.namespace, claim?.name, claim?.uid];
  return all.every((part) => typeof part === 'string' && part !== '') ? (value as unknown as NotedBase) : undefined;
}
