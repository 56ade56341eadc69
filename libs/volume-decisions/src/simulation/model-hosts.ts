import type { EngineState, Instance } from '@lateen/block-engine';
import { generationOf } from '@lateen/storage-types';
import type { HostFacts } from '../instance/host-facts.ts';
import { nameOf } from '../volume/replica-facts.ts';

import { ModelObjects, sizeBytes } from './model-objects.ts';

export interface Process {
  readonly generation: number;
  readonly node: string;
  readonly set: Set<string>;
  /** The replica that is read while the others are compared with it. */
  readPrimary: string | undefined;
  rebuilding: string | undefined;
  readonly failures: Set<string>;
  state: 'running' | 'stopped' | 'error';
  clean: boolean;
  frontend: boolean;
}

export interface Disk {
  promised: number;
  readonly written: Set<number>;
  /** The writes that survive the end of the process that serves it. */
  readonly flushed: Set<number>;
  /** The generation that it served when it was killed; cleared when it was compared or rebuilt. */
  killedIn: number | undefined;
  /** The running process that serves the replica; its generation is the promised one. */
  port: number;
}

/** Nodes that may be lost or cut off, with engines, and replicas that record their writes. */
export class ModelHosts extends ModelObjects {
  readonly nodes = new Map(['n1', 'n2', 'n3', 'n4'].map((name) => [name, 'up' as 'up' | 'cut' | 'dead']));

  readonly declared = new Set<string>();

  readonly processes: Process[] = [];

  readonly disks = new Map<string, Disk>();

  readonly acknowledged: number[] = [];

  /** A salvage has reported that writes may be lost. */
  mayLack = false;

  setNode(name: string, state: 'up' | 'cut' | 'dead'): void {
    if (!this.nodes.has(name)) return;
    this.nodes.set(name, state);
    if (state === 'up') this.declared.delete(name);
    if (state !== 'dead') return;
    for (const process of this.processes) if (process.node === name) this.end(process);
    for (const replica of this.replicas.values()) if (replica.spec.nodeID === name) this.killDisk(nameOf(replica));
  }

  removeNode(name: string): void {
    this.setNode(name, 'dead');
    this.nodes.delete(name);
    this.declared.delete(name);
  }

  declare(): void {
    for (const [name, state] of this.nodes) if (state !== 'up') this.declared.add(name);
  }

  killReplica(index: number): void {
    const name = [...this.replicas.keys()][index];
    if (name !== undefined) this.killDisk(name);
  }

  killEngine(): void {
    for (const process of this.processes) this.end(process);
  }

  lacks(name: string): number[] {
    return this.acknowledged.filter((id) => !this.disk(name).written.has(id));
  }

  attachedProcess(): Process | undefined {
    const generation = this.engine === undefined ? 0 : generationOf(this.engine);
    return this.processes.find((process) => process.generation === generation && process.state === 'running');
  }

  protected end(process: Process): void {
    if (process.state === 'running') process.state = 'error';
    process.frontend = false;
  }

  protected disk(name: string): Disk {
    const disk = this.disks.get(name) ?? {
      promised: 0,
      written: new Set(),
      flushed: new Set(),
      killedIn: undefined,
      port: 0,
    };
    this.disks.set(name, disk);
    return disk;
  }

  protected closeDisk(name: string): void {
    this.flushDisk(name);
    this.disk(name).port = 0;
  }

  protected flushDisk(name: string): void {
    const { flushed, written } = this.disk(name);
    for (const id of written) flushed.add(id);
  }

  /** Unflushed writes are lost, acknowledged or not. */
  protected killDisk(name: string): void {
    const disk = this.disk(name);
    if (disk.port === 0) return;
    for (const id of disk.written) if (!disk.flushed.has(id)) disk.written.delete(id);
    disk.killedIn = disk.promised;
    disk.port = 0;
  }

  protected reaches(process: Process, name: string): boolean {
    const node = this.replicas.get(name)?.spec.nodeID ?? '';
    if (this.nodes.get(node) === 'dead' || !this.nodes.has(node)) return false;
    return node === process.node || (this.nodes.get(node) === 'up' && this.nodes.get(process.node) === 'up');
  }

  protected serves(process: Process, name: string): boolean {
    const disk = this.disk(name);
    return this.reaches(process, name) && disk.port > 0 && disk.promised === process.generation;
  }

  protected host(node: string): HostFacts {
    const state = this.nodes.get(node);
    const reach =
      state === undefined ? 'gone' : state === 'up' ? 'answers' : this.declared.has(node) ? 'down' : 'silent';
    const instances = reach === 'answers' ? this.instancesOn(node) : [];
    return { reach, ip: node, instanceManager: `im-${node}`, instances };
  }

  protected instancesOn(node: string): Instance[] {
    const instances: Instance[] = [];
    for (const [name, replica] of this.replicas) {
      const disk = this.disk(name);
      const refuses = disk.killedIn !== undefined && disk.killedIn === disk.promised;
      if (replica.spec.nodeID !== node || (disk.port === 0 && !(refuses && replica.spec.desireState === 'running')))
        continue;
      const { killedIn: killedGeneration } = disk;
      const told = { actualBytes: 0n, promisedGeneration: disk.promised, recordState: 'whole', snapshots: [] };
      const facts = { ...told, ...(killedGeneration === undefined ? {} : { killedGeneration }) };
      if (disk.port === 0) {
        const error = { code: 'REPLICA_LAGS', message: 'it was killed in this start' } as const;
        const lagging = { kind: 'replica', name, volume: 'vol', state: 'error', uuid: '', error } as const;
        instances.push({ ...lagging, generation: disk.promised, replica: facts });
        continue;
      }
      const common = { kind: 'replica', name, volume: 'vol', state: 'running', uuid: String(disk.port) } as const;
      instances.push({ ...common, generation: disk.promised, port: disk.port, replica: facts });
    }
    const process = this.processes.filter((each) => each.node === node).at(-1);
    if (process === undefined) return instances;
    const common = { name: 'vol-e-0', volume: 'vol', generation: process.generation, uuid: 'u' } as const;
    instances.push({ ...common, kind: 'engine', state: process.state, engine: this.stateOf(process) });
    if (process.frontend)
      instances.push({ ...common, kind: 'frontend', state: 'running', endpoint: '/dev/longhorn/vol' });
    return instances;
  }

  protected stateOf(process: Process): EngineState {
    const modes: Record<string, string> = Object.fromEntries([...process.set].map((name) => [name, 'RW']));
    if (process.rebuilding !== undefined) modes[process.rebuilding] = 'WO';
    const failures = [...process.failures].map((replica) => ({
      replica,
      cause: 'lost',
      message: 'lost',
      atMs: 0,
      recorded: true,
    }));
    const common = { holding: false, paused: false, sizeBytes, snapshots: [], cleanStop: process.clean };
    return { ...common, modes, failures };
  }
}
