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

/** The steps of a take-over. */
export interface TakeOverPlan {
  /** Workloads that are deleted because ours replace them. */
  replace: (Deployment | DaemonSet)[];
  /** Workloads that are deleted without a replacement. */
  remove: DaemonSet[];
  /** Bindings that are deleted, or that lose our accounts when other accounts are bound too. */
  bindings: WideBinding[];
  /** Work that a running pod brings to its end: the take-over waits for it. */
  waitFor: UnfinishedWork[];
  /** Work that no pod brings to its end, or that shall not be waited for: the take-over ends it. */
  end: UnfinishedWork[];
  /** Like `end`, but for work that the take-over must not end. */
  leave: UnfinishedWork[];
  /** What stays as it is: `3 Schedules` with names. */
  keep: [kind: string, names: readonly string[]][];
  carried: CarriedSettings;
  warnings: string[];
}

/** Whether nothing of Velero is installed, none of its work is unfinished, and no right is too wide. */
export const isNothing = ({ server, agents, bindings, unfinished }: ReferenceInstallation): boolean =>
  server === undefined && agents.length + bindings.length === 0 && unfinished.every(({ ending }) => ending === 'leave');

export interface TakeOverChoices {
  /** Cancel unfinished work instead of waiting for it. */
  force: boolean;
  /** Whether data movers of pod volumes mount host paths; the namespace then keeps the level "privileged". */
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

/** Whether a pod runs that brings such work to its end. */
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
          `the repository password is the public default of Velero, so stored data is effectively not encrypted: change it with lateen repo change-password -n ${namespaceName}.`,
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
