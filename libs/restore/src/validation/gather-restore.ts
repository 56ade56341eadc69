import {
  type Backup,
  type BackupStorageLocation,
  backupStorageLocationType,
  backupType,
  getValidName,
  labels,
  type Restore,
} from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { policyConfigMapOf, type ResourcePolicies, validateRestoreFilters } from '@lateen/item-filters';
import { listAll } from '@lateen/kube';
import { type ResourceModifiers, resourceModifiersFor } from '@lateen/resource-modifiers';
import { readPolicies } from '@lateen/run';
import type { RestorePatch } from '../api/write-restore.ts';
import { readVersionPriorities } from '../item/read-version-priorities.ts';
import type { OwnerRules } from '../owners/owner-rules.ts';
import { ownerRulesFor } from '../owners/owner-rules-for.ts';
import type { RestorePorts } from '../restore-ports.ts';
import { annotationErrors } from './annotation-errors.ts';
import { chooseBackup, wrongWithPhase } from './choose-backup.ts';
import { completeRestore } from './complete-restore.ts';
import { specErrors } from './spec-errors.ts';

/** The inputs for running a valid restore, in addition to the Restore itself. */
export interface RestorePlan {
  backup: Backup;
  location: BackupStorageLocation;
  policies: ResourcePolicies | undefined;
  modifiers: ResourceModifiers | undefined;
  owners: OwnerRules | undefined;
  /** The versions in which the user wants resources restored, the most wanted first. */
  versions: ReadonlyMap<string, readonly string[]>;
  /** Problems that do not stop the restore; for its log. */
  warnings: readonly string[];
}

/** The result of checking a restore before it starts. */
export type Gathered =
  /** Texts for status.validationErrors. `unavailable`: the only problem is that this location is Unavailable, which may be temporary. */
  { patch: RestorePatch; errors: string[]; unavailable?: string } | { patch: RestorePatch; plan: RestorePlan };

type GatherPorts = Pick<RestorePorts, 'kube' | 'namespace' | 'settings' | 'log'>;

/** Reads the restore's dependencies, completes and checks it (backup-and-restore.md section 11). @throws KUBE_… for temporary failures */
export async function gatherRestore(ports: GatherPorts, restore: Restore, signal: AbortSignal): Promise<Gathered> {
  const { settings, kube, namespace } = ports;
  const { spec } = restore;
  const modifierSources = { kube, namespace, defaultConfigMap: settings.defaultResourceModifier };
  const [source, policies, modifiers, owners, versions] = await Promise.all([
    readSource(ports, restore, signal),
    readPolicies(ports, policyConfigMapOf(spec), signal),
    resourceModifiersFor(spec, modifierSources, signal),
    ownerRulesFor(spec, { kube, namespace, defaultConfigMap: settings.ownerRefConfigMap }, signal),
    readVersionPriorities(ports, signal),
  ]);
  const errors = [
    ...validateRestoreFilters(spec, 'policies' in policies ? policies.policies : undefined),
    ...specErrors(spec),
    ...annotationErrors(restore),
    ...('error' in source ? [source.error] : []),
    ...('error' in policies ? [policies.error] : []),
    ...modifiers.problems,
    ...owners.problems,
  ];
  const backup = 'backup' in source ? source.backup : undefined;
  const facts = { settings, backupName: source.name, backup, ownerRefConfigMap: owners.configMap };
  const patch: RestorePatch = { spec: completeRestore(spec, facts) };
  if (errors.length > 0 || 'error' in source || 'error' in policies) {
    const unavailable = errors.length === 1 && 'error' in source ? source.unavailable : undefined;
    return { patch, errors, ...(unavailable === undefined ? {} : { unavailable }) };
  }
  return {
    patch,
    plan: {
      backup: source.backup,
      location: source.location,
      policies: policies.policies,
      modifiers: modifiers.modifiers,
      owners: owners.rules,
      versions: versions.priorities,
      warnings: [...modifiers.warnings, ...owners.warnings, ...versions.warnings],
    },
  };
}

type Source =
  | { name: string | undefined; error: string; backup?: Backup; unavailable?: string }
  | { name: string; backup: Backup; location: BackupStorageLocation };

async function readSource(ports: GatherPorts, restore: Restore, signal: AbortSignal): Promise<Source> {
  const { kube, namespace } = ports;
  const { spec } = restore;
  // A restore that was completed before and is continued names both backup and schedule.
  const asked = isCompleted(restore) ? { backupName: spec.backupName ?? '' } : spec;
  const chosen = chooseBackup(asked, await backupsOfSchedule(ports, spec.scheduleName, signal));
  if ('error' in chosen) return { name: undefined, error: chosen.error };
  const { name } = chosen;
  const wrong = (what: string, error: unknown) => {
    signal.throwIfAborted();
    return { name, error: `Error retrieving backup: can't find ${what}: ${describeError(error)}` };
  };
  let backup: Backup;
  try {
    backup = await kube.get(backupType, { namespace, name }, { signal });
  } catch (error) {
    return wrong(`backup ${namespace}/${name}`, error);
  }
  const phase = wrongWithPhase(backup);
  if (phase !== undefined) return { name, error: phase, backup };
  const place = backup.spec.storageLocation ?? '';
  try {
    const location = await kube.get(backupStorageLocationType, { namespace, name: place }, { signal });
    if (location.status?.phase === 'Unavailable') {
      const error = `The BSL ${place} is unavailable, cannot retrieve the backup`;
      return { name, error, backup, unavailable: place };
    }
    return { name, backup, location };
  } catch (error) {
    return { ...wrong(`backup storage location ${namespace}/${place}`, error), backup };
  }
}

const isCompleted = ({ status }: Restore): boolean => Boolean(status?.startTimestamp);

async function backupsOfSchedule(
  { kube, namespace, log }: GatherPorts,
  scheduleName: string | undefined,
  signal: AbortSignal,
): Promise<readonly Backup[] | undefined> {
  if (!scheduleName) return [];
  const labelSelector = `${labels.scheduleName}=${getValidName(scheduleName)}`;
  try {
    return (await listAll(kube, backupType, { namespace, labelSelector, signal })).items;
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ schedule: scheduleName, err: error }, 'the backups of a schedule cannot be listed');
    return undefined;
  }
}
