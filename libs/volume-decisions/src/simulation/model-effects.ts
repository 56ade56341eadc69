import { type Engine, generationOf, type Replica } from '@lateen/storage-types';
import type { EngineEffect } from '../engine/engine-seen.ts';
import type { ReplicaEffect } from '../replica/decide-replica.ts';
import { changedEngine } from '../volume/changed-engine.ts';
import { changedReplica, promisedReplica } from '../volume/changed-replica.ts';
import { foldFailures, wholeSet } from '../volume/fold-failures.ts';
import { isFailed, nameOf } from '../volume/replica-facts.ts';
import type { EngineChange, ReplicaChange, VolumeEffect } from '../volume/volume-effect.ts';
import type { VolumeSeen } from '../volume/volume-seen.ts';

import { ModelWrites } from './model-writes.ts';

/** Carries out effects, and checks the invariants while it does. */
export class ModelEffects extends ModelWrites {
  /** The Event of this pass reports that acknowledged writes may be lost with killed replicas. */
  protected tellsOfKills = false;

  /** Guarded by the version that was read: false when another writer has changed the object since. */
  protected applyVolume(effect: VolumeEffect, versions: Map<string, number>, seen: VolumeSeen): boolean {
    const write = (key: string, change: () => void): boolean => {
      if (versions.get(key) !== this.versions.get(key)) return false;
      change();
      this.touch(key);
      versions.set(key, this.versions.get(key) ?? 0);
      return true;
    };
    switch (effect.do) {
      case 'create-engine':
        return write('engine', () => {
          this.engine = effect.object;
        });
      case 'create-replica':
        this.ids++;
        return write(nameOf(effect.object), () => this.replicas.set(nameOf(effect.object), effect.object));
      case 'delete':
        return write(effect.name, () => this.markDeleted(effect.name));
      case 'release-volume':
      case 'grow-volume':
      case 'create-recurring-job':
      case 'note-recurring-jobs':
        return true;
      case 'begin-start':
      case 'let-start':
      case 'set-addresses':
      case 'stop-engine':
      case 'read-from':
      case 'grow-engine':
      case 'request-restore':
      case 'end-restore':
        return write('engine', () => this.changeEngine(effect, seen));
      default:
        return write(effect.replica, () => this.changeReplica(effect));
    }
  }

  protected changeEngine(effect: EngineChange, seen: VolumeSeen): void {
    const engine = this.engine as Engine;
    const next = changedEngine(engine, effect);
    if (next === undefined) return;
    const [before, after] = [generationOf(engine) ?? 0, generationOf(next) ?? 0];
    if (after < before) throw new Error('the generation went down');
    if (after > before) {
      const { failures, leave } = foldFailures(engine, [...this.replicas.values()], 0);
      if (failures.length + leave.length > 0) throw new Error('a start begins while a failure is not folded');
      this.generationSinceMs = this.nowMs;
      this.promiseSinceMs = undefined;
    }
    if (effect.do === 'begin-start') this.checkNothingForgotten(engine, next);
    if (effect.do === 'let-start') this.checkStart(Object.keys(effect.addresses), effect.readPrimary, seen);
    this.engine = next;
  }

  protected checkNothingForgotten(engine: Engine, next: Engine): void {
    const after = wholeSet(next);
    for (const name of wholeSet(engine))
      if (!after.has(name)) throw new Error(`a start forgets that ${name} has everything`);
  }

  /** A replica marked as complete has every write, except those that a kill may have lost. */
  check(): void {
    if (this.mayLack) return;
    for (const name of wholeSet(this.engine)) {
      if (!this.replicas.has(name) || !this.disks.has(name) || this.disk(name).killedIn !== undefined) continue;
      const lacks = this.lacks(name);
      if (lacks.length > 0) throw new Error(`${name} is called whole and lacks ${lacks.length} writes`);
    }
  }

  protected checkStart(names: readonly string[], readPrimary: string | undefined, seen: VolumeSeen): void {
    if (Object.keys(this.engine?.status?.replicaModeMap ?? {}).length > 0) throw new Error('started with old modes');
    for (const name of names) {
      const replica = seen.replicas.find((each) => nameOf(each) === name);
      if (replica === undefined || isFailed(replica)) throw new Error(`${name} has failed and is started`);
      const lacks = this.lacks(name);
      // It is compared with the primary before it is read.
      if (readPrimary !== undefined && name !== readPrimary && this.disk(name).killedIn !== undefined) continue;
      if (lacks.length > 0 && !this.mayLack && !this.tellsOfKills)
        throw new Error(`${name} is started without ${lacks.length} writes`);
    }
    if (names.length === 0) throw new Error('started without replicas');
    // The writes that a salvage has reported as lost are dropped; from here on every write counts again.
    if (this.tellsOfKills && names.some((name) => this.disk(name).killedIn === undefined))
      throw new Error('an event says that all were killed, and one was not');
    const counting = readPrimary === undefined ? names : [readPrimary];
    if (this.mayLack || this.tellsOfKills) this.forgetWhatLacks(counting);
    this.mayLack = false;
  }

  protected forgetWhatLacks(names: readonly string[]): void {
    const left = this.acknowledged.filter((id) => names.every((name) => this.disk(name).written.has(id)));
    this.acknowledged.splice(0, this.acknowledged.length, ...left);
  }

  protected changeReplica(effect: ReplicaChange): void {
    const replica = this.replicas.get(effect.replica) as Replica;
    if (
      effect.do === 'mark-healthy' &&
      this.lacks(effect.replica).length > 0 &&
      this.disk(effect.replica).killedIn === undefined &&
      this.engine?.status?.currentState === 'running'
    )
      throw new Error(`${effect.replica} is called healthy without all writes`);
    this.replicas.set(effect.replica, changedReplica(replica, effect));
  }

  protected markDeleted(name: string): void {
    const replica = this.replicas.get(name) as Replica;
    const deletionTimestamp = new Date(this.nowMs).toISOString();
    this.replicas.set(name, { ...replica, metadata: { ...replica.metadata, deletionTimestamp } });
  }

  protected applyEngine(effect: EngineEffect, node: string): void {
    const process = this.processes.filter((each) => each.node === node).at(-1);
    switch (effect.do) {
      case 'ensure-engine': {
        const { generation, replicas, readPrimary } = effect.request;
        if (process?.generation === generation) return;
        const set = new Set(replicas.map(({ replica }) => replica));
        const failures = new Set<string>();
        this.processes.push({
          generation,
          node,
          set,
          readPrimary,
          rebuilding: undefined,
          failures,
          state: 'running',
          clean: false,
          frontend: false,
        });
        return;
      }
      case 'ensure-frontend':
        if (process?.state === 'running') process.frontend = true;
        return;
      case 'stop':
        if (process === undefined) return;
        if (effect.request.kind === 'frontend') process.frontend = false;
        else if (process.state === 'running') {
          process.clean = [...process.set].every((name) => this.serves(process, name));
          for (const name of process.set) if (this.serves(process, name)) this.flushDisk(name);
          process.state = 'stopped';
        }
        return;
      case 'add-replica':
        if (process?.state === 'running') process.rebuilding ??= effect.request.replica.replica;
        return;
      case 'drop-replica':
        if (process !== undefined && process.set.size > 1 && process.set.has(effect.request.replica))
          this.record(process, effect.request.replica, true);
        if (process?.rebuilding === effect.request.replica) process.rebuilding = undefined;
        return;
      case 'note-clean-stop':
        this.annotateEngine('storage.lateen.dev/clean-stop', String(effect.generation));
        return;
      default:
        return;
    }
  }

  /** While no node was removed for good, another replica must have all data before a replica is deleted. */
  protected checkDeletion(name: string): void {
    const others = [...this.replicas.keys()].filter((other) => other !== name);
    // Writes that a kill has lost on another complete replica are reported when that replica starts.
    const whole = wholeSet(this.engine);
    const wasWhole = (other: string) => whole.has(other) && this.disk(other).killedIn !== undefined;
    if (this.nodes.size < 4 || others.some((other) => this.lacks(other).length === 0 || wasWhole(other))) return;
    if (this.lacks(name).length === 0) throw new Error(`${name} is deleted, and no other replica has all data`);
  }

  protected applyReplica(effect: ReplicaEffect, name: string): void {
    const disk = this.disk(name);
    const replica = this.replicas.get(name) as Replica;
    switch (effect.do) {
      case 'ensure-replica':
        if (disk.promised > effect.request.generation || disk.killedIn === effect.request.generation) return;
        if (disk.promised < effect.request.generation || disk.port === 0) disk.port = 10_000 + ++this.ids;
        disk.promised = effect.request.generation;
        return;
      case 'stop':
        if (disk.port > 0) this.closeDisk(name);
        return;
      case 'note-promise': {
        this.replicas.set(name, promisedReplica(replica, effect));
        this.touch(name);
        if (this.engine !== undefined && effect.generation === generationOf(this.engine))
          this.promiseSinceMs ??= this.nowMs;
        return;
      }
      case 'delete-data':
        this.checkDeletion(name);
        this.disks.delete(name);
        return;
      case 'release-replica':
        this.replicas.delete(name);
        this.touch(name);
    }
  }
}
