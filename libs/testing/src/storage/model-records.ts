import { apiTime } from '@lateen/kube';
import {
  type Engine,
  engineType,
  generationOf,
  type Replica,
  replicaType,
  storageAnnotations,
} from '@lateen/storage-types';
import type { FakeCluster } from '../cluster/fake-cluster.ts';

export interface ModelRun {
  readonly namespace: string;
  readonly engine: string;
  readonly engineUid: string;
  readonly generation: number;
}

/**
 * The records that instance managers write to the API server themselves (docs/adr/0050): claims of starts, failures, steps of rebuilds. Each
 * is atomic: it is written, or rejected because another start has begun, or the API server is unavailable.
 */
export class ModelRecords {
  readonly #cluster: FakeCluster;
  /** The API server is unavailable. */
  away = false;

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  engineOf({ namespace, engine, engineUid, generation }: ModelRun): Engine | undefined {
    const found = this.#cluster.find(engineType, { namespace, name: engine });
    return found?.metadata.uid === engineUid && generationOf(found) === generation ? found : undefined;
  }

  /** Succeeds once for each generation. */
  claim(run: ModelRun): boolean {
    const engine = this.engineOf(run);
    const claimed = String(run.generation);
    if (this.away || engine === undefined) return false;
    if (engine.metadata.annotations?.[storageAnnotations.claimed] === claimed) return false;
    this.#change(run, (object) => {
      const annotations = { ...object.metadata.annotations, [storageAnnotations.claimed]: claimed };
      return { ...object, metadata: { ...object.metadata, annotations } };
    });
    return true;
  }

  /** `over`: another start has begun. */
  failure(run: ModelRun, replica: string, cause: string): 'recorded' | 'over' | 'away' {
    if (this.away) return 'away';
    if (this.engineOf(run) === undefined) return 'over';
    this.#mode(run, replica, 'ERR');
    const key = { namespace: run.namespace, name: replica };
    if (this.#cluster.find(replicaType, key) !== undefined)
      this.#cluster.change<Replica>(replicaType, key, (object) => {
        const at = apiTime(this.#cluster.clock.now());
        object.spec.failedAt ||= at;
        object.spec.lastFailedAt = at;
        object.metadata.annotations = { ...object.metadata.annotations, [storageAnnotations.failureCause]: cause };
      });
    return 'recorded';
  }

  /** True when the mode is `to` afterwards. */
  rebuild(run: ModelRun, replica: string, from: 'WO' | undefined, to: 'WO' | 'RW'): boolean {
    const engine = this.engineOf(run);
    const mode = engine?.status?.replicaModeMap?.[replica];
    if (this.away || engine === undefined) return false;
    if (mode === to) return true;
    if (mode !== from) return false;
    this.#mode(run, replica, to);
    return true;
  }

  #mode(run: ModelRun, replica: string, mode: 'WO' | 'RW' | 'ERR'): void {
    this.#change(run, (object) => {
      const at = apiTime(this.#cluster.clock.now());
      const { replicaModeMap, replicaTransitionTimeMap, ...status } = object.status ?? {};
      return {
        ...object,
        status: {
          ...status,
          replicaModeMap: { ...replicaModeMap, [replica]: mode },
          replicaTransitionTimeMap: { ...replicaTransitionTimeMap, [replica]: at },
        },
      };
    });
  }

  #change({ namespace, engine }: ModelRun, change: (object: Engine) => Engine): void {
    this.#cluster.change<Engine>(engineType, { namespace, name: engine }, (object) => {
      Object.assign(object, change(object));
    });
  }
}
