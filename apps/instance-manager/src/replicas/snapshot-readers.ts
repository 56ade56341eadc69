import { hostError, type OpenedSnapshot, type OpenSnapshot } from '@lateen/block-engine';
import { exportName } from '@lateen/instance-host';
import type { Call, LayerReader } from '@lateen/replica-store';
import { notConnected, notRunning, type ReplicaEntry } from './replica-entry.ts';
import type { ReplicaHost } from './replica-host.ts';

/** A snapshot stays open when it is requested again within this time; a reader that was killed closes nothing. */
const leaseMs = 60_000;
const lookEveryMs = 5_000;
/** Limit for one node. Each open snapshot blocks merges of its layers, and has each file below it open. */
const openMax = 64;
/** Limit for one snapshot: each attempt of a reader that is cut off repeatedly counts until its lease has expired. */
const readersMax = 256;

interface OpenOne {
  readonly entry: ReplicaEntry;
  /** The run of the daemon that has it open; another run does not have it. */
  readonly run: string;
  readonly reader: LayerReader;
  readonly export: string;
  /** By reader: until when its lease is valid. */
  readonly leases: Map<string, number>;
  /** It may be closed already, although closing was not confirmed. */
  isClosing: boolean;
}

/** Snapshots of this node's replicas that are read over NBD. */
export class SnapshotReaders {
  readonly #host: ReplicaHost;
  readonly #open = new Map<string, OpenOne>();
  #count = 0;

  constructor(host: ReplicaHost) {
    this.#host = host;
  }

  /** The same request again returns the same export, and renews its reader's lease. @throws `SNAPSHOT_NOT_FOUND`, `INSTANCE_NOT_FOUND`, `NO_ROOM` */
  open(request: OpenSnapshot, o: Call): Promise<OpenedSnapshot> {
    const { replica, snapshot, layerAlone, reader } = request;
    return this.#host.inTurn(replica, o.signal, async () => {
      const entry = this.#host.find(replica);
      if (entry === undefined) throw notRunning(replica);
      if (entry.line.connected === undefined) throw notConnected(this.#host, entry);
      const key = keyOf(request);
      const present = this.#open.get(key);
      if (present?.isClosing) await this.#end(key, present, o);
      const stays = present?.entry === entry && present.run === entry.run && !present.isClosing;
      const one = stays ? present : await this.#begin(entry, snapshot, layerAlone, o);
      this.#open.set(key, one);
      this.#lease(one, reader);
      const { sizeBytes, chain } = one.reader;
      return { export: one.export, port: entry.port, sizeBytes, leaseMs, chain };
    });
  }

  /**
   * Ends the lease of this reader; if there is no other reader, the snapshot is closed when this resolves. Does nothing when it is not open, so it
   * may be repeated.
   */
  close(request: OpenSnapshot, o: Call): Promise<void> {
    return this.#host.inTurn(request.replica, o.signal, async () => {
      const key = keyOf(request);
      const one = this.#open.get(key);
      if (one === undefined) return;
      one.leases.delete(request.reader);
      this.#forgetLate(one);
      if (one.leases.size === 0) await this.#end(key, one, o);
    });
  }

  #lease(one: OpenOne, reader: string): void {
    this.#forgetLate(one);
    if (one.leases.size >= readersMax && !one.leases.has(reader))
      throw hostError('NO_ROOM', `${readersMax} readers have this snapshot open`);
    one.leases.set(reader, this.#host.ports.clock.monotonicMs() + leaseMs);
  }

  #forgetLate({ leases }: OpenOne): void {
    const nowMs = this.#host.ports.clock.monotonicMs();
    for (const [reader, untilMs] of leases) if (untilMs <= nowMs) leases.delete(reader);
  }

  async #end(key: string, one: OpenOne, o: Call): Promise<void> {
    one.isClosing = true;
    // The exports of a daemon that has ended are gone.
    if (one.entry.line.connected !== undefined) await one.reader.close(o);
    this.#open.delete(key);
  }

  async #begin(entry: ReplicaEntry, snapshot: string, layerAlone: boolean, o: Call): Promise<OpenOne> {
    if (this.#open.size >= openMax) throw hostError('NO_ROOM', `${openMax} snapshots of this node are being read`);
    const { volumeUid, name } = entry.is;
    // Never used twice: an earlier reader must not find other content under its name.
    const plain = `${volumeUid}.${name}.${snapshot}.${entry.run}.${++this.#count}`;
    const secret = exportName(await this.#host.ports.exportKey(), plain);
    const view = layerAlone ? 'alone' : 'chain';
    const reader = await entry.store.openReader({ snapshot, view, exportName: secret }, o);
    return { entry, run: entry.run, reader, export: plain, leases: new Map(), isClosing: false };
  }

  /** Closes snapshots whose leases have expired, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#host.ports;
    while (!signal.aborted) {
      for (const [key, one] of this.#open) {
        this.#forgetLate(one);
        if (one.leases.size > 0) continue;
        try {
          await this.#host.inTurn(one.entry.is.name, signal, async () => {
            // The previous call in the queue may have opened it again, or closed it.
            if (one.leases.size === 0 && this.#open.get(key) === one) await this.#end(key, one, { signal });
          });
        } catch (error) {
          if (!signal.aborted)
            log.warn({ snapshot: key, err: error }, 'a snapshot that nobody reads could not be closed');
        }
      }
      await clock.sleep(lookEveryMs, signal).catch(() => {});
    }
  }
}

const keyOf = ({ replica, snapshot, layerAlone }: OpenSnapshot): string =>
  `${replica} ${layerAlone ? 'alone' : 'chain'} ${snapshot}`;
