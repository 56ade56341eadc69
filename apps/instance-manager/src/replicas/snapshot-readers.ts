import { hostError, type OpenedSnapshot, type OpenSnapshot } from '@lateen/block-engine';
import { exportName } from '@lateen/instance-host';
import type { Call, LayerReader } from '@lateen/replica-store';
import { notConnected, notRunning, type ReplicaEntry } from './replica-entry.ts';
import type { ReplicaHost } from './replica-host.ts';

/** Asked for again within it, a snapshot stays open; nobody tells when a reader has gone. */
const leaseMs = 60_000;
const lookEveryMs = 5_000;
/** Of one node. Each holds merges of its layers off, and has an opening of each file below it. */
const openMax = 64;

interface OpenOne {
  readonly entry: ReplicaEntry;
  /** Of the daemon that has it open; another one knows nothing of it. */
  readonly run: string;
  readonly reader: LayerReader;
  readonly export: string;
  untilMs: number;
}

/** Snapshots of replicas of this node that somebody reads over NBD. */
export class SnapshotReaders {
  readonly #host: ReplicaHost;
  readonly #open = new Map<string, OpenOne>();
  #count = 0;

  constructor(host: ReplicaHost) {
    this.#host = host;
  }

  /** The same question again gives the same export and a new lease. @throws `SNAPSHOT_NOT_FOUND`, `INSTANCE_NOT_FOUND`, `NO_ROOM` */
  open({ replica, snapshot, layerAlone }: OpenSnapshot, o: Call): Promise<OpenedSnapshot> {
    return this.#host.inTurn(replica, o.signal, async () => {
      const entry = this.#host.find(replica);
      if (entry === undefined) throw notRunning(replica);
      if (entry.line.connected === undefined) throw notConnected(this.#host, entry);
      const key = `${replica} ${layerAlone ? 'alone' : 'chain'} ${snapshot}`;
      const present = this.#open.get(key);
      const one =
        present?.entry === entry && present.run === entry.run
          ? present
          : await this.#begin(entry, snapshot, layerAlone, o);
      one.untilMs = this.#host.ports.clock.monotonicMs() + leaseMs;
      this.#open.set(key, one);
      const { sizeBytes, chain } = one.reader;
      return { export: one.export, port: entry.port, sizeBytes, leaseMs, chain };
    });
  }

  async #begin(entry: ReplicaEntry, snapshot: string, layerAlone: boolean, o: Call): Promise<OpenOne> {
    if (this.#open.size >= openMax) throw hostError('NO_ROOM', `${openMax} snapshots of this node are being read`);
    const { volumeUid, name } = entry.is;
    // Never used twice: a reader of before is not to find another content under its name.
    const plain = `${volumeUid}.${name}.${snapshot}.${entry.run}.${++this.#count}`;
    const secret = exportName(await this.#host.ports.exportKey(), plain);
    const view = layerAlone ? 'alone' : 'chain';
    const reader = await entry.store.openReader({ snapshot, view, exportName: secret }, o);
    return { entry, run: entry.run, reader, export: plain, untilMs: 0 };
  }

  /** Closes what nobody has asked for in time, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#host.ports;
    while (!signal.aborted) {
      for (const [key, one] of this.#open) {
        if (one.untilMs > clock.monotonicMs()) continue;
        try {
          await this.#host.inTurn(one.entry.is.name, signal, async () => {
            if (one.untilMs > clock.monotonicMs()) return;
            // A daemon that has ended has taken its exports along.
            if (one.entry.line.connected !== undefined) await one.reader.close({ signal });
            this.#open.delete(key);
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
