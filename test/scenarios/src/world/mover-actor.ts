import { dataPathReasons, labels, type Pod, podType } from '@lateen/api-types';
import type { Movement } from '@lateen/data-movement';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { type FakeCluster, seededRandom } from '@lateen/testing';
import { movementTypes } from './movement-types.ts';
import { type MoverEnd, runMoverProcess } from './mover-process.ts';
import { ScriptedEngine } from './scripted-engine.ts';

/** How the data mover in a hosting pod behaves. `hang` starts, reports progress and continues until the script changes. */
export type MoverScript =
  | 'complete'
  | 'completeWithWarning'
  | 'completeByChanges'
  | 'completeWithoutEvents'
  | 'completeWithoutMessage'
  /** Reports its result and does not exit: the test decides how its pod ends. */
  | 'completeAndStay'
  | 'fail'
  | 'killed'
  | 'failBeforeStart'
  | 'hang'
  | 'ignoreCancel';

/** A running mover. */
interface Process {
  engine: ScriptedEngine;
  dead: AbortController;
}

/** The data movers of all hosting pods: the product's, with an engine whose script may change while it runs. */
export class MoverActor {
  readonly #cluster: FakeCluster;
  readonly #clock: Clock;
  readonly #processes = new Map<string, Process>();
  #script: MoverScript = 'complete';

  constructor(cluster: FakeCluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
    cluster.onChange(({ type, object }) => {
      if (object.kind !== 'Pod') return;
      const ended = ['Succeeded', 'Failed'].includes((object as unknown as Pod).status?.phase ?? '');
      if (type === 'DELETED' || ended) this.#end(object.metadata.uid ?? '');
    });
  }

  get script(): MoverScript {
    return this.#script;
  }

  set script(script: MoverScript) {
    this.#script = script;
    for (const { engine } of this.#processes.values()) engine.follow(script);
  }

  /** Starts the movers of pods that are now running. */
  react(): boolean {
    return this.#cluster
      .look(podType)
      .filter((pod) => pod.status?.phase === 'Running' && pod.metadata.labels?.[labels.exposerPodGroup] !== undefined)
      .map((pod) => this.#start(pod))
      .includes(true);
  }

  /** Reports progress of everything that runs. */
  report(doneBytes: number): void {
    for (const { engine } of this.#processes.values()) engine.report(doneBytes);
  }

  /** None of the movers' calls is carried out any more. */
  endAll(): void {
    for (const podUid of [...this.#processes.keys()]) this.#end(podUid);
  }

  #start(pod: Pod): boolean {
    const { uid = '' } = pod.metadata;
    const movement = this.#movementOf(pod);
    if (movement === undefined || this.#processes.has(uid)) return false;
    if (this.#script === 'failBeforeStart') {
      this.#cluster.setPodPhase(keyOf(pod), 'Failed', { terminationMessage: failedBeforeStart(movement) });
      return true;
    }
    const dead = new AbortController();
    const engine = new ScriptedEngine(this.#script, () => this.#kill(pod));
    this.#processes.set(uid, { engine, dead });
    void this.#run(pod, movement, engine, dead.signal);
    return true;
  }

  async #run(pod: Pod, movement: Movement, engine: ScriptedEngine, dead: AbortSignal): Promise<void> {
    const process = {
      pod,
      movement,
      volumeMode: 'Filesystem' as const,
      kube: this.#cluster,
      clock: this.#clock,
      random: seededRandom(11),
      engine,
      tells: (reason: string) => this.#script !== 'completeWithoutEvents' || reason !== dataPathReasons.completed,
    };
    const end = await runMoverProcess(process, dead);
    if (!dead.aborted && this.#script !== 'completeAndStay') this.#tellEnd(pod, end);
  }

  #tellEnd(pod: Pod, { exitCode, terminationMessage }: MoverEnd): void {
    const said = this.#script === 'completeWithoutMessage' ? {} : { terminationMessage };
    this.#cluster.setPodPhase(keyOf(pod), exitCode === 0 ? 'Succeeded' : 'Failed', said);
  }

  #kill(pod: Pod): void {
    this.#cluster.setPodPhase(keyOf(pod), 'Failed', { exitCode: 137, containerReason: 'OOMKilled' });
  }

  #end(podUid: string): void {
    this.#processes.get(podUid)?.dead.abort(new AppError('KILLED', 'the pod has ended'));
    this.#processes.delete(podUid);
  }

  #movementOf(pod: Pod): Movement | undefined {
    const owner = pod.metadata.ownerReferences?.[0];
    const key = { namespace: pod.metadata.namespace, name: owner?.name ?? '' };
    const type = movementTypes.find(({ kind }) => kind === owner?.kind);
    const movement = type === undefined ? undefined : this.#cluster.find(type, key);
    return movement?.metadata.uid === owner?.uid ? movement : undefined;
  }
}

const failedBeforeStart = ({ kind, metadata }: Movement): string =>
  `Failed to run data path service for ${kind} ${metadata.name}: volume /uid is not mounted`;
