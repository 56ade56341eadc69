import {
  type EnsureReplica,
  hostError,
  type Instance,
  type PromiseGeneration,
  type StopInstance,
} from '@lateen/block-engine';
import { AppError } from '@lateen/errors';
import { InFlight } from '@lateen/grpc';
import type { KeeperState } from '@lateen/instance-host';
import { unlessAborted } from '@lateen/kernel';
import { type Call, parseRecord } from '@lateen/replica-store';
import { adoptReplica, replicaEnded } from './adopt-replica.ts';
import { checkReplicaName, sameReplica } from './check-replica.ts';
import { ReplicaEntry, type ReplicaIs, replicaProcessId } from './replica-entry.ts';
import { type ReplicaPorts, replicaLimits } from './replica-ports.ts';
import { ReplicaProcesses } from './replica-process.ts';

/** The replicas of this node. Calls on one replica run one after the other; {@link adopt} takes over processes that outlived an earlier program. */
export class ReplicaHost {
  readonly ports: ReplicaPorts;
  readonly processes: ReplicaProcesses;
  readonly #entries = new Map<string, ReplicaEntry>();
  readonly #turns = new InFlight();

  constructor(ports: ReplicaPorts) {
    this.ports = ports;
    this.processes = new ReplicaProcesses(ports);
  }

  find(replica: string): ReplicaEntry | undefined {
    return this.#entries.get(replica);
  }

  all(): readonly ReplicaEntry[] {
    return [...this.#entries.values()];
  }

  /** @throws AppError `ABORTED` when another call on the replica takes too long */
  async inTurn<T>(replica: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const keys = [{ id: `replica ${replica}`, mode: 'exclusive' as const }];
    using _turn = await this.#turns.enterWithin(keys, {
      waitMs: replicaLimits.turnMs,
      clock: this.ports.clock,
      signal,
    });
    return await work();
  }

  /** See `InstanceHost`. */
  ensure(request: EnsureReplica, o: Call): Promise<Instance> {
    checkReplicaName(request.name);
    return this.inTurn(request.name, o.signal, async () => {
      const entry = await this.#entryFor(request, o);
      if (entry.state === 'running' && entry.generation === request.generation && entry.line.connected !== undefined)
        return entry.instance();
      if (entry.generation > request.generation && entry.state === 'running')
        throw hostError('GENERATION_OVER', `replica ${request.name} serves generation ${entry.generation} already`);
      entry.generation = request.generation;
      try {
        return await this.#start(entry, request, o);
      } catch (error) {
        await entry.refresh(o);
        // The next call continues what was begun. With an error the replica would be recorded as failed.
        if (o.signal.aborted) entry.tell('starting');
        else entry.tell('error', error);
        throw error;
      }
    });
  }

  async #start(entry: ReplicaEntry, request: EnsureReplica, o: Call): Promise<Instance> {
    const { sizeBytes, mayCreate, rebuilding, generation } = request;
    const { store } = entry;
    const found = await this.processes.find(entry, o.signal);
    if (found !== undefined && found.health !== 'gone') await entry.line.connect(o.signal);
    await store.create({ sizeBytes, mayCreate, state: rebuilding ? 'rebuilding' : 'new' }, o);
    await store.promise({ generation, engine: entry.is.volumeUid }, o);
    entry.tell('starting');
    const isNew = await this.processes.ensure(entry, o.signal);
    try {
      // If the replica is to be rebuilt, the rebuilding engine first discards its head.
      if (!rebuilding) {
        await store.open(o);
        await entry.serve(generation, o);
      }
    } catch (error) {
      if (isNew) await this.processes.end(entry, o.signal);
      throw error;
    }
    await entry.refresh(o);
    return entry.tell('running');
  }

  /** See `InstanceHost`: fences a replica, whether it runs or not. */
  promise(request: PromiseGeneration, o: Call): Promise<{ promisedGeneration: number }> {
    checkReplicaName(request.replica);
    return this.inTurn(request.replica, o.signal, async () => {
      const entry = this.#entries.get(request.replica) ?? (await this.#unstarted(request, o));
      sameReplica(entry.is, { ...request, name: request.replica });
      const { volumeUid } = entry.is;
      const { generation } = await entry.store.promise({ generation: request.generation, engine: volumeUid }, o);
      if (this.#entries.has(request.replica)) {
        await entry.refresh(o);
        entry.retell();
      }
      return { promisedGeneration: generation };
    });
  }

  /** Does nothing when it does not run. */
  stop({ name, generation }: StopInstance, o: Call): Promise<{ clean: boolean }> {
    checkReplicaName(name);
    return this.inTurn(name, o.signal, async () => {
      const entry = this.#entries.get(name);
      if (entry === undefined) return { clean: true };
      if (entry.generation > generation)
        throw hostError('GENERATION_OVER', `replica ${name} serves generation ${entry.generation}`);
      entry.tell('stopping');
      const clean = await this.#close(entry, o);
      await this.processes.end(entry, o.signal);
      this.forget(entry);
      return { clean };
    });
  }

  /** Removes it from the board. Its process has ended. */
  forget(entry: ReplicaEntry): void {
    this.#entries.delete(entry.is.name);
    this.ports.board.remove({ kind: 'replica', name: entry.is.name });
  }

  /** If the daemon does not answer, its unflushed writes are unknown; the record shows that when the replica is opened next. */
  async #close({ is, store }: ReplicaEntry, { signal }: Call): Promise<boolean> {
    const late = AbortSignal.any([signal, this.ports.clock.deadline(replicaLimits.closeMs)]);
    try {
      await store.close({ signal: late });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.ports.log.warn({ replica: is.name, err: error }, 'a replica could not be closed cleanly');
      return false;
    }
  }

  /**
   * Takes over running daemons. Resolves when each of them has been tried once; a daemon that does not answer yet is tried again with each pass. A
   * replica whose disk hangs keeps its queue blocked and is not waited for: the other replicas of the node have to be reached.
   */
  async adopt(signal: AbortSignal): Promise<void> {
    const { notes, clock, log } = this.ports;
    const late = clock.deadline(replicaLimits.adoptMs);
    const adopting = (await notes.readAll()).map(async (note) => {
      this.processes.holdPort(note.name, note.port);
      const trying = this.inTurn(note.name, signal, async () => {
        const entry = await this.#newEntry(note, { signal });
        Object.assign(entry, { port: note.port, run: note.run });
        await adoptReplica(this, entry, { signal });
      });
      await unlessAborted(trying, late);
      if (late.aborted)
        log.warn({ replica: note.name }, 'a replica could not be taken over in time; its disk may hang');
    });
    await Promise.all(adopting);
  }

  /** The result of a keeper's pass: daemons that have ended, and connections that have ended. Never rejects. */
  async noticed({ processes }: KeeperState, signal: AbortSignal): Promise<void> {
    const byId = new Map(processes.map((one) => [one.id, one]));
    const concerned = this.all().filter((entry) => {
      if (entry.state === 'stopping' || entry.state === 'error') return false;
      const kept = byId.get(replicaProcessId(entry.is.name));
      if (kept?.run !== entry.run) return false;
      return kept.health === 'gone' || entry.line.connected === undefined;
    });
    await Promise.all(
      concerned.map((entry) =>
        this.inTurn(entry.is.name, signal, async () => {
          if (this.find(entry.is.name) !== entry) return;
          const kept = await this.processes.find(entry, signal);
          if (kept?.run !== entry.run || entry.state === 'error') return;
          if (kept.health === 'gone') await replicaEnded(this, entry, kept.reason, { signal });
          else if (entry.line.connected === undefined) await adoptReplica(this, entry, { signal });
        }).catch((error: unknown) => {
          if (!signal.aborted)
            this.ports.log.warn({ replica: entry.is.name, err: error }, 'a replica could not be looked at');
        }),
      ),
    );
  }

  /** Closes the connections; daemons continue. */
  async close(): Promise<void> {
    await Promise.all(this.all().map(({ line }) => line.close()));
  }

  async #entryFor(is: ReplicaIs, o: Call): Promise<ReplicaEntry> {
    const present = this.#entries.get(is.name);
    if (present === undefined) return await this.#newEntry(is, o);
    sameReplica(present.is, is);
    return present;
  }

  async #newEntry({ name, volume, volumeUid, directory }: ReplicaIs, { signal }: Call): Promise<ReplicaEntry> {
    const is = { name, volume, volumeUid, directory };
    const entry = new ReplicaEntry(this.ports, is, await this.#io(directory, signal));
    this.#entries.set(name, entry);
    return entry;
  }

  /** The mode for the replica's disk, which is two levels above its folder; if the disk cannot be inspected, opening the replica reports it. */
  async #io(directory: string, signal: AbortSignal): Promise<'direct' | 'buffered'> {
    const here = this.ports.paths.here(directory, 'the directory of a replica');
    const disk = here.slice(0, here.lastIndexOf('/', here.lastIndexOf('/') - 1)) || '/';
    const direct = await this.ports.canDirectIo(disk, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      this.ports.log.debug({ disk, err: error }, 'the disk of a replica cannot be looked at');
      return true;
    });
    return direct ? 'direct' : 'buffered';
  }

  /** For a replica that does not run: its folder says which volume it belongs to. @throws AppError `REPLICA_GONE` */
  async #unstarted({ replica, volumeUid, directory }: PromiseGeneration, o: Call): Promise<ReplicaEntry> {
    const path = `${this.ports.paths.here(directory, 'the directory of a replica')}/replica.json`;
    const text = await this.ports.files.readText(path);
    if (text === undefined)
      throw new AppError('REPLICA_GONE', `there is no replica ${replica} in ${directory}`, {
        retry: 'later',
        nextStep: 'Check that the disk is mounted.',
      });
    const { volume } = parseRecord(text, path);
    return new ReplicaEntry(
      this.ports,
      { name: replica, volume, volumeUid, directory },
      await this.#io(directory, o.signal),
    );
  }
}
