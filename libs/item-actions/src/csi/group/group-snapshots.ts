import type { PersistentVolumeClaim } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyOf, keyText } from '@lateen/kube';
import { deleteSnapshot, type TakenSnapshot } from '@lateen/volume-snapshots';
import type { ActionContext } from '../../contract/action-context.ts';
import type { VolumeGroup } from '../../group-label.ts';
import type { CsiRun } from '../csi-run.ts';
import { takeGroupSnapshot } from './take-group-snapshot.ts';

/** The group snapshots of one backup: the first claim of a group starts the snapshot, the others wait for their part of it. */
export interface GroupSnapshots {
  /** @throws AppError GROUP_SNAPSHOT_…, SNAPSHOT_CLASS_…; the signal's reason */
  snapshotOf(claim: PersistentVolumeClaim, group: VolumeGroup, signal: AbortSignal): Promise<TakenSnapshot>;
  /** Deletes the snapshots of claims that were not backed up: a group is always snapshotted as a whole. */
  end(signal: AbortSignal): Promise<void>;
}

interface Taking {
  /** By claim. */
  members: Promise<Map<string, TakenSnapshot>>;
  came: Set<string>;
}

function groupSnapshots(context: ActionContext, run: CsiRun): GroupSnapshots {
  const { kube, log } = context;
  const takings = new Map<string, Taking>();
  return {
    snapshotOf: async (claim, group, signal) => {
      const key = `${group.namespace}/${group.value}`;
      const taking = takings.get(key) ?? {
        members: takeGroupSnapshot(group, claim, { context, run }, signal),
        came: new Set<string>(),
      };
      takings.set(key, taking);
      const name = claim.metadata.name ?? '';
      taking.came.add(name);
      const taken = (await taking.members).get(name);
      if (taken !== undefined) return taken;
      throw new AppError(
        'GROUP_SNAPSHOT_WITHOUT_CLAIM',
        `the snapshot of the volume group ${group.key}=${group.value} has nothing of PersistentVolumeClaim ${keyText(keyOf(claim))}`,
        { nextStep: 'The claim may have joined the group after the snapshot was taken: back it up again.' },
      );
    },
    end: async (signal) => {
      for (const { members, came } of takings.values()) {
        const taken = await members.catch(() => new Map<string, TakenSnapshot>());
        for (const [claim, { snapshot }] of taken) {
          if (came.has(claim)) continue;
          signal.throwIfAborted();
          await deleteSnapshot(kube, snapshot);
          log.info(
            { namespace: snapshot.metadata.namespace, claim },
            'deleted the snapshot of a claim of a volume group that is not in the backup',
          );
        }
      }
      takings.clear();
    },
  };
}

/** One GroupSnapshots per backup, for as long as the Backup object exists. */
export function groupSnapshotsOf(
  runOf: (context: ActionContext) => CsiRun,
): (context: ActionContext) => GroupSnapshots {
  const all = new WeakMap<ActionContext['backup'], GroupSnapshots>();
  return (context) => {
    const known = all.get(context.backup);
    if (known !== undefined) return known;
    const groups = groupSnapshots(context, runOf(context));
    all.set(context.backup, groups);
    return groups;
  };
}
