import { attachment, detaching, engineTrouble, starting } from './findings/attachment.ts';
import { balance, locality, offlineRebuild } from './findings/balance.ts';
import { content } from './findings/content.ts';
import type { FindIn, Finding, Looked } from './findings/finding.ts';
import { eviction, growth, room, snapshots } from './findings/growth.ts';
import { deletion, management } from './findings/management.ts';
import { absence, killed, safety, unrecorded } from './findings/safety.ts';
import { scheduling } from './findings/scheduling.ts';
import { managerWaitsFor } from './manager-waits-for.ts';
import { replicaStanding } from './replica-standing.ts';
import type { VolumeSight } from './volume-sight.ts';
import { volumeSpace } from './volume-space.ts';

/** Causes come before their consequences. */
const order: readonly FindIn[] = [
  deletion,
  management,
  absence,
  unrecorded,
  safety,
  room,
  killed,
  content,
  scheduling,
  engineTrouble,
  starting,
  detaching,
  attachment,
  growth,
  eviction,
  balance,
  locality,
  offlineRebuild,
  snapshots,
];

/** A volume with all findings about its state. Pure: the same for the same state at the same time. */
export interface ExplainedVolume extends Looked {
  readonly findings: readonly Finding[];
  /** What the manager waits for, in its own words. */
  readonly waitsFor?: string | undefined;
}

export function explainVolume(sight: VolumeSight, nowMs: number): ExplainedVolume {
  const standings = sight.replicas.map((replica) => replicaStanding(sight, replica));
  const looked: Looked = { ...sight, standings, space: volumeSpace(sight), nowMs };
  return { ...looked, findings: order.flatMap((find) => find(looked)), waitsFor: managerWaitsFor(sight, nowMs) };
}
