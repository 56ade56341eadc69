import { diagnoseExposure } from './diagnose/diagnose-exposure.ts';
import { Refusals } from './diagnose/refusals.ts';
import type { ExposeOptions, ExposerPorts } from './exposer-ports.ts';
import type { ExposeOwner } from './owner.ts';
import { cleanUpRestore } from './restore/clean-up-restore.ts';
import { exposeRestore, type RestoreExposeParam, targetKeyOf } from './restore/expose-restore.ts';
import { volumesMarkedFor } from './restore/marked-volumes.ts';
import { type RebindOptions, rebindVolume, undoRebinding } from './restore/rebind-volume.ts';
import type { Exposer } from './snapshot-exposer.ts';

export interface RestoreExposer extends Exposer<RestoreExposeParam> {
  /** Hands the restored volume to the target claim. Safe to repeat after a crash at any point. */
  rebindVolume(owner: ExposeOwner, param: RestoreExposeParam, options: RebindOptions): Promise<void>;
  /**
   * Takes the volume back permanently, so that it may be deleted; false when the claim has it, or is about to. Safe to repeat.
   */
  undoRebinding(owner: ExposeOwner, param: RestoreExposeParam, options: ExposeOptions): Promise<boolean>;
  /** True from the beginning of a rebinding until the clean-up: the data is complete, although the pod may be gone. */
  isRebinding(owner: ExposeOwner, options: ExposeOptions): Promise<boolean>;
}

/**
 * For DataDownloads: fills a new volume and hands it to the target claim (data-movement.md section 5), or fills the volume that
 * the claim has.
 */
export function genericRestoreExposer(ports: ExposerPorts): RestoreExposer {
  const refusals = new Refusals();
  return {
    expose: (owner, param, options) => refusals.during(owner, () => exposeRestore(ports, owner, param, options)),
    diagnose: (owner, param, options) =>
      diagnoseExposure(ports.kube, owner, { ...options, target: targetKeyOf(param), refused: refusals.of(owner) }),
    cleanUp: (owner, param, options) => {
      refusals.forget(owner);
      return cleanUpRestore(ports, owner, param, options);
    },
    rebindVolume: async (owner, param, options) => {
      // In-place restore: the claim has had the volume all the time.
      if (param.inPlace !== true) await rebindVolume(ports, owner, param, options);
    },
    undoRebinding: (owner, param, options) => undoRebinding(ports, owner, param, options),
    isRebinding: async (owner, { signal }) => (await volumesMarkedFor(ports.kube, owner, signal)).length > 0,
  };
}
