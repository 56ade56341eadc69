import {
  type DataDownload,
  type DataMovementPhase,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  type PodVolumeBackup,
  type PodVolumeRestore,
  podType,
  podVolumeBackupType,
  podVolumeRestoreType,
} from '@lateen/api-types';
import {
  hasJustEnded,
  type MovementLimits,
  type MovementReadings,
  movementLimits,
  runDataMovement,
} from '@lateen/data-movement';
import { AppError } from '@lateen/errors';
import { csiSnapshotExposer, type ExposureSettings, genericRestoreExposer, podVolumeExposer } from '@lateen/exposer';
import { type KubeObject, keyOf } from '@lateen/kube';
import {
  aPod,
  aVolumeSnapshot,
  aVolumeSnapshotContent,
  FakeClock,
  type FakeCluster,
  fakeCluster,
  type RecordingLog,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { KubeletActor } from './kubelet-actor.ts';
import { logKeeper } from './log-keeper.ts';
import { type Death, type Mortality, mortalKube } from './mortal-kube.ts';
import { movementTypes } from './movement-types.ts';
import { MoverActor } from './mover-actor.ts';
import { StorageActor } from './storage-actor.ts';

interface Agent {
  life: Mortality;
  stop: AbortController;
  ended: Promise<void>;
}

export interface WorldOptions {
  objects: readonly KubeObject[];
  /** Snapshots and volumes that are on the storage from the start. */
  snapshots?: readonly string[];
  volumes?: readonly string[];
}

const actionsMax = 1_000;
const turnsToStopMax = 100;

/** A cluster in memory, simulations of all other components, and any number of node-agents. */
export class World {
  readonly clock = new FakeClock();
  readonly log: RecordingLog = recordingLog();
  readonly cluster: FakeCluster;
  readonly storage: StorageActor;
  readonly kubelet: KubeletActor;
  readonly mover: MoverActor;
  readonly logs: ReturnType<typeof logKeeper>;
  limits: MovementLimits = movementLimits;
  /** As the installation is configured. */
  podVolumes = true;
  settings: ExposureSettings = {};
  /** What the agents counted in their metrics. */
  readonly ended: string[] = [];
  /** Events that the agents sent for users. */
  readonly told: string[] = [];
  /** What the metrics of each node's agent read. */
  readonly readings = new Map<string, () => MovementReadings>();
  /** Phases in the order in which they were written, by kind and name. */
  readonly phases = new Map<string, DataMovementPhase[]>();
  readonly #agents = new Map<string, Agent>();

  constructor(options: WorldOptions) {
    this.cluster = fakeCluster({ clock: this.clock, objects: options.objects });
    this.storage = new StorageActor(this.cluster);
    this.kubelet = new KubeletActor(this.cluster);
    this.mover = new MoverActor(this.cluster, this.clock);
    this.logs = logKeeper(this.cluster, this.clock);
    for (const handle of options.snapshots ?? []) this.storage.snapshots.add(handle);
    for (const handle of options.volumes ?? []) this.storage.volumes.add(handle);
    this.cluster.intercept(async (call, next) => {
      const answer = await next();
      if (call.verb !== 'get' && call.verb !== 'list' && call.verb !== 'watch') {
        this.#note();
        this.react();
      }
      return answer;
    });
  }

  /** All other components do what there is to do. */
  react(): void {
    for (let actions = 0; actions < actionsMax; actions++) {
      if (![this.storage.react(), this.kubelet.react(), this.mover.react()].includes(true)) return;
    }
    throw new Error('the actors of the world do not come to rest');
  }

  /** With a death, the process is cut off at that call, and none of its later calls is carried out. */
  startAgent(node = 'node-1', death?: Death): void {
    this.cluster.put(agentPod(node));
    const stop = new AbortController();
    const life: Mortality = {
      dead: false,
      writes: 0,
      death,
      die: () => {
        life.dead = true;
        stop.abort(new AppError('KILLED', 'the test kills the agent'));
      },
    };
    const ports = {
      kube: mortalKube(this.cluster, life),
      clock: this.clock,
      random: seededRandom(7),
      log: this.log.child({ node }),
      settings: this.settings,
    };
    const ended = runDataMovement(
      {
        ...ports,
        namespace: 'velero',
        node,
        limits: this.limits,
        snapshotExposer: csiSnapshotExposer(ports),
        restoreExposer: genericRestoreExposer(ports),
        podVolumes: this.podVolumes ? { exposer: podVolumeExposer(ports), operationTimeout: '10m0s' } : undefined,
        logs: this.logs,
        tell: (subject, reason, message) => this.told.push(`${subject.kind}/${subject.name} ${reason}: ${message}`),
        observer: {
          changed: (change) => {
            if (hasJustEnded(change)) this.ended.push(`${node} ${change.words} ${change.present.phase}`);
          },
          readings: (read) => this.readings.set(node, read),
        },
      },
      stop.signal,
    );
    this.#agents.set(node, { life, stop, ended });
  }

  /** The kubelet of that node does not report: Kubernetes sets the agent's pod to unready, although it keeps running. */
  agentSeemsLost(node: string): void {
    this.cluster.put(agentPod(node, 'False'));
  }

  /** The process ends; whatever it is doing is interrupted. */
  async stopAgent(node = 'node-1'): Promise<void> {
    const agent = this.#agents.get(node);
    this.cluster.remove(podType, keyOf(agentPod(node)));
    agent?.stop.abort(new AppError('STOPPED', 'the test stops the agent'));
    let ended = false;
    agent?.ended.finally(() => (ended = true)).catch(() => {});
    // The last log may still be in transfer.
    for (let turns = 0; agent !== undefined && !ended && turns < turnsToStopMax; turns++) await this.clock.advance(50);
    await agent?.ended;
    this.#agents.delete(node);
  }

  /** True when it died as planned. */
  agentIsDead(node = 'node-1'): boolean {
    return this.#agents.get(node)?.life.dead ?? false;
  }

  async restartAgent(node = 'node-1'): Promise<void> {
    await this.stopAgent(node);
    this.startAgent(node);
  }

  async stop(): Promise<void> {
    for (const node of [...this.#agents.keys()]) await this.stopAgent(node);
    this.mover.endAll();
  }

  /** A second snapshot of the same claim, ready, with its content. */
  addSnapshot(name: string): void {
    const content = aVolumeSnapshotContent({
      name: `content-${name}`,
      finalizers: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'],
      spec: { volumeSnapshotRef: { namespace: 'app', name, uid: `uid-${name}` } },
      status: { snapshotHandle: `handle-${name}` },
    });
    this.storage.snapshots.add(`handle-${name}`);
    const finalizers = ['snapshot.storage.kubernetes.io/volumesnapshot-bound-protection'];
    this.cluster.put(content, aVolumeSnapshot({ name, uid: `uid-${name}`, content: `content-${name}`, finalizers }));
  }

  upload(name = 'upload'): DataUpload | undefined {
    return this.cluster.find(dataUploadType, { namespace: 'velero', name });
  }

  download(name = 'download'): DataDownload | undefined {
    return this.cluster.find(dataDownloadType, { namespace: 'velero', name });
  }

  podVolumeBackup(name = 'backup'): PodVolumeBackup | undefined {
    return this.cluster.find(podVolumeBackupType, { namespace: 'velero', name });
  }

  podVolumeRestore(name = 'restore'): PodVolumeRestore | undefined {
    return this.cluster.find(podVolumeRestoreType, { namespace: 'velero', name });
  }

  /** Advances the clock from timer to timer until the condition holds. */
  async until(condition: () => boolean, withinMs = 60_000): Promise<void> {
    this.#note();
    await this.clock.advanceUntil(condition, { withinMs });
  }

  /** Runs until nothing happens any more without advancing the clock. */
  async rest(): Promise<void> {
    this.react();
    await this.cluster.settle();
    this.react();
    await this.cluster.settle();
  }

  #note(): void {
    for (const object of movementTypes.flatMap((type) => this.cluster.all(type))) {
      const key = `${object.kind}/${object.metadata.name}`;
      const phase = object.status?.phase ?? 'New';
      const seen = this.phases.get(key) ?? [];
      if (seen.at(-1) !== phase) this.phases.set(key, [...seen, phase]);
    }
  }
}

/** The pod of the DaemonSet by which the agents know each other. */
function agentPod(node: string, ready: 'True' | 'False' = 'True') {
  return aPod({
    name: `node-agent-${node}`,
    labels: { name: 'node-agent', role: 'node-agent' },
    nodeName: node,
    phase: 'Running',
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });
}
