import { diagnoseExposure } from './diagnose/diagnose-exposure.ts';
import { Refusals } from './diagnose/refusals.ts';
import type { ExposeOptions, ExposerPorts } from './exposer-ports.ts';
import type { ExposeOwner } from './owner.ts';
import { backupVolumePlan } from './settings/backup-volume-plan.ts';
import { cleanUpSnapshot } from './snapshot/clean-up-snapshot.ts';
import { exposeSnapshot } from './snapshot/expose-snapshot.ts';
import type { SnapshotExposeParam } from './snapshot/snapshot-expose-param.ts';

/** Makes volumes reachable for hosting pods. All calls may be repeated, also by another process. */
export interface Exposer<P> {
  /** Creates the hosting pod and what it needs. Resolves when all of it is created; a watch shows when the pod runs. */
  expose(owner: ExposeOwner, param: P, options: ExposeOptions): Promise<void>;
  /**
   * Why the hosting pod does not run yet, and the next step; undefined when nothing is found. Cheap enough to be called
   * repeatedly: at most 10 reads, no side effects.
   */
  diagnose(owner: ExposeOwner, param: P, options: ExposeOptions): Promise<string | undefined>;
  /** Deletes everything that was made for the owner; resolves when the API has accepted the deletes. */
  cleanUp(owner: ExposeOwner, param: P, options: ExposeOptions): Promise<void>;
}

/** For DataUploads: a CSI snapshot becomes a volume (data-movement.md section 4). */
export function csiSnapshotExposer(ports: ExposerPorts): Exposer<SnapshotExposeParam> {
  const sourceOf = (param: SnapshotExposeParam) => ({ namespace: param.sourceNamespace, name: param.volumeSnapshot });
  const refusals = new Refusals();
  return {
    expose: (owner, param, options) => refusals.during(owner, () => exposeSnapshot(ports, owner, param, options)),
    diagnose: (owner, param, options) =>
      diagnoseExposure(ports.kube, owner, { ...options, snapshot: sourceOf(param), refused: refusals.of(owner) }),
    cleanUp: (owner, param, options) => {
      refusals.forget(owner);
      const { copied } = backupVolumePlan(ports.settings?.backupPVC, param.storageClass);
      const claim = { namespace: param.sourceNamespace, name: param.sourceClaim };
      const base = param.keep && { claim, upload: param.keep };
      return cleanUpSnapshot(ports, owner, sourceOf(param), { ...options, copied, base });
    },
  };
}
