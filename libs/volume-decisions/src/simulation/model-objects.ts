import type { Engine, Replica, Volume } from '@lateen/storage-types';
import { aVolumeObject } from '../volume/example-volume.ts';
import { nameOf } from '../volume/replica-facts.ts';

export const sizeBytes = 10n * 1024n ** 3n;

/** The objects of one volume, each with a version. */
export class ModelObjects {
  nowMs = Date.UTC(2026, 2, 1);

  volume: Volume = { ...aVolumeObject({ size: String(sizeBytes), nodeID: '', frontend: 'blockdev' }) };

  engine: Engine | undefined;

  replicas = new Map<string, Replica>();

  changes = 0;

  protected ids = 0;

  protected generationSinceMs = 0;

  protected promiseSinceMs: number | undefined;

  protected readonly versions = new Map<string, number>();

  constructor() {
    this.volume.metadata = { ...this.volume.metadata, uid: 'uid-vol' };
  }

  takeover(): void {
    this.generationSinceMs = this.nowMs;
    if (this.promiseSinceMs !== undefined) this.promiseSinceMs = this.nowMs;
  }

  want(nodeID: string): void {
    this.volume = { ...this.volume, spec: { ...this.volume.spec, nodeID } };
    this.touch('volume');
  }

  evict(index: number, evictionRequested: boolean): void {
    const replica = [...this.replicas.values()][index];
    if (replica === undefined) return;
    this.replicas.set(nameOf(replica), { ...replica, spec: { ...replica.spec, evictionRequested } });
    this.touch(nameOf(replica));
  }

  setCount(numberOfReplicas: number): void {
    this.volume = { ...this.volume, spec: { ...this.volume.spec, numberOfReplicas } };
    this.touch('volume');
  }

  protected setMode(name: string, mode: 'RW' | 'ERR'): void {
    const engine = this.engine as Engine;
    const replicaModeMap = { ...engine.status?.replicaModeMap, [name]: mode };
    this.engine = { ...engine, status: { ...engine.status, replicaModeMap } };
    this.touch('engine');
  }

  protected annotateEngine(key: string, value: string): void {
    const engine = this.engine as Engine;
    const annotations = { ...engine.metadata.annotations, [key]: value };
    this.engine = { ...engine, metadata: { ...engine.metadata, annotations } };
    this.touch('engine');
  }

  protected touch(key: string): void {
    this.versions.set(key, (this.versions.get(key) ?? 0) + 1);
    this.changes++;
  }

  protected store(key: string, before: unknown, after: unknown, write: () => void): void {
    if (JSON.stringify(before ?? {}) === JSON.stringify(after)) return;
    write();
    this.touch(key);
  }
}
