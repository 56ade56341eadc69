import {
  type CoreEvent,
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataPathReasons,
  dataUploadType,
  labels,
  type Pod,
  podType,
} from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

/** How the data mover in a hosting pod behaves. `hang` starts, reports progress and goes on until told otherwise. */
export type MoverScript =
  | 'complete'
  | 'completeWithoutEvents'
  | 'completeWithoutMessage'
  | 'fail'
  | 'killed'
  | 'failBeforeStart'
  | 'hang'
  | 'ignoreCancel';

export const movedBytes = { totalBytes: 1_000, incrementalBytes: 250 };
export const movedSnapshotId = '0123456789abcdef0123456789abcdef';

/** The data mover of every hosting pod: waits for InProgress, reports by Events, ends with a termination message. */
export class MoverActor {
  readonly #cluster: FakeCluster;
  script: MoverScript = 'complete';
  readonly #started = new Set<string>();

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  react(): boolean {
    return this.#cluster
      .all(podType)
      .filter((pod) => pod.status?.phase === 'Running' && pod.metadata.labels?.[labels.exposerPodGroup] !== undefined)
      .map((pod) => this.#act(pod))
      .includes(true);
  }

  #act(pod: Pod): boolean {
    const movement = this.#movementOf(pod);
    if (movement === undefined) return false;
    const phase = movement.status?.phase;
    if (this.script === 'failBeforeStart') return this.#end(pod, 'Failed', 'volume /uid is not mounted');
    if (phase !== 'InProgress' && phase !== 'Canceling') return false;
    const uid = pod.metadata.uid ?? '';
    if (!this.#started.has(uid)) {
      this.#started.add(uid);
      this.#tell(movement, dataPathReasons.started, `Data path for ${movement.metadata.name} started`);
      this.#progress(movement, movedBytes.totalBytes / 2);
      return true;
    }
    if (movement.spec?.cancel === true && this.script !== 'ignoreCancel') return this.#cancel(pod, movement);
    return this.#finish(pod, movement);
  }

  /** Reports progress on everything that runs. */
  report(doneBytes: number): void {
    for (const pod of this.#cluster.all(podType)) {
      const movement = this.#movementOf(pod);
      if (movement !== undefined) this.#progress(movement, doneBytes);
    }
  }

  #finish(pod: Pod, movement: DataUpload | DataDownload): boolean {
    const result = JSON.stringify(resultOf(movement));
    switch (this.script) {
      case 'hang':
      case 'ignoreCancel':
        return false;
      case 'complete':
        this.#tell(movement, dataPathReasons.completed, result);
        this.#tell(movement, dataPathReasons.stopped, `Data path for ${movement.metadata.name} stopped`);
        return this.#end(pod, 'Succeeded', result);
      case 'completeWithoutEvents':
        return this.#end(pod, 'Succeeded', result);
      case 'completeWithoutMessage':
        this.#end(pod, 'Succeeded');
        this.#tell(movement, dataPathReasons.completed, result);
        return true;
      case 'fail':
        this.#tell(movement, dataPathReasons.failed, 'Data path failed, error no such bucket');
        return this.#end(pod, 'Failed', `Failed to run data path service for ${movement.kind}: no such bucket`);
      case 'killed':
        this.#cluster.setPodPhase(keyOf(pod), 'Failed', { exitCode: 137, containerReason: 'OOMKilled' });
        return true;
      case 'failBeforeStart':
        return false;
      default:
        return this.script satisfies never;
    }
  }

  #cancel(pod: Pod, movement: DataUpload | DataDownload): boolean {
    this.#tell(movement, dataPathReasons.canceled, `Data path for ${movement.metadata.name} canceled`);
    return this.#end(pod, 'Failed', `Failed to run data path service for ${movement.kind}: data path is canceled`);
  }

  #end(pod: Pod, phase: 'Succeeded' | 'Failed', terminationMessage?: string): boolean {
    this.#cluster.setPodPhase(keyOf(pod), phase, terminationMessage === undefined ? {} : { terminationMessage });
    return true;
  }

  #progress(movement: DataUpload | DataDownload, doneBytes: number): void {
    this.#tell(movement, dataPathReasons.progress, JSON.stringify({ totalBytes: movedBytes.totalBytes, doneBytes }));
  }

  /** One Event object per reason, patched, as the reference's recorder does it. */
  #tell(movement: DataUpload | DataDownload, reason: string, message: string): void {
    const { namespace = '', name = '', uid = '' } = movement.metadata;
    const event: CoreEvent = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: `${name}.${reason.toLowerCase()}` },
      involvedObject: { apiVersion: movement.apiVersion, kind: movement.kind, namespace, name, uid },
      reason,
      message,
      type: 'Normal',
    };
    this.#cluster.put(event);
  }

  #movementOf(pod: Pod): DataUpload | DataDownload | undefined {
    const owner = pod.metadata.ownerReferences?.[0];
    const key = { namespace: pod.metadata.namespace, name: owner?.name ?? '' };
    const movement =
      owner?.kind === 'DataUpload'
        ? this.#cluster.find(dataUploadType, key)
        : this.#cluster.find(dataDownloadType, key);
    return movement?.metadata.uid === owner?.uid ? movement : undefined;
  }
}

function resultOf(movement: DataUpload | DataDownload): object {
  const place = { byPath: `/${movement.metadata.uid}`, volumeMode: 'Filesystem' };
  return movement.kind === 'DataUpload'
    ? { snapshotID: movedSnapshotId, emptySnapshot: false, source: place, ...movedBytes }
    : { target: place, totalBytes: movedBytes.totalBytes };
}
