import {
  backupStorageLocationType,
  type DaemonSet,
  type Deployment,
  nodeAgentName,
  volumeSnapshotLocationType,
} from '@lateen/api-types';
import { providerNames } from '../../backup-location/provider-names.ts';
import { type CarriedSettings, carriedSettings } from './carried-settings.ts';
import type { ReferenceInstallation } from './reference-installation.ts';
import type { UnfinishedWork, Worker } from './unfinished-work.ts';
import type { WideBinding } from './wide-bindings.ts';

/** What a take-over does. */
export interface TakeOverPlan {
  /** Deleted because ours comes in its place. */
  replace: (Deployment | DaemonSet)[];
  /** Deleted, and nothing comes. */
  remove: DaemonSet[];
  /** Deleted, or without our accounts where others are bound too. */
  bindings: WideBinding[];
  /** Somebody is at work on it. */
  waitFor: UnfinishedWork[];
  /** Nobody brings it to its end, or nobody shall wait. */
  end: UnfinishedWork[];
  /** Like `end`, for what is not ours to end. */
  leave: UnfinishedWork[];
  /** `3 Schedules` with names: what stays as it is. */
  keep: [kind: string, names: readonly string[]][];
  carried: CarriedSettings;
  warnings: string[];
}

/** Nothing of Velero is there, nothing that it has begun is left open, and every right is narrow. */
export const isNothing = ({ server, agents, bindings, unfinished }: ReferenceInstallation): boolean =>
  server === undefined && agents.length + bindings.length === 0 && unfinished.every(({ ending }) => ending === 'leave');

export interface TakeOverChoices {
  /** Nobody waits longer than for what is canceled. */
  force: boolean;
  /** Whether data movers of pod volumes mount paths of the host, for which the namespace stays under level "privileged". */
  hostPaths: boolean;
}

/** Pure. */
export function planTakeOver(found: ReferenceInstallation, { force, hostPaths }: TakeOverChoices): TakeOverPlan {
  const { server, agents, unfinished, bindings, kept, locations } = found;
  const isReplaced = ({ metadata }: DaemonSet): boolean => metadata.name === nodeAgentName;
  const waitFor = force ? [] : unfinished.filter(({ worker }) => isAtWork(worker, found));
  const others = unfinished.filter((work) => !waitFor.includes(work));
  const carried = carriedSettings(found);
  return {
    replace: [...(server === undefined ? [] : [server]), ...agents.filter(isReplaced)],
    remove: agents.filter((agent) => !isReplaced(agent)),
    bindings,
    waitFor,
    end: others.filter(({ ending }) => ending !== 'leave'),
    leave: others.filter(({ ending }) => ending === 'leave'),
    keep: [
      [backupStorageLocationType.kind, [...locations.keys()]],
      ...[...kept].map(([kind, names]): [string, readonly string[]] => [kind, names]),
    ].filter((entry): entry is [string, readonly string[]] => (entry[1]?.length ?? 0) > 0),
    carried,
    warnings: [...warningsOf(found, hostPaths), ...carried.remarks],
  };
}

/** Whether there is a pod that brings such work to its end. */
export function isAtWork(
  worker: Worker,
  { server, agents }: Pick<ReferenceInstallation, 'server' | 'agents'>,
): boolean {
  switch (worker) {
    case 'server':
      return (server?.status?.readyReplicas ?? 0) > 0;
    case 'agents':
      return agents.some(({ status }) => ((status as { numberReady?: number } | undefined)?.numberReady ?? 0) > 0);
    case 'job':
      return true;
    default:
      return worker satisfies never;
  }
}

function warningsOf(
  { namespaceName, namespace, hasDefaultPassword, kept, locations }: ReferenceInstallation,
  hostPaths: boolean,
): string[] {
  const level = namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'];
  const foreign = [...locations].filter(([, provider]) => !isBuiltIn(provider));
  return [
    ...(kept.get(volumeSnapshotLocationType.kind)?.length
      ? ['VolumeSnapshotLocations are kept; they are used when a plugin offers their provider: see lateen plugin add.']
      : []),
    ...(hasDefaultPassword
      ? [
          `the repository password is the one that Velero gives everybody. What is stored is as good as not encrypted: change it with lateen repo change-password -n ${namespaceName}.`,
        ]
      : []),
    ...foreign.map(
      ([name, provider]) =>
        `BackupStorageLocation ${name} is of provider ${provider}, which is not built in: it will not become Available.`,
    ),
    ...(hostPaths || level === undefined || level === 'baseline'
      ? []
      : [`pods of namespace ${namespaceName} are held to pod security level baseline, which was ${level}.`]),
  ];
}

/** `aws`, also as `velero.io/aws`. */
const isBuiltIn = (provider: string): boolean =>
  providerNames.some((name) => name === provider || `velero.io/${name}` === provider);

const namesMax = 5;

/** The first names, and how many more there are. */
export function inShort(names: readonly string[]): string {
  const more = names.length - namesMax;
  return more > 0 ? `${names.slice(0, namesMax).join(', ')} and ${more} more` : names.join(', ');
}
