import type { Backup, BackupSpec, KubeObject, Namespace } from '@lateen/api-types';
import { namespaceType } from '@lateen/api-types';
import { readArchive } from '@lateen/archive';
import {
  backUpItems,
  type EngineActions,
  type EngineLimits,
  type EngineStore,
  engineLimitsDefault,
  type ItemProgress,
  type ItemsOutcome,
  PodTurns,
} from '@lateen/backup';
import type { ItemOutcome } from '@lateen/backup-store';
import { backupFilters, type ResourcePolicies } from '@lateen/item-filters';
import type { DiscoveredType, Discovery, KubeApi } from '@lateen/kube';
import { matchResourceType } from '@lateen/kube';
import {
  FakeClock,
  type FakeCluster,
  fakeCluster,
  type RecordingLog,
  recordingLog,
  seededRandom,
} from '@lateen/testing';

export interface EngineWorldOptions {
  objects?: readonly KubeObject[];
  actions?: Partial<EngineActions>;
  limits?: Partial<EngineLimits>;
  policies?: ResourcePolicies;
  allVersions?: boolean;
  /** Result of discovery; default: what the cluster serves. */
  types?: readonly DiscoveredType[];
  store?: Partial<EngineStore>;
  /** Intercepts the calls between the engine and the cluster. */
  kube?: (cluster: FakeCluster) => KubeApi;
}

/** The results of one run. */
export interface EngineRun {
  outcome: ItemsOutcome;
  /** The archive: path to JSON text, in order. */
  files: Map<string, string>;
  /** The archive as stored. */
  archive: readonly Uint8Array[];
  resourceList: Record<string, string[]>;
  itemOutcomes: ItemOutcome[];
}

/** The collection engine alone: an API server in memory, a store that keeps what it receives, no controller. */
export function engineWorld(options: EngineWorldOptions = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: options.objects ?? [] });
  const log = recordingLog();
  const progress: ItemProgress[] = [];

  async function run(spec: BackupSpec = {}, signal = new AbortController().signal): Promise<EngineRun> {
    const types = options.types ?? (await cluster.resourceTypes());
    const namespaces: Namespace[] = cluster.all(namespaceType);
    const kept = keepingStore();
    const policies = options.policies === undefined ? {} : { policies: options.policies };
    const outcome = await backUpItems(
      {
        kube: options.kube?.(cluster) ?? cluster,
        clock,
        random: seededRandom(),
        log,
        veleroNamespace: 'velero',
        discovery: discoveryOf(types),
        exec: cluster.podExec,
        store: { ...kept.store, ...options.store },
        actions: { backup: [], block: [], ...options.actions },
        limits: { ...engineLimitsDefault, ...options.limits },
        podTurns: new PodTurns(),
        openHooks: { open: async () => {}, close: async () => {} },
        onProgress: (each) => progress.push(each),
      },
      {
        backup: runningBackup(spec),
        filters: backupFilters({ spec, types, namespaces, ...policies }),
        types,
        ...policies,
        ...(options.allVersions === undefined ? {} : { allVersions: options.allVersions }),
      },
      signal,
    );
    return { outcome, ...(await kept.read()) };
  }

  const lines = (level: 'warn' | 'error'): string[] => troubleLines(log, level);

  return { clock, cluster, log, progress, run, lines };
}

/** Log lines of a level as `resource namespace/name: message`. */
export const troubleLines = (log: RecordingLog, level: 'warn' | 'error'): string[] =>
  log.lines
    .filter((line) => line.level === level)
    .map(({ fields: { resource = '', namespace, name }, message }) => {
      const place = [namespace, name].filter((part) => part !== undefined).join('/');
      return `${[resource, place].filter((part) => part !== '').join(' ')}: ${message}`;
    });

export const runningBackup = (spec: BackupSpec): Backup & Required<Pick<Backup, 'status'>> => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name: 'nightly', namespace: 'velero', uid: 'backup-uid' },
  spec,
  status: { phase: 'InProgress' },
});

function discoveryOf(types: readonly DiscoveredType[]): Discovery {
  return {
    resourceTypes: async () => types,
    findResourceType: async (query) => {
      const found = matchResourceType(types, query);
      if (found === undefined) throw new Error(`no resource type ${JSON.stringify(query)}`);
      return found;
    },
  };
}

function keepingStore() {
  const archive: Uint8Array[] = [];
  const outcomes: string[] = [];
  let resourceList: Record<string, string[]> = {};
  const keep = async (into: Uint8Array[], pieces: AsyncIterable<Uint8Array>) => {
    for await (const piece of pieces) into.push(piece);
  };
  const store: EngineStore = {
    writeArchive: (_, pieces) => keep(archive, pieces),
    writeItemOutcomes: async (_, lines) => void outcomes.push(...lines),
    putResourceList: async (_, entries) => {
      const list: [string, string[]][] = [];
      for await (const [gvk, names] of entries) list.push([gvk, [...names]]);
      resourceList = Object.fromEntries(list);
    },
  };
  const read = async () => {
    const files = new Map<string, string>();
    const pieces = async function* () {
      yield* archive;
    };
    for await (const { path, body } of readArchive(pieces())) files.set(path, Buffer.from(body).toString('utf8'));
    const itemOutcomes = outcomes.map((line) => JSON.parse(line) as ItemOutcome);
    return { files, archive, resourceList, itemOutcomes };
  };
  return { store, read };
}
