import { generationOf } from '@lateen/storage-types';

import { ModelHosts, type Process } from './model-hosts.ts';

/** The actions of engines without a manager: they write, record failures and rebuild. */
export class ModelWrites extends ModelHosts {
  protected writes = 0;

  /** Every running engine gets a write, also on a node that is cut off. */
  write(recorderDies: boolean): void {
    for (const process of this.processes)
      if (process.state === 'running' && process.frontend) this.writeTo(process, recorderDies);
  }

  /** The file system flushes: all writes acknowledged so far survive a kill. */
  flush(): void {
    for (const process of this.processes) {
      if (process.state !== 'running' || !process.frontend) continue;
      const members = [...process.set];
      if (members.every((name) => this.serves(process, name))) for (const name of members) this.flushDisk(name);
    }
  }

  /** The comparison ends: all replicas equal the primary. */
  finishComparison(): void {
    for (const process of this.processes) {
      const { readPrimary } = process;
      if (process.state !== 'running' || readPrimary === undefined) continue;
      if (![...process.set].every((name) => this.serves(process, name))) continue;
      const { written } = this.disk(readPrimary);
      for (const name of process.set) {
        const disk = this.disk(name);
        for (const id of disk.written) if (!written.has(id)) disk.written.delete(id);
        for (const id of written) disk.written.add(id);
        this.flushDisk(name);
        disk.killedIn = undefined;
      }
      process.readPrimary = undefined;
      this.changes++;
    }
  }

  /** Engines notice which of their replicas were killed: these do not return in this generation. */
  loseKilled(): void {
    for (const process of this.processes) {
      const lost = [...process.set].filter((name) => this.disk(name).killedIn === process.generation);
      if (process.state !== 'running' || lost.length === 0) continue;
      if (lost.length === process.set.size) {
        this.end(process);
        this.changes++;
      } else for (const name of lost) if (!this.record(process, name, false)) break;
    }
  }

  finishRebuild(): void {
    for (const process of this.processes) {
      const name = process.rebuilding;
      if (process.state !== 'running' || name === undefined || !this.serves(process, name)) continue;
      const source = process.readPrimary ?? [...process.set].find((other) => this.serves(process, other));
      if (
        source === undefined ||
        !this.serves(process, source) ||
        this.nodes.get(process.node) !== 'up' ||
        this.engine === undefined
      )
        continue;
      const { status, spec } = this.engine;
      // Its mode RW is recorded before the engine reads from it.
      if (generationOf(this.engine) !== process.generation || status?.replicaModeMap?.[name] !== 'WO') continue;
      if (spec.replicaAddressMap?.[name] === undefined) continue;
      for (const id of this.disk(source).written) this.disk(name).written.add(id);
      this.flushDisk(name);
      this.disk(name).killedIn = undefined;
      this.setMode(name, 'RW');
      process.set.add(name);
      process.failures.delete(name);
      process.rebuilding = undefined;
    }
  }

  protected writeTo(process: Process, recorderDies: boolean): void {
    const id = this.writes++;
    const members = [...process.set];
    if (members.some((name) => this.reaches(process, name) && this.disk(name).promised > process.generation)) {
      this.end(process);
      return;
    }
    const failing = members.filter((name) => !this.serves(process, name));
    const good = members.filter((name) => this.serves(process, name));
    for (const name of good) this.disk(name).written.add(id);
    if (process.rebuilding !== undefined && !this.serves(process, process.rebuilding)) {
      process.failures.add(process.rebuilding);
      process.rebuilding = undefined;
    }
    if (good.length === 0) {
      this.end(process);
      return;
    }
    for (const name of failing) if (!this.record(process, name, recorderDies)) return;
    this.acknowledged.push(id);
  }

  /** False: the failure cannot be recorded, and writes that wait for it are not acknowledged. */
  protected record(process: Process, name: string, dies: boolean): boolean {
    if (this.engine === undefined || this.nodes.get(process.node) !== 'up') return false;
    if (generationOf(this.engine) !== process.generation) {
      this.end(process);
      return false;
    }
    this.setMode(name, 'ERR');
    process.set.delete(name);
    process.failures.add(name);
    this.readFromAnother(process, name);
    const replica = this.replicas.get(name);
    if (dies || replica === undefined) return true;
    const failedAt = new Date(this.nowMs).toISOString();
    this.replicas.set(name, { ...replica, spec: { ...replica.spec, failedAt, lastFailedAt: failedAt } });
    this.touch(name);
    return true;
  }

  /** When the primary has failed, the writes that only it had are lost for good. */
  private readFromAnother(process: Process, failed: string): void {
    if (process.readPrimary !== failed) return;
    const others = [...process.set];
    process.readPrimary = others.find((name) => this.disk(name).killedIn === undefined) ?? others[0];
    const { written } = this.disk(process.readPrimary ?? '');
    const left = this.acknowledged.filter((id) => written.has(id));
    this.acknowledged.splice(0, this.acknowledged.length, ...left);
  }
}
