import { annotations } from '@lateen/api-types';
import type { CopiedNames } from './copied-names.ts';
import type { BackupPVC } from './exposure-settings.ts';

/** The form of the claim for a copy of a snapshot. */
export interface BackupVolumePlan {
  storageClass: string;
  readOnly: boolean;
  spcNoRelabeling: boolean;
  annotations: Readonly<Record<string, string>>;
  /** Secrets and ConfigMaps to copy from the namespace of the source. */
  copied: CopiedNames;
  /** A setting that was ignored, and why; for the log. */
  remark?: string;
}

/** `backupPVC` for volumes of one class (data-movement.md section 4, steps 4 and 6). */
export function backupVolumePlan(
  settings: Readonly<Record<string, BackupPVC>> | undefined,
  sourceClass: string,
): BackupVolumePlan {
  const entry = settings !== undefined && Object.hasOwn(settings, sourceClass) ? settings[sourceClass] : undefined;
  const readOnly = entry?.readOnly === true;
  const plan = {
    storageClass: entry?.storageClass || sourceClass,
    readOnly,
    spcNoRelabeling: readOnly && entry?.spcNoRelabeling === true,
    annotations: entry?.annotations ?? {},
    copied: copiedNames(entry),
  };
  if (readOnly || entry?.spcNoRelabeling !== true) return plan;
  return { ...plan, remark: `backupPVC "${sourceClass}": spcNoRelabeling has no effect without readOnly` };
}

/** The names to copy, from the settings of an installation. */
export function copiedNames({ secretNames = [], configMapNames = [] }: CopiedNames = {}): CopiedNames {
  return { secretNames, configMapNames };
}

/** True when the storage makes fast copies only on nodes that do not have the source attached. */
export function keepsOffSource(plan: BackupVolumePlan): boolean {
  return Object.hasOwn(plan.annotations, annotations.fastProvisioning);
}

/** The plan for when the nodes of the source cannot be found out: an ordinary copy, which can be made anywhere. */
export function withoutFastProvisioning(plan: BackupVolumePlan): BackupVolumePlan {
  const { [annotations.fastProvisioning]: _, ...others } = plan.annotations;
  return { ...plan, annotations: others };
}
